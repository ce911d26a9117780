//! Which members are there in each object of a column, in the order in which JSON text has them.
//!
//! Of hundreds of members an object may have a few. To look at each member of each object takes far longer than to
//! write those that are there, so these are found once for all objects.

use crate::rows::json::canonical::utf16_order;
use crate::rows::json::text::write_string;

use crate::rows::columns::{Member, Members, Store};

/// What is there in the objects of a column, however deep they are nested.
pub(in crate::rows) enum Outline {
    /// No objects are in it.
    Plain,
    /// Objects are in the elements of its arrays, perhaps: the outline of those.
    Elements(Box<Outline>),
    Objects(Objects),
}

pub(in crate::rows) struct Objects {
    /// The members that have values, as RFC 8785 sorts them: by UTF-16 code units.
    named: Vec<Named>,
    /// Where those of each object begin in `there`, and where the last end; nothing where no object has any.
    begins: Vec<u32>,
    there: Vec<There>,
}

/// A member that is there in an object, and which of its values: to find that among gaps takes longer than to write it.
#[derive(Clone, Copy, Default)]
struct There {
    named: u32,
    value: u32,
}

/// A member that has values.
pub(super) struct Named {
    /// Its place among all members.
    pub(super) at: usize,
    /// Its name as JSON text, with the colon after it.
    pub(super) key: Vec<u8>,
    pub(super) outline: Outline,
}

impl Outline {
    pub(in crate::rows) fn of(store: &Store) -> Self {
        match store {
            Store::List(list) => Self::Elements(Box::new(Self::of(&list.elements.store))),
            Store::Struct(members) => Self::Objects(Objects::of(members)),
            _ => Self::Plain,
        }
    }
}

impl Objects {
    fn of(members: &Members) -> Self {
        let mut sorted: Vec<(usize, &Member)> =
            members.iter().enumerate().filter(|(_, member)| member.column.len() > 0).collect();
        sorted.sort_by(|(_, one), (_, other)| utf16_order(one.name.as_bytes(), other.name.as_bytes()));
        let (begins, there) = lists(&sorted, members.physical_len());
        let named = |(at, member): (usize, &Member)| {
            let mut key = Vec::new();
            write_string(member.name.as_bytes(), &mut key);
            key.push(b':');
            Named { at, key, outline: Outline::of(&member.column.store) }
        };
        Self { named: sorted.into_iter().map(named).collect(), begins, there }
    }

    /// The members that the object at `place` has, and which of its values each has there.
    pub(super) fn at(&self, place: usize) -> impl Iterator<Item = (&Named, usize)> {
        let there = match self.begins.get(place..place + 2) {
            Some(&[begin, end]) => &self.there[begin as usize..end as usize],
            _ => &[],
        };
        there.iter().map(|there| (&self.named[there.named as usize], there.value as usize))
    }
}

/// For each object those of `sorted` that it has, and where they begin: a counting sort.
///
/// The values of an unfinished object, which becomes text as a whole, come after all finished ones; they go into an
/// extra last bucket that nobody reads.
fn lists(sorted: &[(usize, &Member)], places: usize) -> (Vec<u32>, Vec<There>) {
    if sorted.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut begins = vec![0; places + 1];
    sorted.iter().for_each(|(_, member)| member.column.store.for_each_valid(|place, _| begins[place] += 1));
    // How many there are in each object becomes where those of it end, and filling them in, the last first, where they
    // begin.
    let mut end = 0;
    for begin in &mut begins {
        end += *begin;
        *begin = end;
    }
    let mut there = vec![There::default(); end as usize];
    for (named, (_, member)) in sorted.iter().enumerate().rev() {
        let named = u32::try_from(named).expect("an object has no more members than a table has columns");
        member.column.store.for_each_valid(|place, value| {
            begins[place] -= 1;
            let value = u32::try_from(value).expect("a segment has fewer values");
            there[begins[place] as usize] = There { named, value };
        });
    }
    (begins, there)
}

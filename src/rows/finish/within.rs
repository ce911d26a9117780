//! Types within types: members of objects, and elements of arrays.
//!
//! Whoever asks for a type need not name all members. Those that are not named stay behind the others as they are, and where the values
//! of one member do not survive its type, the others have theirs all the same.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};

/// A place in a type: the numbers of the members that lead to it, the innermost first. An element of an array is its only member.
#[derive(Debug, Default)]
pub(super) struct Place(Vec<usize>);

impl Place {
    /// The same place, seen from the type of which this is the member `at`.
    pub(super) fn below(mut self, at: usize) -> Self {
        self.0.push(at);
        self
    }
}

/// What was asked for, and behind its members those that are there besides.
pub(super) fn complete(asked: &DataType, natural: &DataType) -> DataType {
    let Some((members, there)) = alike(asked, natural) else { return asked.clone() };
    let completed = members.iter().map(|field| match member_like(natural, field) {
        Some(natural) => of_type(field, complete(field.data_type(), natural.data_type())),
        None => Arc::clone(field),
    });
    let is_asked_for = |name: &str| members.iter().any(|field| field.name() == name);
    let others = there.iter().filter(|field| matches!(natural, DataType::Struct(_)) && !is_asked_for(field.name()));
    with_members(asked, completed.chain(others.cloned()).collect())
}

/// Takes the natural type at a place of `target`. Gives what it was to be and what it is, and completes the path to it.
pub(super) fn give_up(
    target: &mut DataType,
    natural: &DataType,
    place: &Place,
    path: &mut String,
) -> (DataType, DataType) {
    let mut way = place.0.clone();
    descend(target, natural, &mut way, path)
}

fn descend(target: &mut DataType, natural: &DataType, way: &mut Vec<usize>, path: &mut String) -> (DataType, DataType) {
    let below = way.pop().and_then(|at| {
        let (members, _) = alike(target, natural)?;
        Some((at, members.to_vec(), member_like(natural, members.get(at)?)?))
    });
    let Some((at, mut members, there)) = below else {
        return (std::mem::replace(target, natural.clone()), natural.clone());
    };
    add_step(path, natural, &there);
    let mut below = members[at].data_type().clone();
    let given_up = descend(&mut below, there.data_type(), way, path);
    members[at] = of_type(&members[at], below);
    *target = with_members(target, members);
    given_up
}

/// Tells the paths at which the types differ: of the column `path`, or of what is within it.
pub(super) fn differences(target: &DataType, natural: &DataType, path: &str, tell: &mut impl FnMut(&str)) {
    if target == natural {
        return;
    }
    let Some((members, _)) = alike(target, natural) else { return tell(path) };
    for member in members {
        if let Some(there) = member_like(natural, member) {
            let mut path = path.to_owned();
            add_step(&mut path, natural, &there);
            differences(member.data_type(), there.data_type(), &path, tell);
        }
    }
}

/// The member of a natural type that is to become `member`.
fn member_like(natural: &DataType, member: &Field) -> Option<FieldRef> {
    match natural {
        DataType::Struct(fields) => fields.iter().find(|field| field.name() == member.name()).cloned(),
        DataType::List(item) => Some(Arc::clone(item)),
        _ => None,
    }
}

/// The members of two types of which one becomes the other member by member.
fn alike<'t>(target: &'t DataType, natural: &'t DataType) -> Option<(&'t [FieldRef], &'t [FieldRef])> {
    match (target, natural) {
        (DataType::Struct(asked), DataType::Struct(there)) => Some((asked, there)),
        (DataType::List(asked) | DataType::LargeList(asked), DataType::List(there)) => {
            Some((std::slice::from_ref(asked), std::slice::from_ref(there)))
        }
        _ => None,
    }
}

/// A type with other members.
fn with_members(data_type: &DataType, members: Vec<FieldRef>) -> DataType {
    match (data_type, members.as_slice()) {
        (DataType::List(_), [item]) => DataType::List(Arc::clone(item)),
        (DataType::LargeList(_), [item]) => DataType::LargeList(Arc::clone(item)),
        _ => DataType::Struct(members.into()),
    }
}

fn of_type(field: &Field, data_type: DataType) -> FieldRef {
    Arc::new(field.clone().with_data_type(data_type))
}

/// Names a member as notes do.
fn add_step(path: &mut String, natural: &DataType, member: &Field) {
    if matches!(natural, DataType::Struct(_)) {
        path.push('.');
        path.push_str(member.name());
    } else {
        path.push_str("[]");
    }
}

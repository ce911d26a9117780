//! Which column is expected after another, or first.
//!
//! Where members are only left out at times, another key says little: the one that comes in most objects is still the
//! one to expect. So a column is replaced only by one that came in its place in most of the last objects.

use crate::rows::columns::members::NONE;

/// So often a column has to come in the place of the expected one before it replaces that.
const VOTES: usize = 8;

/// Within so many objects. 8 of 13 are most, so that a column in every other object never replaces the expected one,
/// which may be what the rest have. After a member that few objects have nothing is replaced. A prime, so that columns
/// that take turns hardly ever begin these objects with the same one each time.
const OBJECTS: usize = 13;

#[derive(Debug)]
pub(in crate::rows::columns) struct Successor {
    /// The column, or [`NONE`].
    pub(in crate::rows::columns) column: usize,
    /// One that came instead, and how often it did since the object at the place `since`.
    candidate: usize,
    votes: usize,
    since: usize,
}

impl Default for Successor {
    fn default() -> Self {
        Self { column: NONE, candidate: NONE, votes: 0, since: 0 }
    }
}

impl Successor {
    /// Takes note that `column` came instead, in the object at `place`, and says whether it is to be expected from here
    /// on. An object that is read again votes again.
    pub(super) fn vote(&mut self, column: usize, place: usize) -> bool {
        // Of a row that is read again some objects may be before `since`.
        if self.votes == 0 || place.abs_diff(self.since) >= OBJECTS {
            (self.candidate, self.votes, self.since) = (column, 0, place);
        }
        self.votes += usize::from(column == self.candidate);
        let is_elected = self.votes == VOTES;
        if is_elected {
            self.votes = 0;
        }
        is_elected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which column is expected after each object, at first column 0, where these come.
    fn expected(columns: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut successor = Successor { column: 0, ..Successor::default() };
        let columns = columns.into_iter().enumerate();
        let learn = |(place, column)| {
            if column != successor.column && successor.vote(column, place) {
                successor.column = column;
            }
            successor.column
        };
        columns.map(learn).collect()
    }

    #[test]
    fn a_column_that_no_longer_comes_is_replaced_by_the_one_that_does() {
        let first = |columns: Vec<usize>| expected(columns).iter().position(|&at| at == 1);
        assert_eq!(first(vec![1; 100]), Some(VOTES - 1));
        // Another now and then does not keep it from that, not even as the first.
        assert_eq!(first((0..100).map(|at| if at % 4 == 3 { 2 } else { 1 }).collect()), Some(9));
        assert_eq!(first((0..100).map(|at| if at % 4 == 0 { 2 } else { 1 }).collect()), Some(OBJECTS + 9));
    }

    #[test]
    fn a_column_that_comes_in_every_other_object_stays_expected() {
        assert!(expected((0..1000).map(|at| at % 2)).iter().all(|&column| column == 0));
        assert!(expected((0..1000).map(|at| if at % 2 == 0 { 0 } else { at % 7 })).iter().all(|&column| column == 0));
    }

    #[test]
    fn columns_in_any_order_replace_none() {
        assert!(expected((0..1000).map(|at| 1 + at % 3)).iter().all(|&column| column == 0));
    }

    #[test]
    fn an_object_that_is_read_again_at_an_earlier_place_votes_too() {
        let mut successor = Successor::default();
        let votes = [7, 8, 9, 10, 3, 4, 5, 6].map(|place| successor.vote(1, place));
        assert_eq!(votes.iter().position(|&is_elected| is_elected), Some(VOTES - 1));
    }
}

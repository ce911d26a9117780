//! Which column is expected after another, or first.
//!
//! Where members are only left out at times another key says little: the one that comes in most objects is still the
//! one to expect. So a column is replaced only by one that came in its place in most of the last objects.

use crate::rows::columns::members::NONE;

/// So many times one column has to have come, less the times that another did, before it is expected.
const VOTES: usize = 8;

/// It has to have come so often within so many objects: in two of three.
const OBJECTS: usize = VOTES + VOTES / 2;

#[derive(Debug)]
pub(in crate::rows::columns) struct Successor {
    /// The column, or [`NONE`].
    pub(in crate::rows::columns) column: usize,
    /// The one that may replace it, by the majority vote of Boyer and Moore.
    candidate: usize,
    votes: usize,
    /// The place of the object with its first vote.
    since: usize,
}

impl Default for Successor {
    fn default() -> Self {
        Self { column: NONE, candidate: NONE, votes: 0, since: 0 }
    }
}

impl Successor {
    /// Takes note that `column` came instead, in the object at `place`. Gives whether it is to be expected from here on.
    pub(super) fn is_outvoted(&mut self, column: usize, place: usize) -> bool {
        if self.votes == 0 {
            (self.candidate, self.since) = (column, place);
        }
        if self.candidate != column {
            self.votes -= 1;
            return false;
        }
        self.votes += 1;
        if self.votes < VOTES {
            return false;
        }
        self.votes = 0;
        // A row that is read again may be before it.
        place.saturating_sub(self.since) < OBJECTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which column is expected after each object, where these come in the place of column 0.
    fn expected(columns: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut successor = Successor { column: 0, ..Successor::default() };
        let columns = columns.into_iter().enumerate();
        let learn = |(place, column)| {
            if column != successor.column && successor.is_outvoted(column, place) {
                successor.column = column;
            }
            successor.column
        };
        columns.map(learn).collect()
    }

    #[test]
    fn a_column_that_no_longer_comes_is_outvoted_by_the_one_that_does() {
        let first = |columns: Vec<usize>, column| expected(columns).iter().position(|&at| at == column);
        assert_eq!(first(vec![1; 100], 1), Some(VOTES - 1));
        // Others that come now and then do not keep it from that.
        let columns = (0..100).map(|at| if at % 5 == 4 { 2 } else { 1 }).collect();
        assert!(first(columns, 1).is_some_and(|at| at < OBJECTS));
    }

    #[test]
    fn a_column_that_comes_in_every_other_object_stays_expected() {
        assert!(expected((0..1000).map(|at| at % 2)).iter().all(|&column| column == 0));
        assert!(expected((0..1000).map(|at| if at % 2 == 0 { 0 } else { at % 7 })).iter().all(|&column| column == 0));
    }

    #[test]
    fn columns_in_any_order_outvote_none() {
        assert!(expected((0..1000).map(|at| 1 + at % 3)).iter().all(|&column| column == 0));
    }

    #[test]
    fn an_object_that_is_read_again_at_an_earlier_place_is_one_vote_more() {
        let mut successor = Successor::default();
        assert!(!successor.is_outvoted(1, 7));
        assert!(!successor.is_outvoted(1, 3));
    }
}

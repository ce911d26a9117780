//! The notes of tables that are put together.

use hashbrown::HashSet;

use crate::rows::finish::counting_notes::{left_out_by, on_left_out, on_surrogates, surrogates_in};
use crate::rows::finish::notes::{Remark, Remarks};
use crate::rows::table::Note;

/// Each note once; what some of them count is counted together.
#[derive(Debug, Default)]
pub(super) struct JoinedNotes<'n> {
    told: HashSet<&'n Note>,
    remarks: Remarks,
    lone_surrogates: u64,
    /// The most that one table left out. Of two tables these may be the same: mostly they are pages of one result.
    left_out: usize,
}

impl<'n> JoinedNotes<'n> {
    pub(super) fn add(&mut self, note: &'n Note) {
        if let Some(count) = surrogates_in(note) {
            self.lone_surrogates += count;
        } else if let Some(count) = left_out_by(note) {
            self.left_out = self.left_out.max(count);
        } else if self.told.insert(note) {
            self.remarks.push(Remark::of_note(note.clone()));
        }
    }

    pub(super) fn into_list(self) -> Vec<Note> {
        let (remarks, left_out) = self.remarks.into_list();
        let notes = remarks.into_iter().map(|remark| remark.note);
        let left_out = on_left_out(self.left_out + left_out, self.left_out > 0);
        notes.chain(on_surrogates(self.lone_surrogates)).chain(left_out).collect()
    }
}

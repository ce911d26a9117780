//! What a body may have been meant as, where nobody said what it is: in notes, and in errors that name both ways.

use super::reader::{DATA, EnvelopeReader, OF_RESULTS};
use super::sniff::Body;
use crate::rows::clipped::{MAX_NAME, clipped};
use crate::rows::options::Form;
use crate::rows::table::Note;

/// How many members are named; the others are counted.
const NAMED: usize = 3;

/// The way out if the object was meant as a row.
const AS_LINES: &str = "with `format=\"lines\"` one object is one row";

/// The way out if the objects in its `data` were meant as rows.
const AS_RESULTS: &str = "with `format=\"results\"` the objects in `data` are the rows";

/// The way out where the rows stand deeper.
const IN_DATA: &str = "with `record_path=[\"data\", ...]`, the names that lead to an array, its objects are the rows";

/// What became of an object that has an array `data` beside members of its own.
const IS_ROW_WITH_DATA: &str = "read as one row, for nothing beside its array `data` is what results have \
     (`status`, `row_count`, `job_id`)";

/// What is said of one with an array of objects under another name.
const IS_ROW_WITH_OBJECTS: &str = "read as one row, with an array of objects in one of its cells; with \
     `record_path=` and the names that lead to that array its objects are the rows";

/// What became of an object with a `status` and a `row_count`.
const IS_ROW_LIKE_RESULTS: &str =
    "read as one row: it has `status` and `row_count` as results have, but other members and no `data`";

impl EnvelopeReader {
    /// A complaint about a results object, which it may not have been meant to be.
    pub(in crate::rows) fn as_results(&self, message: &str) -> String {
        if self.form == Form::Any { format!("{message} ({AS_LINES})") } else { message.to_owned() }
    }

    /// What is wrong with a `data` that is not an array.
    pub(super) fn no_array(&self, first: u8) -> String {
        const MESSAGE: &str = "`data` has to be an array of rows";
        if self.form == Form::Any && first == b'{' {
            format!("{MESSAGE} ({IN_DATA}; {AS_LINES})")
        } else {
            self.as_results(MESSAGE)
        }
    }

    /// What is said of an object without an array of rows where names were to lead to it.
    pub(super) fn no_records(&self, path: &[String]) -> String {
        let names: Vec<String> = path.iter().map(|name| format!("`{}`", clipped(name, MAX_NAME))).collect();
        let object = self.outer.len().checked_sub(1).map_or("the object", |last| &names[last]);
        let there = named(self.seen.iter().map(String::as_str).collect());
        let there = if there.is_empty() { "nothing".to_owned() } else { there };
        let is_dotted = path.len() == 1 && path[0].contains('.');
        let hint = if is_dotted { "; names that lead on from one to the next are a list of them" } else { "" };
        format!(
            "no array of rows at `record_path`, which is {}; in {object} there is {there}{hint}",
            names.join(", then ")
        )
    }

    /// What is wrong with an object that was taken for results by its array `data` alone, where what came after that
    /// makes a row of it: rows would be read, and the rest be lost.
    pub(super) fn foreign_member(&self) -> Option<String> {
        let has = |names: &[&str]| names.iter().any(|name| self.seen.contains(*name));
        if self.form != Form::Any || !self.is_wrapped || has(&OF_RESULTS) {
            return None;
        }
        let foreign = self.seen.iter().filter(|name| *name != DATA).min()?;
        let foreign = clipped(foreign, MAX_NAME);
        Some(format!("`{foreign}` stands beside `data`, and nothing that results have ({AS_RESULTS}, {AS_LINES})"))
    }

    /// What is to be said where nobody said that the body is results and it may have been meant as something else.
    pub(in crate::rows) fn doubt(&self) -> Option<Note> {
        match self.sniffed? {
            Body::RowWithData => Some(Note::on_table(format!("{IS_ROW_WITH_DATA}; {AS_RESULTS}"))),
            Body::RowWithObjects => Some(Note::on_table(IS_ROW_WITH_OBJECTS)),
            Body::RowLikeResults => Some(Note::on_table(IS_ROW_LIKE_RESULTS)),
            Body::Results => self.left_out(),
            Body::Lines => None,
        }
    }

    /// Members beside the rows that are in no table, where they may have been a row together.
    fn left_out(&self) -> Option<Note> {
        let is_certain = self.envelope.status.as_deref() == Some("completed") || self.envelope.row_count.is_some();
        if self.form != Form::Any || !self.is_wrapped || is_certain {
            return None;
        }
        let mut others: Vec<&str> = self.seen.iter().map(String::as_str).collect();
        others.retain(|name| *name != DATA && !OF_RESULTS.contains(name));
        let has_others = !others.is_empty();
        let others = named(others);
        has_others.then(|| {
            Note::on_table(format!("{others} beside `data` in the results object: not in the table ({AS_LINES})"))
        })
    }
}

/// The first of these names, and how many there are besides.
fn named(mut names: Vec<&str>) -> String {
    names.sort_unstable();
    let first: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{}`", clipped(name, MAX_NAME))).collect();
    let more = if names.len() > NAMED { format!(" and {} more", names.len() - NAMED) } else { String::new() };
    format!("{}{more}", first.join(", "))
}

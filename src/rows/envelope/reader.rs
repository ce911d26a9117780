//! The steps from the beginning of a body to each of its rows, and after the last of them to its end.
//!
//! Each takes a whole member, a whole row, or one mark between them, so that a window that ends in the middle costs no
//! more than taking the step again.

use std::sync::Arc;

use hashbrown::HashSet;

use super::sniff::{Body, sniff};
use crate::rows::clipped::{MAX_NAME, clipped};
use crate::rows::json::cursor::{Cursor, ReadResult, Stop};
use crate::rows::json::number::Number;
use crate::rows::json::skip;
use crate::rows::json::step::{key, next_member};
use crate::rows::json::unexpected::Expected;
use crate::rows::options::Form;

/// What some put in front of UTF-8, and means nothing there.
pub const BOM: &[u8] = b"\xef\xbb\xbf";

/// What an envelope says of its rows, and where they are.
pub(super) const OF_RESULTS: [&str; 3] = ["status", "row_count", "job_id"];
pub(super) const DATA: &str = "data";

/// The members an envelope may have before it is taken for something else.
const MAX_MEMBERS: usize = 1000;

/// What stood around the rows (section 4.3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Envelope {
    pub status: Option<String>,
    /// `job_id` or `id`, where the answer names the job.
    pub job_id: Option<String>,
    pub row_count: Option<u64>,
    /// Whether there was a `data` array at all: results asked for too early have none in some deployments.
    pub has_data: bool,
}

/// Where the reader stands between two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// After the `{` of the envelope, or after one of its members.
    Member {
        is_first: bool,
    },
    /// In the array of rows.
    Row {
        is_first: bool,
    },
    /// Between lines.
    Line {
        needs_break: bool,
    },
    End,
}

/// What the next step is.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::rows) enum Next {
    /// A row starts at the cursor.
    Row,
    /// Something else was taken; ask again.
    Moved,
    /// Nothing but white space may follow.
    End,
}

#[derive(Debug, Clone)]
pub(in crate::rows) struct EnvelopeReader {
    pub(in crate::rows) envelope: Envelope,
    pub(super) form: Form,
    state: State,
    /// Whether the array of rows stands in an envelope.
    pub(super) is_wrapped: bool,
    /// What the body is, where that was not said.
    pub(super) sniffed: Option<Body>,
    /// The members met so far of the object that is read.
    pub(super) seen: HashSet<String>,
    /// Those of the objects around it, from the outermost on: each was entered by a name of [`Form::Records`].
    pub(super) outer: Vec<HashSet<String>>,
}

impl EnvelopeReader {
    pub(in crate::rows) fn new(form: Form) -> Self {
        Self {
            envelope: Envelope::default(),
            form,
            state: State::Start,
            is_wrapped: false,
            sniffed: None,
            seen: HashSet::new(),
            outer: Vec::new(),
        }
    }

    /// What is said of an object without rows.
    pub(in crate::rows) fn no_rows(&self) -> String {
        match &self.form {
            Form::Records(path) => self.no_records(path),
            _ => self.as_results("the results object has no `data`"),
        }
    }

    /// Whether an envelope closed without rows, and without a status that explains it to a caller who asked for
    /// results.
    pub(in crate::rows) fn lacks_data(&self) -> bool {
        let is_pending = self.envelope.status.as_deref().is_some_and(|status| status != "completed");
        let is_explained = is_pending && self.form == Form::Answer;
        self.state == State::End && !self.envelope.has_data && !is_explained
    }

    /// Whether there is nothing in a body that ends with this window.
    pub(in crate::rows) fn is_blank(&self, window: &[u8]) -> bool {
        self.state == State::Start && window.strip_prefix(BOM).unwrap_or(window).trim_ascii().is_empty()
    }

    pub(in crate::rows) fn is_in_rows(&self) -> bool {
        matches!(self.state, State::Row { .. } | State::Line { .. })
    }

    /// What is at the cursor between two steps, in words.
    pub(in crate::rows) fn place_name(&self) -> &'static str {
        match self.state {
            State::Start => "the object it begins with",
            State::Row { .. } | State::Line { .. } => "a row",
            State::Member { .. } | State::End => "something around the rows",
        }
    }

    /// A reader that stands as this one does, where that is between two rows.
    pub(in crate::rows) fn between_rows(&self) -> Option<Self> {
        let twin = || Self { state: self.state, is_wrapped: self.is_wrapped, ..Self::new(self.form.clone()) };
        self.is_between_rows().then(twin)
    }

    pub(in crate::rows) fn is_between_rows(&self) -> bool {
        matches!(self.state, State::Row { is_first: false } | State::Line { needs_break: true })
    }

    /// Takes the next step; a row itself is left to the caller, who says so by [`EnvelopeReader::took_row`].
    #[inline]
    pub(in crate::rows) fn step(&mut self, cursor: &mut Cursor<'_>) -> ReadResult<Next> {
        // Mostly a row follows another, with nothing but one byte in between.
        let rest = cursor.bytes.get(cursor.at..).unwrap_or_default();
        let is_next_row = match self.state {
            State::Row { is_first: false } => rest.starts_with(b",{"),
            State::Line { needs_break: true } => rest.starts_with(b"\n{"),
            _ => false,
        };
        if is_next_row {
            cursor.at += 1;
            return Ok(Next::Row);
        }
        self.other_step(cursor)
    }

    /// A step to anything but a row right after another.
    #[inline(never)]
    fn other_step(&mut self, cursor: &mut Cursor<'_>) -> ReadResult<Next> {
        match self.state {
            State::Row { is_first } => self.row(cursor, is_first),
            State::Line { needs_break } => line(cursor, needs_break),
            State::Start => self.start(cursor),
            State::Member { is_first } => self.member(cursor, is_first),
            State::End => match cursor.peek_token() {
                Ok(_) if self.form == Form::Any && self.is_wrapped => {
                    Err(cursor.bad("text after the end of the results object (lines of rows are read as `lines`)"))
                }
                Ok(_) => Err(cursor.unexpected(Expected::End)),
                Err(_) => Ok(Next::End),
            },
        }
    }

    #[inline]
    pub(in crate::rows) fn took_row(&mut self) {
        self.state = match self.state {
            State::Line { .. } => State::Line { needs_break: true },
            _ => State::Row { is_first: false },
        };
    }

    fn start(&mut self, cursor: &mut Cursor<'_>) -> ReadResult<Next> {
        if cursor.bytes.len() < BOM.len() && BOM.starts_with(cursor.bytes) && !cursor.is_last {
            return Err(Stop::NeedMore);
        }
        if cursor.bytes.starts_with(BOM) {
            cursor.at = cursor.at.max(BOM.len());
        }
        if self.form == Form::Lines {
            self.state = State::Line { needs_break: false };
            return Ok(Next::Moved);
        }
        self.state = match (cursor.peek_token()?, &self.form) {
            (b'{', form) => {
                self.sniffed = if *form == Form::Any { Some(sniff(*cursor)?) } else { None };
                if self.sniffed.is_none_or(|body| body == Body::Results) {
                    cursor.at += 1;
                    State::Member { is_first: true }
                } else {
                    State::Line { needs_break: false }
                }
            }
            (b'[', Form::Any) => {
                cursor.at += 1;
                self.envelope.has_data = true;
                State::Row { is_first: true }
            }
            (_, Form::Answer | Form::Results) => return Err(cursor.unexpected(Expected::Results)),
            (_, Form::Records(_)) => return Err(cursor.unexpected(Expected::Outer)),
            _ => return Err(cursor.unexpected(Expected::Body)),
        };
        Ok(Next::Moved)
    }

    fn row(&mut self, cursor: &mut Cursor<'_>, is_first: bool) -> ReadResult<Next> {
        match cursor.peek_token()? {
            b']' => {
                cursor.at += 1;
                self.state = if self.is_wrapped { State::Member { is_first: false } } else { State::End };
                Ok(Next::Moved)
            }
            b',' if !is_first => {
                cursor.at += 1;
                cursor.peek_token()?;
                Ok(Next::Row)
            }
            byte if is_first && byte != b'{' && self.is_wrapped => Err(self.no_row(cursor)),
            _ if is_first => Ok(Next::Row),
            _ => Err(cursor.unexpected(Expected::AfterRow)),
        }
    }

    /// Takes a member of an object in which names lead to the rows.
    fn record_member(&mut self, cursor: &mut Cursor<'_>, path: &[String], key: String, next: u8) -> ReadResult<Next> {
        let level = self.outer.len();
        let (is_named, is_last) = (path[level] == key, level + 1 == path.len());
        match next {
            b'[' if is_named && is_last => {
                self.seen.insert(key);
                self.enter_rows(cursor);
            }
            b'{' if is_named && !is_last => {
                self.seen.insert(key);
                cursor.at += 1;
                self.outer.push(std::mem::take(&mut self.seen));
                self.state = State::Member { is_first: true };
            }
            _ if is_named => {
                let wanted = if is_last { "an array of rows" } else { "an object" };
                let Some(kind) = kind(next) else { return Err(cursor.unexpected(Expected::Value)) };
                let message = format!("`{}` of `record_path` has to be {wanted}, not {kind}", clipped(&key, MAX_NAME));
                return Err(cursor.bad(message));
            }
            _ => {
                skip::value(cursor, level + 1)?;
                self.seen.insert(key);
                self.state = State::Member { is_first: false };
            }
        }
        Ok(Next::Moved)
    }

    /// Goes into the array of rows at the cursor.
    fn enter_rows(&mut self, cursor: &mut Cursor<'_>) {
        cursor.at += 1;
        self.is_wrapped = true;
        self.envelope.has_data = true;
        self.state = State::Row { is_first: true };
    }

    /// The fault that the first row of a results object is none.
    #[cold]
    fn no_row(&self, cursor: &Cursor<'_>) -> Stop {
        match cursor.unexpected(Expected::Row) {
            Stop::Bad(fault) => Cursor::bad_at(fault.at, self.as_results(&fault.message)),
            other => other,
        }
    }

    fn member(&mut self, cursor: &mut Cursor<'_>, mut is_first: bool) -> ReadResult<Next> {
        if !next_member(cursor, &mut is_first)? {
            return self.object_ended(cursor);
        }
        let (key, at) = key(cursor)?;
        if self.seen.contains(&key) {
            let message = format!("`{}` appears twice in {}", clipped(&key, MAX_NAME), self.object_name());
            return Err(Cursor::bad_at(at, message));
        }
        if self.seen.len() >= MAX_MEMBERS {
            return Err(Cursor::bad_at(at, format!("more than {MAX_MEMBERS} members in {}", self.object_name())));
        }
        let next = cursor.peek_token()?;
        if let Form::Records(path) = &self.form {
            let path = Arc::clone(path);
            return self.record_member(cursor, &path, key, next);
        }
        self.result_member(cursor, key, next)
    }

    /// What the object is called whose members are read.
    fn object_name(&self) -> &'static str {
        if matches!(self.form, Form::Records(_)) { "the object around the rows" } else { "the results object" }
    }

    /// Goes on after the end of the object whose members were read.
    fn object_ended(&mut self, cursor: &Cursor<'_>) -> ReadResult<Next> {
        if !self.outer.is_empty() && !self.envelope.has_data {
            // No other object can come where the names lead.
            return Err(cursor.bad(self.no_rows()));
        }
        if let Some(outer) = self.outer.pop() {
            (self.seen, self.state) = (outer, State::Member { is_first: false });
            return Ok(Next::Moved);
        }
        self.state = State::End;
        self.foreign_member().map_or(Ok(Next::Moved), |message| Err(cursor.bad(message)))
    }

    /// Takes a member of the results object.
    fn result_member(&mut self, cursor: &mut Cursor<'_>, key: String, next: u8) -> ReadResult<Next> {
        match key.as_str() {
            // Rows that are not there yet are told of as `null`, too.
            DATA if next == b'n' && self.form == Form::Answer => drop(cursor.literal()?),
            DATA => {
                if next != b'[' {
                    return Err(cursor.bad(self.no_array(next)));
                }
                self.seen.insert(key);
                self.enter_rows(cursor);
                return Ok(Next::Moved);
            }
            "row_count" => self.envelope.row_count = row_count(cursor, next)?,
            "status" | "job_id" | "id" if next == b'"' => {
                let text = cursor.string()?;
                match key.as_str() {
                    "status" => self.envelope.status = Some(text),
                    "job_id" => self.envelope.job_id = Some(text),
                    _ => self.envelope.job_id = self.envelope.job_id.take().or(Some(text)),
                }
            }
            // A body that was not asked for as a job's results need not be the service's.
            "status" if self.form == Form::Answer => return Err(cursor.bad("`status` has to be a string")),
            _ => skip::value(cursor, 1)?,
        }
        self.seen.insert(key);
        self.state = State::Member { is_first: false };
        Ok(Next::Moved)
    }
}

/// What a value is that begins so, in words; `None` where none does.
fn kind(first: u8) -> Option<&'static str> {
    Some(match first {
        b'{' => "an object",
        b'[' => "an array",
        b'"' => "a string",
        b'n' => "null",
        b't' | b'f' => "true or false",
        b'-' | b'0'..=b'9' => "a number",
        _ => return None,
    })
}

/// A row on a line of its own, or the end.
fn line(cursor: &mut Cursor<'_>, needs_break: bool) -> ReadResult<Next> {
    let before = cursor.at;
    match cursor.peek_token() {
        Err(_) if cursor.is_last => Ok(Next::End),
        Err(stop) => Err(stop),
        Ok(_) if needs_break && !cursor.bytes[before..cursor.at].contains(&b'\n') => {
            Err(cursor.unexpected(Expected::LineEnd))
        }
        Ok(_) => Ok(Next::Row),
    }
}

fn row_count(cursor: &mut Cursor<'_>, next: u8) -> ReadResult<Option<u64>> {
    let at = cursor.at;
    if next == b'n' {
        return cursor.literal().map(|_| None);
    }
    let number = if next == b'-' || next.is_ascii_digit() { Some(cursor.number()?) } else { None };
    match number {
        Some(Number::Int(count)) if count >= 0 => Ok(Some(count as u64)),
        Some(Number::UInt(count)) => Ok(Some(count)),
        Some(Number::Huge(text)) if text[0] != b'-' => {
            Err(Cursor::bad_at(at, "`row_count` is more rows than any body holds"))
        }
        _ => Err(Cursor::bad_at(at, "`row_count` has to be an integer that is not negative")),
    }
}

//! Column builders: values go in as they are read, and a column that meets another kind moves to a storage that holds
//! both and goes on.
//!
//! A column may be shorter than its table: rows that do not have it are filled with nulls when its next value comes, so
//! that a sparse column costs nothing in the rows that lack it. Where many rows lack an object, its members have no
//! places for these rows at all until the segment is sealed. A finished array of text or lists has an offset for each
//! row.
//!
//! Reading is optimistic: values go into columns before it is known that their row is whole and valid. So what a row
//! changes remembers the attempt that changed it, and [`Members::undo`] takes it back where the row is cut off, refused
//! or has to be read another way. Attempts count from 1, and to read a row again is a new one; 0 stands for none.
//!
//! In reading order:
//!
//! - `facts`: what was seen in a column, and so which storage holds it; `shape`: the same of all that is in it, without
//!   values;
//! - `column`: a column, and how values go in; `store`: where they are held: numbers and booleans as they are,
//!   `strings`, `lists` (both with `offsets`), and `members`, the members of objects and the columns of the
//!   table, each a `member` with its name; all of them `gapped`, for there may be far more nulls than values;
//! - `read`: a value of the body straight into its column; `read_object`: the members of one, which a row is, too;
//!   `keys`: the column of each; `numbers_at_once`: numbers that teach nothing, by the quick readers of `json`;
//!   `context`: what all reading shares; `count`: how many columns and cells that makes; `reserve`: what is taken
//!   beforehand for values to come;
//! - `widen`: the move to a wider storage; `undo`: taking a row back, with what it taught; `json_text`: values as text,
//!   for columns that mix kinds;
//! - `seal`: no other value comes; `segment`: the sealed columns of some rows; `arrow`: columns as Arrow arrays, and
//!   the way back.

mod facts;
mod shape;

mod column;
mod gapped;
mod lists;
mod member;
mod members;
mod offsets;
mod store;
mod strings;

mod context;
mod count;
mod keys;
mod numbers_at_once;
mod read;
mod read_object;
mod reserve;

mod json_text;
mod undo;
mod widen;

mod arrow;
mod seal;
mod segment;

pub(super) use arrow::{NoValues, arrays, may_be_shared};
pub(super) use column::Column;
pub(super) use context::Context;
pub(super) use count::{Counts, MAX_COLUMNS_IN_ALL};
pub(super) use facts::{Facts, MAX_STRUCT_KEYS, StorageKind};
pub(super) use gapped::Gapped;
pub(super) use json_text::{JsonTexts, Outline, PointerBudget};
pub(super) use lists::List;
pub(super) use member::Member;
pub(super) use members::Members;
pub(super) use reserve::ReserveBudget;
pub(super) use segment::Segment;
pub(super) use shape::{MemberShapes, Shape, has_become_text, merge_members};
pub(super) use store::Store;
pub(super) use strings::Strings;

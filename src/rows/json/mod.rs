//! JSON, a value at a time. Rows and columns are known only to the words of faults (`unexpected`), to the reasons to
//! stop that `columns` gives ([`cursor::Stop`]), and to what is counted (`tally`).
//!
//! Everything is read from a window on a body that may go on: one that ends within a value is no fault but
//! [`Stop::NeedMore`](cursor::Stop::NeedMore), and whoever reads comes back to the same place with more of the body.
//!
//! In reading order:
//!
//! - `cursor`: a place in the window, and the small steps from it;
//! - `scan`: SIMD that finds what ends or breaks a string, with its safe twin; `lanes`: small steps on 64 bytes at
//!   once, for the parts of `escape` and `utf8` that only some machines have;
//! - `text`: strings, by way of `escape` where they have any and `utf8` where they are not ASCII;
//! - `number`: exact numbers, by way of `digits` (eight at a time), `decimal` (fractions) and `any_float` (what that
//!   leaves); `number_at_once` and `small_integers`: quick ways for most of them;
//! - `step`: from element to element, and from member to member; `skip`: over values, and `brackets`: the same
//!   unchecked; `tally`: what is counted of them;
//! - `unexpected`: what stands in place of what has to be there, in words;
//! - `canonical`: a value of the body as canonical JSON text, and `number_text`, that of a number.
//!
//! The quick ways, each of which takes nothing where it cannot take what it knows; in which order they are tried
//! stands in `columns::numbers_at_once`:
//!
//! | quick way | what it takes |
//! |---|---|
//! | `small_integers` | all integers of up to 8 digits that end within the next 16 bytes, with `,` or `]` after them |
//! | `integer_at_once` | an integer of up to 15 digits; `long_integer_at_once`: of 16 to 19, within `i64` |
//! | `decimal_at_once` | up to 15 digits, up to 8 of them before the point; or what the last can, less an exponent |
//! | the same, if asked | also an integer of up to 8 digits without a sign |
//! | `decimal_marked` | the same as `decimal_at_once`, found among marks of several numbers |
//! | `scientific_at_once` | a `u64` in all, up to 7 digits before the last 16 decimals, and an exponent of up to 3 |
//!
//! Decimals that are rounded ([`number::Number::Rounded`]) they read only where they may. They load those bytes at once
//! and find the end with hardly a branch; `number` looks at each digit before the point. They are tried on x86-64
//! alone: see [`scan::FINDS_DIGITS_AT_ONCE`]. `Cursor::boolean_at_once`, which is tried on every machine, does not
//! branch on which of `true` and `false` stands there.

pub(in crate::rows) mod cursor;

#[cfg(target_arch = "x86_64")]
mod lanes;
pub(in crate::rows) mod scan;

pub(in crate::rows) mod escape;
pub(in crate::rows) mod text;
mod utf8;

mod any_float;
pub(super) mod decimal;
pub(in crate::rows) mod digits;
pub(in crate::rows) mod number;
pub(in crate::rows) mod number_at_once;
pub(in crate::rows) mod small_integers;

pub(in crate::rows) mod brackets;
pub(in crate::rows) mod skip;
pub(in crate::rows) mod step;
pub(in crate::rows) mod tally;

pub(in crate::rows) mod unexpected;

pub(in crate::rows) mod canonical;
pub(in crate::rows) mod number_text;

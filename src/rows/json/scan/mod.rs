//! Finding the end of a stretch of plain text or of digits, and punctuation, sixteen bytes or more at a time where the
//! machine can; and what number so many digits are.
//!
//! A byte is *special* if it ends or breaks a string: a quote, a backslash or a control character. It is *plain* if it
//! is ASCII and not special. `find_not_plain` takes fewer steps than `find_special`, and most text is ASCII, so `text`
//! tries it first where nothing is known of the bytes yet, and goes on with the other from the first that is not ASCII.
//!
//! - `special`: the two kinds told byte by byte; `marks`: what is marked in a block;
//! - `sse2`: all of it on x86-64;
//! - `portable`: the safe twins, which other machines run and which the tests hold these against.

mod marks;
mod special;

#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;

pub(in crate::rows) use marks::{BLOCK, Elements, FINDS_DIGITS_AT_ONCE, LANES, Punctuation};
#[cfg(not(target_arch = "x86_64"))]
pub(in crate::rows) use portable::{
    elements_in, find_not_plain, find_special, last_digits_in, not_digits_in, not_plain_in, points_in, punctuation_in,
    special_in,
};
#[cfg(target_arch = "x86_64")]
pub(in crate::rows) use sse2::{
    elements_in, find_not_plain, find_special, last_digits_in, not_digits_in, not_plain_in, points_in, punctuation_in,
    special_in,
};

//! Escapes taken out of strings.
//!
//! Text comes with a few short escapes, line ends and quotes most of all, and from services that send only ASCII with a
//! `\u` escape for each letter of other scripts: some in a line of French, nothing else in one of Japanese.
//!
//! A string is laid out where it is to stay or, for a moment, in [`Unescaped`].
//!
//! - `blocks`: laying out, a block of 64 bytes after the other;
//! - `at_once`: all escapes of a block without a branch on where they stand, on machines with AVX-512;
//! - `one_by_one`: its safe twin, which other machines run and which takes the blocks that the first leaves;
//! - `single`: one escape, and what it stands for.

mod blocks;
mod unescaped;

#[cfg_attr(not(target_arch = "x86_64"), path = "at_once_elsewhere.rs")]
mod at_once;
mod one_by_one;

mod single;

pub(super) use blocks::{append_blocks, append_plain, push};
pub(in crate::rows) use single::escape;
pub(in crate::rows) use unescaped::Unescaped;

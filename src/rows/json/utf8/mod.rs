//! Whether the bytes of strings are UTF-8.
//!
//! - `checked`: what of a window was found to be UTF-8, a string at a time or further ahead;
//! - `at_once`: the check itself on machines with AVX-512; on others simdutf8 checks.

mod checked;

#[cfg_attr(not(target_arch = "x86_64"), path = "at_once_elsewhere.rs")]
mod at_once;

pub(in crate::rows) use checked::Checked;

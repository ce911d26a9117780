//! Memory for what lasts: vectors that values are read into, and arenas from which buffers of known length are cut.
//!
//! Fresh memory costs more than what is written into it, for the system finds and clears it page by page. So what was
//! let go of is kept for a while (`free_list`), and what is new comes in one go (`mapping`). What a buffer keeps alive
//! is the slab it was cut from, so the slabs of an arena are no larger than a huge page. They grow with what was taken,
//! so that a small table takes little.
//!
//! In reading order:
//!
//! - `values`: vectors that grow value by value, and become Arrow's where they lie; `append`: many bytes at their end;
//!   `tail`: bytes after them that may become theirs;
//! - `arena`: what finished columns and other layouts ask; `piece`: what they get, a buffer that is written once and
//!   becomes Arrow's where it lies, too; `lines`: a large one that is written from its beginning to its end, and
//!   `non_temporal`: how;
//! - `allocation`: from the allocator or the system, whichever is better at that size; `mapping`: pages from the
//!   system, `huge_pages` where those are quick; `heap`: what the allocator keeps;
//! - `free_list`: pages that were let go of, for the next table.
//!
//! What is mostly left as it comes has a slab of its own: see [`Arena::barely_written`].

mod append;
mod tail;
mod values;

mod arena;
mod lines;
#[cfg_attr(not(target_arch = "x86_64"), path = "non_temporal_elsewhere.rs")]
mod non_temporal;
mod piece;

mod allocation;
mod heap;
#[cfg(target_os = "linux")]
mod huge_pages;
#[cfg_attr(not(target_os = "linux"), path = "mapping_elsewhere.rs")]
mod mapping;

mod free_list;

pub(super) use append::{append_bytes, append_loaded};
pub(super) use arena::Arena;
pub(super) use free_list::trim_to_a_batch;
pub(super) use heap::raise_trim_threshold;
pub(super) use lines::{LARGE, Lines};
pub(super) use piece::{PAGE, Piece};
pub(super) use tail::Tail;
pub(super) use values::{Pages, Values, freeze};

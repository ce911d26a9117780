//! Memory for what lasts: vectors that values are read into, and slabs from which buffers of known length are cut.
//!
//! Fresh memory costs more than what is written into it, for the system finds and clears it page by page. So what was
//! let go of is kept for a while (`free_list`), and what is new comes in one go (`mapping`). What a buffer keeps alive
//! is the slab it was cut from, so slabs are no larger than a huge page. They grow with what was taken, so that a small
//! table takes little.
//!
//! In reading order:
//!
//! - `values`: vectors that grow value by value, and become Arrow's where they lie; `append`: many bytes at their end;
//! - `slabs`: what finished columns and other layouts ask; `piece`: what they get, a buffer that is written once and
//!   becomes Arrow's where it lies, too; `lines`: a large one that is written from its beginning to its end, and
//!   `non_temporal`: how;
//! - `memory`: from the allocator or the system, whichever is better at that size; `mapping`: pages from the system;
//!   `heap`: what the allocator keeps;
//! - `free_list`: pages that were let go of, for the next table.
//!
//! What is mostly left as it comes has slabs of its own: see [`Slab::barely_written`].

mod slabs;

mod append;
mod heap;
mod lines;
mod piece;
mod values;

#[cfg_attr(not(target_os = "linux"), path = "mapping_elsewhere.rs")]
mod mapping;
mod memory;

mod free_list;
#[cfg_attr(not(target_arch = "x86_64"), path = "non_temporal_elsewhere.rs")]
mod non_temporal;

pub(super) use append::{append_bytes, append_loaded};
pub(super) use free_list::keep_for_a_batch;
pub(super) use heap::keep_ends;
pub(super) use lines::{LARGE, Lines};
pub(super) use piece::{PAGE, Piece};
pub(super) use slabs::Slab;
pub(super) use values::{Pages, Values, freeze};

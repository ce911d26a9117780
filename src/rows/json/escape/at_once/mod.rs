//! All escapes of a block at once, whatever they are and wherever they stand, where the machine has AVX-512 (VBMI2).
//!
//! Every byte of the result is made in the lane of a byte of its escape; then the lanes that have none are left out.
//!
//! A block that ends within an escape is read up to its backslash, and the next begins there. While there are none but
//! short escapes, blocks follow each other every 64 bytes, and an escape may lie in two: none waits for where another
//! ends.
//!
//! - `append`: from block to block;
//! - `block`: one of them, where its escapes are and what they stand for; `encode`: `\u` escapes in UTF-8.

mod append;
mod block;
mod encode;

pub(super) use append::append;

//! Speculative decoding on other cores: chunks are read ahead, and their rows taken over only where that is proved
//! right.
//!
//! 1. `head` says, from the beginning of a body, whether other threads pay.
//! 2. `chunks` cuts what follows where `boundary` takes a row to end, which may be a wrong guess. Bytes that are fed
//!    collect in [`Handover`]; of a body that is there as a whole, chunks are parts where they lie.
//! 3. [`Workers`](super::threads::Workers) read each chunk as if it stood between two rows (`read_chunk`); `in_flight`
//!    keeps them in order.
//! 4. `in_order` gives them to the sequential reading in that order. If it stands between two rows exactly where the
//!    chunk begins, then what was read ahead is what it would read itself, and it takes the rows over. If not, if a
//!    limit may be met, or where that is quicker, it reads those bytes itself, and so every fault is found by it.
//! 5. `track_record` counts the chunks that failed, and says when to stop reading ahead.
//!
//! A wrong guess costs time and changes nothing. The thread that feeds reads chunks, too, rather than wait for one. As
//! many chunks are held as there are threads, at least three, and two more: the one given out last and the one filling.

mod head;

mod chunks;

mod boundary;
mod in_flight;

mod read_chunk;

mod in_order;
mod track_record;

pub(super) use chunks::Handover;
pub(super) use head::{Head, LONG_ROW, WhoReads};

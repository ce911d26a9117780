//! Decoding on other cores: blocks of the body are read ahead, and each is handed over only where that is proved right.
//!
//! The `head` of a body says whether that pays. Behind it the bytes that are fed collect in [`Handover`], in `blocks`;
//! of a body that is there as a whole, blocks are parts where they lie. Each is cut where `boundary` takes a row to
//! end, goes out and comes back (`in_flight`), and is read by one of the `workers` as if it stood between two rows
//! (`read_block`). They are handed over in order (`hand_over`): if the sequential reading has come to stand exactly
//! where a block begins, between two rows, then what was read ahead is what it would read itself, and it takes the rows
//! over. If not, if a limit may be near, or where that takes less time, it reads those bytes itself, and so it is the
//! one to say what is wrong with them. A guess that fails costs time and changes nothing; the `record` of how many did
//! says when to leave it.
//!
//! The thread that feeds reads blocks, too, rather than wait. A handful of blocks are held at most, whatever comes.

mod head;

mod blocks;

mod boundary;
mod in_flight;

mod read_block;
mod workers;

mod hand_over;
mod record;

pub(super) use blocks::Handover;
pub(super) use head::{Head, LONG_ROW, WhoReads};

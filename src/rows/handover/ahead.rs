//! Reading the rows of one block as if it stood between two rows of the body. Whether it does is for others to prove.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::rows::columns::Context;
use crate::rows::envelope::{EnvelopeReader, Next};
use crate::rows::json::cursor::Cursor;
use crate::rows::options::DecodeOptions;
use crate::rows::sequential::{Ahead, Known, Segments};

/// Reads whole rows up to the first thing that is none; what that is, is said by who reads it in its place. Once
/// `is_over`, nobody wants to know.
pub(super) fn read(
    block: &[u8],
    mut reader: EnvelopeReader,
    start: Known,
    options: DecodeOptions,
    is_over: &AtomicBool,
) -> Ahead {
    let mut segments = Segments::behind(start.clone(), options);
    let mut context = Context::default();
    segments.announce(block.len());
    segments.recount(&mut context);
    let mut cursor = Cursor::new(block, false);
    let mut taken = 0;
    while let Ok(Next::Row) = reader.step(&mut cursor)
        && !is_over.load(Ordering::Relaxed)
        && segments.read_row(&mut cursor, &mut context).is_ok()
    {
        reader.took_row();
        let bytes = cursor.at - std::mem::replace(&mut taken, cursor.at);
        segments.took(bytes, &mut context);
    }
    segments.seal(&mut context);
    Ahead { start, segments, context, taken }
}

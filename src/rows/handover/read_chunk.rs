//! Reading the rows of one chunk as if it stood between two rows of the body. Whether it does is for others to prove.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::rows::columns::Context;
use crate::rows::envelope::{EnvelopeReader, Next};
use crate::rows::json::cursor::Cursor;
use crate::rows::memory::Arena;
use crate::rows::options::DecodeOptions;
use crate::rows::sequential::{KnownShapes, RowsAhead, Segments, ends_chunk};

/// Reads whole rows up to the first thing that is not a row; what that is, the sequential reading will say. Once
/// `is_cancelled`, nobody wants to know; and after a row that brought very many columns the others are read by one
/// thread.
pub(super) fn read_chunk(
    chunk: &[u8],
    mut reader: EnvelopeReader,
    start: KnownShapes,
    options: DecodeOptions,
    arena: Arena,
    is_cancelled: &AtomicBool,
) -> RowsAhead {
    let mut segments = Segments::continuing(start.clone(), options).laid_out_in(arena);
    let mut context = Context::default();
    segments.set_bytes_available(chunk.len());
    segments.recount(&mut context);
    let mut cursor = Cursor::new(chunk, false);
    let mut taken = 0;
    while let Ok(Next::Row) = reader.step(&mut cursor)
        && !is_cancelled.load(Ordering::Relaxed)
        && !ends_chunk(context.counts.columns)
        && segments.read_row(&mut cursor, &mut context).is_ok()
    {
        reader.took_row();
        let bytes = cursor.at - std::mem::replace(&mut taken, cursor.at);
        segments.advance(bytes, &mut context);
    }
    segments.seal(&mut context);
    RowsAhead { start, segments, context, taken }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::options::Form;
    use crate::rows::sequential::{Adopted, Sequential};

    #[test]
    fn rows_are_taken_over_unless_they_have_columns_of_what_is_text_by_now() {
        let (objects, texts) = (r#",{"c":[{"a":3}]}"#, r#",{"b":3}"#);
        let cases = [
            (r#",{"c":[{"a":2}]}"#, objects, Adopted::Rows),
            (r#",{"c":"text"}"#, objects, Adopted::QuickerToReadAgain),
            (r#",{"c":[{"a":{}},{"a":"text"}]}"#, objects, Adopted::Rows),
            (r#",{"c":["text"]}"#, objects, Adopted::QuickerToReadAgain),
            (r#",{"c":"text"}"#, texts, Adopted::Rows),
        ];
        for (between, chunk, expected) in cases {
            let options = DecodeOptions { form: Form::Any, ..DecodeOptions::default() };
            let mut sequential = Sequential::new(options.clone());
            sequential.feed(br#"[{"c":[{"a":1}]}"#).unwrap();
            sequential.seal_and_open();
            let (reader, known) = (sequential.between_rows().unwrap(), sequential.known());
            let ahead = read_chunk(chunk.as_bytes(), reader, known, options, Arena::default(), &AtomicBool::new(false));
            assert_eq!(ahead.taken, chunk.len());
            sequential.feed(between.as_bytes()).unwrap();
            assert_eq!(sequential.adopt(ahead), expected, "{between} {chunk}");
        }
    }

    #[test]
    fn rows_are_taken_over_up_to_the_limit_of_columns_in_all() {
        let members: Vec<String> = (0..200).map(|at| format!("\"m{at}\":1")).collect();
        let row = |structs: std::ops::Range<usize>| {
            let structs: Vec<String> = structs.map(|at| format!("\"s{at}\":{{{}}}", members.join(","))).collect();
            format!(",{{{}}}", structs.join(","))
        };
        for (between, expected) in [(0..0, Adopted::Rows), (200..350, Adopted::Nothing)] {
            let options = DecodeOptions { form: Form::Any, ..DecodeOptions::default() };
            let mut sequential = Sequential::new(options.clone());
            sequential.feed(b"[{}").unwrap();
            sequential.seal_and_open();
            let (reader, known) = (sequential.between_rows().unwrap(), sequential.known());
            let chunk = row(0..200);
            let ahead = read_chunk(chunk.as_bytes(), reader, known, options, Arena::default(), &AtomicBool::new(false));
            assert_eq!(ahead.taken, chunk.len());
            sequential.feed(row(between).as_bytes()).unwrap();
            assert_eq!(sequential.adopt(ahead), expected);
        }
    }
}

//! The first pass, which learns the final schema; the last makes [`Batches`] of it. Where columns may become others
//! than they are by themselves, a pass between them sees whether every value converts.
//!
//! A column's type follows from all of its values, so nobody can hand out the first batch before the last row was seen.
//! The first pass keeps shapes and drops values; whoever drives it keeps the bytes, on disk.

use std::io::{Read, Seek};

use arrow_schema::ArrowError;

use super::batches::{Batches, Segmented};
use crate::rows::decode::Decoder;
use crate::rows::envelope::Envelope;
use crate::rows::error::DecodeError;
use crate::rows::finish::Plan;
use crate::rows::limits::Limits;
use crate::rows::memory::Arena;
use crate::rows::options::{DecodeOptions, Hold};
use crate::rows::table::Note;

/// The first pass forgets what it has read of the body once it is this much.
const SURVEYED_BYTES: usize = 2 << 20;

/// What one batch is made of at most: the one before may still be held when it is made.
const BATCH_BYTES: usize = 8 << 20;
/// How many cells one batch has at most.
const BATCH_CELLS: usize = 2 << 20;

/// Few of the cells are ever held at once, so there may be many more of them than in a table. What bounds them is time:
/// a few bytes can name ten thousand columns, and each batch has all of them.
const CELLS_PER_BYTE: u64 = 64;

/// The first pass over a body.
#[derive(Debug)]
pub struct Survey {
    options: DecodeOptions,
    decoder: Decoder,
}

/// What the first pass found.
#[derive(Debug)]
pub struct Surveyed {
    pub envelope: Envelope,
    pub row_count: u64,
    options: DecodeOptions,
    plan: Plan,
    doubt: Option<Note>,
}

impl Survey {
    pub fn new(options: DecodeOptions) -> Self {
        let surveying = DecodeOptions {
            limits: Limits {
                batch_bytes: SURVEYED_BYTES,
                // Empty ones take no memory before a batch is made of them.
                batch_cells: usize::MAX,
                cells_per_byte: options.limits.cells_per_byte.max(CELLS_PER_BYTE),
                ..options.limits.clone()
            },
            hold: Hold::Shapes,
            ..options.clone()
        };
        Self { decoder: Decoder::holding(surveying), options }
    }

    /// Takes the next bytes of the body. After an error the survey is spent.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        self.decoder.feed(bytes)
    }

    pub fn rows_read(&self) -> u64 {
        self.decoder.rows_read()
    }

    /// Leaves a thread to somebody else in this pass: see [`Decoder::spare_thread`].
    pub fn spare_thread(&mut self) {
        self.decoder.spare_thread();
    }

    /// Reads everything that was fed: see [`Decoder::drain`].
    pub fn drain(&mut self) -> Result<(), DecodeError> {
        self.decoder.drain()
    }

    /// Ends the first pass.
    pub fn finish(mut self) -> Result<Surveyed, DecodeError> {
        self.decoder.end()?;
        self.decoder.sequential.seal_and_open();
        let (plan, row_count, doubt) =
            (self.decoder.sequential.plan(), self.decoder.rows_read(), self.decoder.sequential.doubt());
        // Chunks that are read ahead are held as whole tables, so several threads are only for rows that take about as
        // much memory as their part of the body.
        let is_dense = self.options.threads > 1 && !self.decoder.sequential.had_sparse_rows();
        let options = DecodeOptions {
            limits: Limits {
                batch_bytes: self.options.limits.batch_bytes.min(BATCH_BYTES),
                batch_cells: self.options.limits.batch_cells.min(BATCH_CELLS),
                // The first pass has accepted all cells; this one refuses none.
                spare_cells: u64::MAX,
                ..self.options.limits
            },
            hold: if is_dense { Hold::Rows } else { Hold::Batch },
            ..self.options
        };
        Ok(Surveyed { envelope: self.decoder.sequential.take_envelope(), row_count, options, plan, doubt })
    }
}

impl Surveyed {
    /// The last pass: the same bytes again, as batches of the final schema.
    ///
    /// Where other types were asked for, or names that no column has, there is another pass before: only batches of the
    /// final types show whether every value converts, and which column a name may have meant. `reader` is rewound
    /// before each pass.
    pub fn batches<R: Read + Seek>(mut self, mut reader: R) -> Result<Batches<R>, ArrowError> {
        if !self.plan.conversions.need_no_values() {
            reader.rewind()?;
            let mut segments = Segmented::new(&self.options, &mut reader);
            while let Some(segment) = segments.next()? {
                let batch = self.plan.batch(segment, &mut Arena::default());
                drop(self.plan.conversions.observe(&batch));
            }
        }
        reader.rewind()?;
        Ok(Batches::new(Segmented::new(&self.options, reader), self.plan, self.doubt))
    }
}

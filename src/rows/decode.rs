//! Bytes to rows, fed as they arrive.

use super::error::DecodeError;
use super::options::DecodeOptions;
use super::table::Rows;

/// What stood around the rows (section 4.3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Envelope {
    pub status: Option<String>,
    /// `job_id` or `id`, where the answer names the job.
    pub job_id: Option<String>,
    pub row_count: Option<u64>,
    /// Whether there was a `data` array at all: results asked for too early have none in some deployments.
    pub has_data: bool,
}

/// A whole body, decoded.
#[derive(Debug)]
pub struct Decoded {
    pub rows: Rows,
    pub envelope: Envelope,
}

/// Decodes a body from its first bytes on.
#[derive(Debug)]
pub struct Decoder {
    _options: DecodeOptions,
}

impl Decoder {
    pub fn new(options: DecodeOptions) -> Self {
        Self { _options: options }
    }

    /// Takes the next bytes of the body. After an error the decoder is spent.
    pub fn feed(&mut self, _bytes: &[u8]) -> Result<(), DecodeError> {
        Ok(())
    }

    /// Whole rows read so far.
    pub fn rows_read(&self) -> u64 {
        0
    }

    /// Ends the body. A body without `data` whose `status` is not `completed` is no error: see [`Envelope::has_data`].
    pub fn finish(self) -> Result<Decoded, DecodeError> {
        Ok(Decoded { rows: Rows::empty(), envelope: Envelope::default() })
    }
}

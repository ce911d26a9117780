//! A saved body, decoded as it is read: compressed or not, which its first bytes tell.

use crate::inflate::{Broken, Coding, Inflate, Limits};
use crate::rows::{DecodeError, DecodeOptions, Decoder, Rows};

/// Whether a body begins as one does that is compressed.
pub(super) fn is_compressed(body: &[u8]) -> bool {
    Coding::of(body) != Coding::Identity
}

pub(super) struct Saved {
    decoder: Decoder,
    /// `None` until so much was read as tells what it is.
    inflate: Option<Inflate>,
    /// What was read until then.
    beginning: Vec<u8>,
}

/// Why a saved body gives no rows.
pub(super) enum Unread {
    /// It is compressed, and cannot be inflated.
    Broken(Broken),
    Rows(DecodeError),
}

impl From<Broken> for Unread {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<DecodeError> for Unread {
    fn from(error: DecodeError) -> Self {
        Self::Rows(error)
    }
}

impl Saved {
    pub(super) fn new(options: DecodeOptions) -> Self {
        Self { decoder: Decoder::new(options), inflate: None, beginning: Vec::new() }
    }

    /// Takes the next bytes. After an error it is spent.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), Unread> {
        if self.inflate.is_some() {
            return self.inflate(bytes);
        }
        // A pipe may give it byte by byte.
        if self.beginning.len() + bytes.len() < Coding::TELLING {
            self.beginning.extend_from_slice(bytes);
            return Ok(());
        }
        if self.beginning.is_empty() {
            return self.begin(bytes);
        }
        let beginning = [&std::mem::take(&mut self.beginning), bytes].concat();
        self.begin(&beginning)
    }

    /// Ends the body.
    pub(super) fn finish(mut self) -> Result<Rows, Unread> {
        if self.inflate.is_none() {
            let all = std::mem::take(&mut self.beginning);
            self.begin(&all)?;
        }
        if let Some(inflate) = &self.inflate {
            inflate.finish().map_err(|broken| broken_behind(&mut self.decoder, broken))?;
        }
        Ok(self.decoder.finish()?.rows)
    }

    fn begin(&mut self, beginning: &[u8]) -> Result<(), Unread> {
        self.inflate = Some(Inflate::new(Coding::of(beginning), Limits::Own)?);
        self.inflate(beginning)
    }

    fn inflate(&mut self, bytes: &[u8]) -> Result<(), Unread> {
        let Self { decoder, inflate: Some(inflate), .. } = self else { return Ok(()) };
        match inflate.push(bytes, |piece| Ok(decoder.feed(piece)?)) {
            Err(Unread::Broken(broken)) => Err(broken_behind(decoder, broken)),
            pushed => pushed,
        }
    }
}

/// What is wrong with the rows comes first, and they may still be before other threads.
fn broken_behind(decoder: &mut Decoder, broken: Broken) -> Unread {
    decoder.settle().err().map_or(Unread::Broken(broken), Unread::Rows)
}

//! A saved body, decoded as it is read: compressed or not, which its first bytes tell.

use std::borrow::Cow;

use crate::inflate::{Coding, Inflate, InflateError, Limits};
use crate::rows::{DecodeError, DecodeErrorKind, DecodeOptions, Decoder, Rows};

/// Whether a body begins as one does that is compressed.
pub(super) fn is_compressed(body: &[u8]) -> bool {
    Coding::of(body) != Coding::Identity
}

pub(super) struct Saved {
    decoder: Decoder,
    body: Body,
}

enum Body {
    /// What was read so far, which is too little to tell what it is.
    Beginning(Vec<u8>),
    Begun(Inflate),
}

impl Saved {
    pub(super) fn new(options: DecodeOptions) -> Self {
        Self { decoder: Decoder::new(options), body: Body::Beginning(Vec::new()) }
    }

    /// Takes the next bytes. After an error it is spent.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let read = match &mut self.body {
            Body::Begun(inflate) => read(inflate, bytes, &mut self.decoder),
            Body::Beginning(held) => {
                let beginning = if held.is_empty() { Cow::from(bytes) } else { Cow::from([held, bytes].concat()) };
                // A pipe may give it byte by byte.
                if beginning.len() < Coding::TELLING {
                    self.body = Body::Beginning(beginning.into_owned());
                    return Ok(());
                }
                let mut inflate =
                    Inflate::new(Coding::of(&beginning), Limits::Own).map_err(|error| damaged(error, 0))?;
                let read = read(&mut inflate, &beginning, &mut self.decoder);
                self.body = Body::Begun(inflate);
                read
            }
        };
        read.map_err(|fault| match fault {
            Fault::Rows(error) => self.body.told(error),
            Fault::Inflate(error) => damaged(error, self.body.inflated()),
        })
    }

    /// Ends the body.
    pub(super) fn finish(self) -> Result<Rows, DecodeError> {
        let Self { mut decoder, body } = self;
        if let Body::Begun(inflate) = &body
            && let Err(InflateError(reason)) = inflate.finish()
        {
            let fault = decoder.drain().err().map(|error| body.told(error));
            return Err(fault.unwrap_or_else(|| decoder.cut_short(reason)));
        }
        let ended = if let Body::Beginning(all) = &body { decoder.feed(all) } else { Ok(()) };
        let finished = ended.and_then(|()| Ok(decoder.finish()?.rows));
        finished.map_err(|error| body.told(error))
    }
}

impl Body {
    /// How many bytes it was inflated to so far.
    fn inflated(&self) -> u64 {
        if let Self::Begun(inflate) = self { inflate.given() } else { 0 }
    }

    /// A fault in rows that were compressed is counted in what they were inflated to, and may come from the file being
    /// damaged.
    fn told(&self, mut error: DecodeError) -> DecodeError {
        if matches!(self, Self::Begun(inflate) if !inflate.is_idle()) {
            error.message = format!("once inflated, {}", error.message);
        }
        error
    }
}

/// What is wrong with some bytes that were fed.
enum Fault {
    Inflate(InflateError),
    Rows(DecodeError),
}

impl From<InflateError> for Fault {
    fn from(error: InflateError) -> Self {
        Self::Inflate(error)
    }
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Self {
        Self::Rows(error)
    }
}

fn read(inflate: &mut Inflate, bytes: &[u8], decoder: &mut Decoder) -> Result<(), Fault> {
    match inflate.push(bytes, |piece| Ok(decoder.feed(piece)?)) {
        // What is wrong with the rows comes first, and they may still be before other threads.
        Err(Fault::Inflate(error)) => Err(decoder.drain().err().map_or(Fault::Inflate(error), Fault::Rows)),
        pushed => pushed,
    }
}

/// The fault of a body that was not cut but changed: what it was inflated to so far may be changed, too.
fn damaged(InflateError(reason): InflateError, byte_offset: u64) -> DecodeError {
    DecodeError {
        kind: DecodeErrorKind::Malformed,
        message: format!("it is compressed and cannot be inflated, so that none of its rows can be trusted: {reason}"),
        byte_offset,
        row: None,
        rows_read: 0,
        rows: Box::new(Rows::empty()),
    }
}

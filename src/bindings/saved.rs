//! A saved body, decoded as it is read: compressed or not, which its first bytes tell.

use std::borrow::Cow;

use crate::inflate::{Broken, Coding, Inflate, Limits};
use crate::rows::{DecodeError, DecodeOptions, Decoder, Rows};

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
        Self { decoder: Decoder::new(options), body: Body::Beginning(Vec::new()) }
    }

    /// Takes the next bytes. After an error it is spent.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<(), Unread> {
        let read = match &mut self.body {
            Body::Begun(inflate) => read(inflate, bytes, &mut self.decoder),
            Body::Beginning(held) => {
                let beginning = if held.is_empty() { Cow::from(bytes) } else { Cow::from([held, bytes].concat()) };
                // A pipe may give it byte by byte.
                if beginning.len() < Coding::TELLING {
                    self.body = Body::Beginning(beginning.into_owned());
                    return Ok(());
                }
                let mut inflate = Inflate::new(Coding::of(&beginning), Limits::Own)?;
                let read = read(&mut inflate, &beginning, &mut self.decoder);
                self.body = Body::Begun(inflate);
                read
            }
        };
        read.map_err(|unread| match unread {
            Unread::Rows(error) => Unread::Rows(self.body.told(error)),
            broken @ Unread::Broken(_) => broken,
        })
    }

    /// Ends the body.
    pub(super) fn finish(self) -> Result<Rows, Unread> {
        let Self { mut decoder, body } = self;
        if let Body::Begun(inflate) = &body
            && let Err(Broken(reason)) = inflate.finish()
        {
            let fault = decoder.settle().err().map(|error| body.told(error));
            return Err(Unread::Rows(fault.unwrap_or_else(|| decoder.cut_short(reason))));
        }
        let ended = if let Body::Beginning(all) = &body { decoder.feed(all) } else { Ok(()) };
        let finished = ended.and_then(|()| Ok(decoder.finish()?.rows));
        finished.map_err(|error| Unread::Rows(body.told(error)))
    }
}

impl Body {
    /// A fault in rows that were compressed is counted in what they were inflated to, and may come from the file being
    /// damaged.
    fn told(&self, mut error: DecodeError) -> DecodeError {
        if matches!(self, Self::Begun(inflate) if !inflate.is_idle()) {
            error.message = format!("once inflated, {}", error.message);
        }
        error
    }
}

fn read(inflate: &mut Inflate, bytes: &[u8], decoder: &mut Decoder) -> Result<(), Unread> {
    match inflate.push(bytes, |piece| Ok(decoder.feed(piece)?)) {
        Err(Unread::Broken(broken)) => Err(broken_behind(decoder, broken)),
        pushed => pushed,
    }
}

/// What is wrong with the rows comes first, and they may still be before other threads.
fn broken_behind(decoder: &mut Decoder, broken: Broken) -> Unread {
    decoder.settle().err().map_or(Unread::Broken(broken), Unread::Rows)
}

//! A saved body as it was before it was compressed, whichever way its first bytes tell.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use flate2::bufread::GzDecoder;

/// Bytes that the file is asked for at once.
const CHUNK: usize = 1 << 20;

/// How compressed files begin; JSON begins so nowhere.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// How a frame of zstd begins that is skipped, behind its first byte, whose lower half is anything.
const ZSTD_SKIPPED: &[u8] = &[0x2a, 0x4d, 0x18];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    None,
    Gzip,
    Zstd,
}

impl Coding {
    /// That of a body which begins so.
    fn of(beginning: &[u8]) -> Self {
        let is_skipped = matches!(beginning, [0x50..=0x5f, behind @ ..] if behind.starts_with(ZSTD_SKIPPED));
        match beginning {
            gzip if gzip.starts_with(GZIP) => Self::Gzip,
            zstd if is_skipped || zstd.starts_with(ZSTD) => Self::Zstd,
            _ => Self::None,
        }
    }

    fn undone(self, body: impl BufRead + 'static) -> io::Result<Box<dyn Read>> {
        Ok(match self {
            Self::None => Box::new(body),
            Self::Gzip => Box::new(Gzip { member: GzDecoder::new(Box::new(body)) }),
            Self::Zstd => Box::new(zstd::Decoder::with_buffer(body)?),
        })
    }
}

pub(super) fn open(path: &Path) -> io::Result<Box<dyn Read>> {
    let mut file = File::open(path)?;
    let mut beginning = Vec::new();
    // A pipe may give it byte by byte.
    file.by_ref().take(ZSTD.len() as u64).read_to_end(&mut beginning)?;
    let coding = Coding::of(&beginning);
    coding.undone(BufReader::with_capacity(CHUNK, Cursor::new(beginning).chain(file)))
}

pub(super) fn is_compressed(body: &[u8]) -> bool {
    Coding::of(body) != Coding::None
}

pub(super) fn inflated(body: impl AsRef<[u8]> + 'static) -> io::Result<Box<dyn Read>> {
    Coding::of(body.as_ref()).undone(Cursor::new(body))
}

/// Members one behind the other (RFC 1952). Zeros behind one fill a block of a tape or a disk, and mean nothing.
struct Gzip {
    member: GzDecoder<Box<dyn BufRead>>,
}

impl Gzip {
    /// Goes on to the next member, if there is one.
    fn has_next(&mut self) -> io::Result<bool> {
        let file = self.member.get_mut();
        loop {
            let bytes = file.fill_buf()?;
            let (zeros, held) = (bytes.iter().take_while(|&&byte| byte == 0).count(), bytes.len());
            if held == 0 {
                return Ok(false);
            }
            file.consume(zeros);
            if zeros < held {
                break;
            }
        }
        let file = self.member.reset(Box::new(io::empty()));
        self.member.reset(file);
        Ok(true)
    }
}

impl Read for Gzip {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.member.read(out)?;
            if read > 0 || out.is_empty() || !self.has_next()? {
                return Ok(read);
            }
        }
    }
}

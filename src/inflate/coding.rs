//! How a body may be compressed, which its first bytes tell, too.

/// How compressed bodies begin; JSON begins so nowhere.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// How a frame of zstd begins that is skipped, after its first byte, whose lower half is anything.
const ZSTD_SKIPPED: &[u8] = &[0x2a, 0x4d, 0x18];

/// How a body is compressed, if it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// It is not compressed.
    Identity,
    Gzip,
    Zstd,
}

impl Coding {
    /// So many bytes of a body tell of which it is.
    pub const TELLING: usize = ZSTD.len();

    /// That of a body which begins so.
    pub fn of(beginning: &[u8]) -> Self {
        let is_skipped = matches!(beginning, [0x50..=0x5f, rest @ ..] if rest.starts_with(ZSTD_SKIPPED));
        match beginning {
            gzip if gzip.starts_with(GZIP) => Self::Gzip,
            zstd if is_skipped || zstd.starts_with(ZSTD) => Self::Zstd,
            _ => Self::Identity,
        }
    }
}

//! Text that is compressed where the name of its file says so: who reads such a file goes by its name.

use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzEncoder;

/// How text is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// What the ending of a name asks for.
    ///
    /// # Errors
    /// Where it asks for what is not written here: the file would not be what it is called.
    pub fn by_name(path: &Path) -> Result<Self, String> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "gz" => Ok(Self::Gzip),
            "zst" => Ok(Self::Zstd),
            "bz2" | "xz" | "zip" | "lz4" | "br" => {
                Err(format!("text is compressed as `.gz` or `.zst`, not as `.{ending}`"))
            }
            _ => Ok(Self::None),
        }
    }

    /// Has text written to what compresses it, and ends that.
    pub fn pack<W: Write>(self, mut out: W, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match self {
            Self::None => write(&mut out),
            Self::Gzip => {
                let mut packed = GzEncoder::new(out, flate2::Compression::default());
                write(&mut packed)?;
                packed.finish()?.flush()
            }
            Self::Zstd => {
                let mut packed = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                write(&mut packed)?;
                packed.finish()?.flush()
            }
        }
    }
}

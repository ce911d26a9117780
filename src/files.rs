//! Files that appear whole or not at all: written beside their place, synced, then renamed into it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file being written. Dropped before [`WholeFile::commit`], it leaves nothing behind.
#[derive(Debug)]
pub struct WholeFile {
    place: PathBuf,
    writer: BufWriter<NamedTempFile>,
}

impl WholeFile {
    pub fn create(place: &Path) -> io::Result<Self> {
        let folder = folder_of(place);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rowhaul-");
        // The default of temporary files is for the owner's eyes only; this file is to be like any other, by the umask.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        Ok(Self { place: place.to_owned(), writer: BufWriter::with_capacity(256 * 1024, file) })
    }

    /// Puts the file in its place, on disk before it is seen there.
    pub fn commit(self) -> io::Result<()> {
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.place).map_err(|error| error.error)?;
        // The rename itself is durable once its folder is; not every system lets a folder be opened.
        if let Ok(folder) = File::open(folder_of(&self.place)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_only_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("rows.bin");
        let mut file = WholeFile::create(&place).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let mut file = WholeFile::create(&place).unwrap();
        file.write_all(b"whole").unwrap();
        file.commit().unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), b"whole");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

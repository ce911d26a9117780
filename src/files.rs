//! Files that appear whole or not at all: written beside their place, synced, then renamed into it.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

/// A file being written. Dropped before [`WholeFile::commit`], it leaves nothing behind.
#[derive(Debug)]
pub struct WholeFile {
    place: PathBuf,
    writer: BufWriter<NamedTempFile>,
    order: Order,
}

/// What ties a file that is written on one thread to whoever waits for it on another.
#[derive(Debug, Clone, Default)]
pub struct Order(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    is_recalled: bool,
    /// The file beside its place, while there is one.
    beside: Option<PathBuf>,
}

/// Held while one waits. When it is dropped, a file that is not in its place by then never gets there, and what was
/// written of it is gone, even if the process ends before its writer notices.
#[derive(Debug)]
pub struct Recall(Order);

impl WholeFile {
    pub fn create(place: &Path) -> io::Result<Self> {
        Self::create_for(Order::default(), place)
    }

    /// Begins a file that can be recalled.
    pub fn create_for(order: Order, place: &Path) -> io::Result<Self> {
        let mut beside = beside();
        // The default of temporary files is for the owner's eyes only; this file is to be like any other, by the umask.
        #[cfg(unix)]
        beside.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Self::begin(order, place, &beside)
    }

    /// Begins a file for the owner's eyes only.
    pub fn create_private(place: &Path) -> io::Result<Self> {
        Self::begin(Order::default(), place, &beside())
    }

    fn begin(order: Order, place: &Path, beside: &tempfile::Builder<'_, '_>) -> io::Result<Self> {
        let folder = folder_of(place);
        let file = {
            let mut state = order.standing()?;
            let file = beside.tempfile_in(folder)?;
            state.beside = Some(file.path().to_owned());
            file
        };
        Ok(Self { place: place.to_owned(), writer: BufWriter::with_capacity(256 * 1024, file), order })
    }

    /// Puts the file in its place, on disk before it is seen there.
    ///
    /// # Errors
    /// Where the disk refuses, and where the file has been recalled.
    pub fn commit(self) -> io::Result<()> {
        let file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        {
            // Locked while it is renamed: a recall comes before that, or finds the file in its place.
            let mut state = self.order.standing()?;
            file.persist(&self.place).map_err(|error| error.error)?;
            state.beside = None;
        }
        // The rename itself is durable once its folder is; not every system lets a folder be opened.
        if let Ok(folder) = File::open(folder_of(&self.place)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        drop(self.order.standing()?);
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Order {
    /// The guard of the one who waits.
    pub fn recalled_on_drop(&self) -> Recall {
        Recall(self.clone())
    }

    /// The state of an order that nobody has recalled.
    fn standing(&self) -> io::Result<MutexGuard<'_, State>> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Not `Interrupted`, after which writers try again.
        if state.is_recalled { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(state) }
    }
}

impl Drop for Recall {
    fn drop(&mut self) {
        let mut state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_recalled = true;
        if let Some(beside) = state.beside.take() {
            // Where an open file cannot be removed, its writer removes it when it is told to stop.
            let _ = std::fs::remove_file(beside);
        }
    }
}

/// How files are named that are not in their place yet.
fn beside() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rowhaul-");
    builder
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

    #[test]
    fn a_file_that_is_recalled_is_gone_at_once_and_never_appears() {
        let folder = tempfile::tempdir().unwrap();
        let order = Order::default();
        let recall = order.recalled_on_drop();
        let mut file = WholeFile::create_for(order.clone(), &folder.path().join("rows.bin")).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        drop(recall);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(file.write_all(b"more").is_err());
        assert!(file.commit().is_err());
        assert!(WholeFile::create_for(order, &folder.path().join("other.bin")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_recall_leaves_a_file_that_is_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("rows.bin");
        let order = Order::default();
        let recall = order.recalled_on_drop();
        let mut file = WholeFile::create_for(order, &place).unwrap();
        file.write_all(b"whole").unwrap();
        file.commit().unwrap();
        drop(recall);
        assert_eq!(std::fs::read(&place).unwrap(), b"whole");
    }
}

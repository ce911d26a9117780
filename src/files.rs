//! Files that appear whole or not at all: written beside their place, synced, then renamed into it.
//!
//! What a symbolic link leads to is replaced, and the link stays. A device or a pipe, and what this process has open
//! already, must not be replaced: it gets what was written, from a file in the folder for temporary ones, when that is
//! whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use tempfile::TempPath;

use crate::lock::lock;

/// How the names begin of files that are not in their place yet.
const BESIDE: &str = ".rowhaul-";

/// For the owner's eyes only.
const PRIVATE: u32 = 0o600;

/// So many symbolic links in a row are followed: more than any system follows.
const MOST_LINKS: usize = 64;

/// What lies here is something that this process has open, though it may be a file.
const OPEN_ALREADY: [&str; 4] = ["/dev/fd", "/dev/stdout", "/dev/stderr", "/proc"];

/// So much is copied before somebody may have recalled it.
const COPIED: usize = 64 << 10;

/// A file being written. Dropped before [`WholeFile::commit`], it leaves nothing behind.
#[derive(Debug)]
pub struct WholeFile {
    /// Where it goes, and not a link to that.
    place: PathBuf,
    /// Whether what is at its place is written to, and not replaced.
    is_copied: bool,
    /// Not a `NamedTempFile`: that puts its path around errors, and the system's number for them is lost.
    writer: BufWriter<File>,
    /// Removed when this is dropped.
    beside: TempPath,
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
/// written of it is gone, even if the process ends before its writer notices. A device or a pipe gets no more than it
/// has.
#[derive(Debug)]
pub struct Recall(Order);

impl WholeFile {
    pub fn create(place: &Path) -> io::Result<Self> {
        Self::create_for(Order::default(), place)
    }

    /// Begins a file that can be recalled.
    pub fn create_for(order: Order, place: &Path) -> io::Result<Self> {
        // Like any other file, by the umask.
        Self::begin(order, place, 0o666)
    }

    /// Begins a file for the owner's eyes only.
    pub fn create_private(place: &Path) -> io::Result<Self> {
        Self::begin(Order::default(), place, PRIVATE)
    }

    fn begin(order: Order, place: &Path, mode: u32) -> io::Result<Self> {
        let is_copied = is_copied_to(place);
        let place = if is_copied { place.to_owned() } else { followed(place)? };
        if place.is_dir() || place.as_os_str().is_empty() {
            // The system says what is wrong with it, before anything is written that could not be put there.
            OpenOptions::new().write(true).open(&place)?;
        }
        let (folder, mode) =
            if is_copied { (std::env::temp_dir(), PRIVATE) } else { (folder_of(&place).to_owned(), mode) };
        let (file, beside) = {
            let mut state = order.standing()?;
            let make = |path: &Path| new_file(path, mode);
            let (file, beside) = tempfile::Builder::new().prefix(BESIDE).make_in(folder, make)?.into_parts();
            state.beside = Some(beside.to_path_buf());
            (file, beside)
        };
        Ok(Self { place, is_copied, writer: BufWriter::with_capacity(256 * 1024, file), beside, order })
    }

    /// Puts the file in its place, on disk before it is seen there; or writes it to what is there.
    ///
    /// # Errors
    /// Where the disk refuses, and where the file has been recalled.
    pub fn commit(self) -> io::Result<()> {
        let mut file = self.writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        if self.is_copied {
            file.rewind()?;
            return copy(&mut file, &self.place, &self.order);
        }
        file.sync_all()?;
        {
            // Locked while it is renamed: a recall comes before that, or finds the file in its place.
            let mut state = self.order.standing()?;
            self.beside.persist(&self.place).map_err(|error| error.error)?;
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
        let state = lock(&self.0);
        // Not `Interrupted`, after which writers try again.
        if state.is_recalled { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(state) }
    }
}

impl Drop for Recall {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.is_recalled = true;
        if let Some(beside) = state.beside.take() {
            // Where an open file cannot be removed, its writer removes it when it is told to stop.
            let _ = std::fs::remove_file(beside);
        }
    }
}

/// Where a path leads to: itself, unless it is a symbolic link.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&place) else { return Ok(place) };
        place = folder_of(&place).join(target);
    }
    // The system says what is wrong with so many.
    fs::metadata(path).map(|_| place)
}

fn is_copied_to(path: &Path) -> bool {
    let is_open = OPEN_ALREADY.iter().any(|folder| path.starts_with(folder));
    fs::metadata(path).is_ok_and(|there| !there.is_dir() && (is_open || !there.is_file()))
}

/// To write after what may be there already. Opening a pipe waits until somebody reads it.
fn opened(place: &Path) -> io::Result<File> {
    // What this process prints next is to stand after it: opened again, a file would be written from where it was.
    #[cfg(unix)]
    match place.to_str() {
        Some("/dev/stdout") => return Ok(io::stdout().as_fd().try_clone_to_owned()?.into()),
        Some("/dev/stderr") => return Ok(io::stderr().as_fd().try_clone_to_owned()?.into()),
        _ => {}
    }
    OpenOptions::new().append(true).open(place)
}

fn copy(file: &mut File, place: &Path, order: &Order) -> io::Result<()> {
    drop(order.standing()?);
    let mut out = opened(place)?;
    let mut piece = vec![0; COPIED];
    loop {
        drop(order.standing()?);
        match file.read(&mut piece)? {
            0 => return Ok(()),
            count => out.write_all(&piece[..count])?,
        }
    }
}

fn new_file(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
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
    #[cfg(unix)]
    fn what_a_link_leads_to_is_replaced_and_the_link_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [link, other, target] = ["link", "other", "target"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink("other", &link).unwrap();
        std::os::unix::fs::symlink(&target, &other).unwrap();
        for text in ["first", "second"] {
            let mut file = WholeFile::create(&link).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.commit().unwrap();
            assert!(link.is_symlink() && other.is_symlink() && !target.is_symlink());
            assert_eq!(fs::read_to_string(&link).unwrap(), text);
        }
        fs::remove_file(&target).unwrap();
        std::os::unix::fs::symlink(&link, &target).unwrap();
        assert_eq!(WholeFile::create(&link).unwrap_err().raw_os_error(), Some(libc::ELOOP));
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_gets_what_was_written_and_stays_one() {
        use std::os::unix::fs::FileTypeExt;

        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        let mut file = WholeFile::create(&pipe).unwrap();
        file.write_all(b"rows").unwrap();
        file.commit().unwrap();
        assert_eq!(reader.join().unwrap(), "rows");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_that_is_read_after_a_recall_gets_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let order = Order::default();
        let recall = order.recalled_on_drop();
        let mut file = WholeFile::create_for(order, &pipe).unwrap();
        file.write_all(b"rows").unwrap();
        drop(recall);
        assert!(file.commit().is_err());

        let order = Order::default();
        let recall = order.recalled_on_drop();
        let mut file = WholeFile::create_for(order, &pipe).unwrap();
        file.write_all(b"rows").unwrap();
        let writer = std::thread::spawn(move || file.commit().is_err());
        drop(recall);
        // Not waiting for a writer, which may have seen the recall before it opened the pipe.
        let mut options = OpenOptions::new();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
        let mut reader = options.read(true).open(&pipe).unwrap();
        assert!(writer.join().unwrap());
        let mut told = String::new();
        reader.read_to_string(&mut told).unwrap();
        assert_eq!(told, "");
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

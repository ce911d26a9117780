//! Which ledger files this process has open.
//!
//! The locks of a file belong to the process: whoever opens and closes it beside `SQLite` drops the locks that `SQLite`
//! has on it, and another process may then write in the middle of a transaction. So nobody does, while it is open here.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::{fs, io};

use super::error::LedgerError;
use crate::lock::lock;

static ALL: Mutex<AllHeld> = Mutex::new(AllHeld(Vec::new()));

/// The files that are open, once for each connection. Locked while one is opened.
pub(super) struct AllHeld(Vec<File>);

/// A file, whatever it is called: what tells it from others where the system says it, and its own name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct File {
    identity: Option<(u64, u64)>,
    name: PathBuf,
}

/// One open connection.
#[derive(Debug)]
pub(super) struct Held(File);

pub(super) fn locked() -> MutexGuard<'static, AllHeld> {
    lock(&ALL)
}

impl AllHeld {
    /// Whether this process has the file at the path open.
    ///
    /// # Errors
    /// Where it has it open under another name: each name would have a log of its own.
    pub(super) fn has(&self, path: &Path) -> Result<bool, LedgerError> {
        let Ok(file) = File::at(path) else { return Ok(false) };
        let is_same =
            |open: &&File| open.identity == file.identity && (file.identity.is_some() || open.name == file.name);
        match self.0.iter().find(is_same) {
            Some(open) if open.name != file.name && open.name.exists() => Err(LedgerError::new(format!(
                "the ledger `{}` is in use as `{}`: a ledger has one name",
                path.display(),
                open.name.display()
            ))),
            Some(_) => Ok(true),
            None => Ok(false),
        }
    }

    /// Enters the file at the path, which was just opened.
    pub(super) fn hold(&mut self, path: &Path) -> Held {
        let file = File::at(path).unwrap_or_else(|_| File { identity: None, name: path.to_owned() });
        self.0.push(file.clone());
        Held(file)
    }
}

impl Held {
    /// Whether it is the file at that path.
    pub(super) fn is_at(&self, path: &Path) -> bool {
        identity(path).is_ok_and(|identity| identity == self.0.identity)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut all = locked();
        if let Some(at) = all.0.iter().position(|file| *file == self.0) {
            all.0.swap_remove(at);
        }
    }
}

impl File {
    fn at(path: &Path) -> io::Result<Self> {
        let name = fs::canonicalize(path)?;
        Ok(Self { identity: identity(&name)?, name })
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|file| Some((file.dev(), file.ino())))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<Option<(u64, u64)>> {
    fs::metadata(path).map(|_| None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_held_until_its_last_connection_is_closed_and_under_one_name() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("ledger"), folder.path().join("other"));
        fs::write(&path, b"").unwrap();
        let first = locked().hold(&path);
        let second = locked().hold(&path);
        assert!(locked().has(&path).unwrap() && second.is_at(&path));
        drop(first);
        assert!(locked().has(&path).unwrap());
        #[cfg(unix)]
        {
            fs::hard_link(&path, &other).unwrap();
            assert!(locked().has(&other).unwrap_err().to_string().contains("one name"));
        }
        drop(second);
        assert!(!locked().has(&path).unwrap());
        assert!(!locked().has(&other).unwrap());
    }
}

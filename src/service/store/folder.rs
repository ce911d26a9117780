//! The data directory, held by one service at a time.

use std::fs::{File, OpenOptions, TryLockError, create_dir_all};
use std::path::Path;

use crate::service::error::ServiceError;

/// A lock on the directory. The system lets go of it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    /// Makes the directory where there is none, and takes it for this service.
    pub(super) fn take(folder: &Path) -> Result<Self, ServiceError> {
        let refused =
            |error| ServiceError::system(format!("cannot use the data directory {}", folder.display()), error);
        create_dir_all(folder).map_err(refused)?;
        let place = folder.join("service.lock");
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(place).map_err(refused)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(ServiceError::config(format!(
                "the data directory {} is in use by another local service; stop that one, or take another directory",
                folder.display()
            ))),
            Err(TryLockError::Error(error)) => Err(refused(error)),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Said aloud, because a forked child holds a copy of the file, and closing only ours would leave it locked.
        let _ = self.0.unlock();
    }
}

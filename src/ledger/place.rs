//! Which file the ledger is.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::error::LedgerError;

/// Where the ledger is kept, if it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// `rowhaul/ledger.sqlite` in the user's data directory: `$XDG_DATA_HOME`, else `~/.local/share`, and `%APPDATA%`
    /// on Windows.
    UserData,
    At(PathBuf),
    /// Nothing is written down.
    Off,
}

impl Place {
    /// What the environment variable `ROWHAUL_LEDGER` says: a path, `off`, or nothing.
    pub fn told(text: Option<&OsStr>) -> Self {
        match text {
            None => Self::UserData,
            Some(text) if text.is_empty() => Self::UserData,
            Some(text) if text == "off" => Self::Off,
            Some(path) => {
                let path = in_home(Path::new(path));
                // A process may change its directory; its ledger stays the same.
                Self::At(std::path::absolute(&path).unwrap_or(path))
            }
        }
    }

    /// The file; `None` where there is to be none. Makes the directory in the user's data where it is missing; a path
    /// that was chosen has to have its directory.
    ///
    /// # Errors
    /// The user has no home, or the directory cannot be made.
    pub fn path(&self) -> Result<Option<PathBuf>, LedgerError> {
        match self {
            Self::Off => Ok(None),
            Self::At(path) => Ok(Some(path.clone())),
            Self::UserData => {
                let strategy = etcetera::choose_base_strategy()
                    .map_err(|error| LedgerError::new("the user has no home directory for the ledger").caused(error))?;
                let folder = strategy.data_dir().join("rowhaul");
                make(&folder).map_err(|error| {
                    LedgerError::new(format!("the ledger's directory `{}` cannot be made: {error}", folder.display()))
                        .caused(error)
                })?;
                Ok(Some(folder.join("ledger.sqlite")))
            }
        }
    }
}

/// The path with the user's directory for a `~` at its beginning: no shell has read what stands in a file of settings.
fn in_home(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), etcetera::home_dir()) {
        (Ok(rest), Ok(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

/// Makes a directory that only the user can look into.
pub(super) fn make(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_a_path_or_switches_it_off() {
        let told = |text: &str| Place::told(Some(OsStr::new(text)));
        assert_eq!(Place::told(None), Place::UserData);
        assert_eq!(told(""), Place::UserData);
        assert_eq!(told("off"), Place::Off);
        assert!(matches!(told("some/ledger"), Place::At(path) if path.is_absolute() && path.ends_with("some/ledger")));
    }
}

//! Opening a ledger: a new file is made, a sound one is taken, and any other is refused and left byte for byte as it
//! is.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use sha2::{Digest, Sha256};

use super::error::LedgerError;
use super::held::{self, AllHeld, Held};
use super::process;

/// Stands in the head of every ledger: `rowh`.
const APPLICATION: i32 = 0x726f_7768;
/// Of `schema.sql`.
const VERSION: i32 = 1;
const SCHEMA: &str = include_str!("schema.sql");

/// How long a write waits for the writes of other processes, each of which takes well under a millisecond.
const PATIENCE: Duration = Duration::from_secs(10);

/// A ledger file, open.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) connection: Connection,
    pub(super) salt: Vec<u8>,
    /// The accounts met so far, by their marks.
    pub(super) accounts: HashMap<[u8; 32], i64>,
    /// This process, for those who look whether it still lives.
    pub(super) process: Option<String>,
    /// After the connection: it is closed first.
    held: Held,
}

impl Open {
    pub(super) fn new(path: &Path) -> Result<Self, LedgerError> {
        let mut all = held::locked();
        if !all.has(path)? {
            inspect(path)?;
        }
        let opened = connect(path).and_then(|connection| {
            let salt = connection.query_row("SELECT salt FROM salt", [], |row| row.get(0))?;
            Ok((connection, salt))
        });
        match opened {
            Ok((connection, salt)) => {
                let held = all.hold(path);
                Ok(Self { connection, salt, accounts: HashMap::new(), process: process::this(), held })
            }
            Err(error) => Err(refused_while(&all, path, error)),
        }
    }

    /// Whether the file that was opened is the one at the path: it may have been moved away or removed since.
    pub(super) fn is_still_at(&self, path: &Path) -> bool {
        self.held.is_at(path)
    }
}

/// What went wrong, in words. Of a file that turned out to be damaged a copy is made, unless it is open here.
pub(super) fn refused(path: &Path, error: rusqlite::Error) -> LedgerError {
    refused_while(&held::locked(), path, error)
}

/// Whether an error tells of a damaged file.
pub(super) fn is_of_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

fn refused_while(all: &AllHeld, path: &Path, error: rusqlite::Error) -> LedgerError {
    let shown = path.display();
    match error.sqlite_error_code() {
        _ if is_of_damage(&error) && !matches!(all.has(path), Ok(false)) => {
            let message = format!("the ledger `{shown}` is damaged ({error}) and was left as it is");
            LedgerError::new(message).hinting("other clients of this process have it open")
        }
        _ if is_of_damage(&error) => damaged(path, &error.to_string()),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let message = format!("the ledger `{shown}` was locked by another process for {} s", PATIENCE.as_secs());
            LedgerError::new(message).caused(error)
        }
        _ => LedgerError::new(format!("the ledger `{shown}` cannot be used: {error}")).caused(error),
    }
}

/// Looks at the head of a file before `SQLite` may touch it. Only of a file that this process has not open: closing it
/// again would drop the locks that `SQLite` has on it.
fn inspect(path: &Path) -> Result<(), LedgerError> {
    let shown = path.display();
    let mut head = [0; 100];
    let read = File::open(path).and_then(|mut file| {
        let mut read = 0;
        while read < head.len() {
            match file.read(&mut head[read..])? {
                0 => break,
                more => read += more,
            }
        }
        Ok(read)
    });
    let read = match read {
        Ok(read) => read,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return create(path),
        Err(error) => {
            return Err(LedgerError::new(format!("the ledger `{shown}` cannot be read: {error}")).caused(error));
        }
    };
    let number = |at: usize| i32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let is_database = head.starts_with(b"SQLite format 3\0");
    let is_ours = number(68) == APPLICATION;
    match (read, is_database, is_ours) {
        (100, true, true) if number(60) > VERSION => Err(LedgerError::new(format!(
            "the ledger `{shown}` was written by a newer rowhaul (version {}, this one knows {VERSION})",
            number(60)
        ))
        .hinting("update rowhaul")),
        // An empty one is about to be filled.
        (100, true, true) | (0, ..) => Ok(()),
        (100, false, true) => Err(damaged(path, "its head is broken")),
        (100, true, false) => Err(LedgerError::new(format!("`{shown}` is a database of another program, no ledger"))),
        _ if head.starts_with(b"SQLite format") => Err(damaged(path, "it ends in the middle of its head")),
        _ => Err(LedgerError::new(format!("`{shown}` is no ledger"))),
    }
}

/// An empty file for the user's eyes only. The files that `SQLite` puts beside it are made alike.
fn create(path: &Path) -> Result<(), LedgerError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(LedgerError::new(format!("the ledger `{}` cannot be made: {error}", path.display())).caused(error))
        }
        _ => Ok(()),
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    // Without flags that would read a path as an address, and one connection is used by one thread at a time.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // Until it is known to be sound, closing must not write what stands in the log into it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.execute_batch("PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL")?;
    if version(&connection)? == 0 {
        fill(&mut connection)?;
    } else {
        let complaint: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if complaint != "ok" {
            return Err(corrupt(complaint));
        }
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Makes the tables of an empty file, unless another process does it first.
fn fill(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if version(&transaction)? == 0 {
        transaction.execute_batch(SCHEMA)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    // A log beside the file lets others read while one writes, and costs one sync a write. It stays so for whoever
    // opens the file later. The switch wants the file for itself and does not wait; if another process is at it, that
    // one switches.
    match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(()),
        switched => switched,
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn corrupt(complaint: String) -> rusqlite::Error {
    let code = rusqlite::ffi::Error { code: ErrorCode::DatabaseCorrupt, extended_code: rusqlite::ffi::SQLITE_CORRUPT };
    rusqlite::Error::SqliteFailure(code, Some(complaint))
}

fn damaged(path: &Path, why: &str) -> LedgerError {
    let shown = path.display();
    let message = format!("the ledger `{shown}` is damaged ({why}) and was left as it is");
    match copy(path) {
        Ok(copy) => {
            let copy = copy.display();
            LedgerError::new(format!("{message}; a copy is at `{copy}`"))
                .hinting(format!("`sqlite3 {copy} .recover` shows what can be had; move `{shown}` away to begin anew"))
        }
        Err(error) => LedgerError::new(format!("{message}; no copy could be made: {error}")),
    }
}

/// A copy beside the file, its log included; one for each state of it, however often it is looked at.
fn copy(path: &Path) -> io::Result<PathBuf> {
    let whole = fs::read(path)?;
    let digest = Sha256::digest(&whole);
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let mark = format!(".damaged-{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3]);
    let copy = beside(&mark);
    if !copy.exists() {
        fs::copy(path, &copy)?;
        let log = beside("-wal");
        // An empty one comes from looking.
        if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            fs::copy(log, beside(&format!("{mark}-wal")))?;
        }
    }
    Ok(copy)
}

//! Opening: a new database appears whole or not at all, and one that is not as it was left is refused and not touched.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use rust_decimal::Decimal;

use super::folder::Lock;
use super::load::{Saved, load};
use crate::service::error::ServiceError;

const SCHEMA: &str = include_str!("schema.sql");

/// `rowh`, by which the file is known for what it is.
const APPLICATION: i32 = 0x726f_7768;

/// The version of the schema. Another one is refused.
const VERSION: i32 = 1;

const FILE: &str = "service.db";

/// The database of one service, which no other process can open meanwhile.
#[derive(Debug)]
pub(in crate::service) struct Store {
    pub(super) connection: Connection,
    /// Held until the connection is closed: fields are dropped in this order.
    _lock: Option<Lock>,
}

/// Opens what a directory holds, or begins an account with this balance where it holds nothing; without a directory, in
/// a temporary database.
///
/// # Errors
/// When another service holds the directory, when the database is damaged, of another version or of another program,
/// and when the system refuses. What was there is left as it was.
pub(in crate::service) fn open(folder: Option<&Path>, balance: Decimal) -> Result<(Store, Saved), ServiceError> {
    let Some(folder) = folder else {
        // An empty name is a temporary database: in memory as long as it is small, gone when it is closed.
        let opened = Connection::open("").and_then(|connection| {
            connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;")?;
            begin(&connection, balance)?;
            Ok(connection)
        });
        let connection = opened.map_err(|error| failed("cannot make a temporary database", error))?;
        return Ok((Store { connection, _lock: None }, Saved::none(balance)));
    };
    let lock = Lock::take(folder)?;
    let file = folder.join(FILE);
    if !file.try_exists().map_err(|error| ServiceError::system(format!("cannot look for {}", file.display()), error))? {
        create(folder, &file, balance)?;
    }
    let (connection, saved) = open_file(&file)?;
    Ok((Store { connection, _lock: Some(lock) }, saved))
}

/// Makes the database beside its place and moves it there, so that a file that is there is a whole one.
fn create(folder: &Path, file: &Path, balance: Decimal) -> Result<(), ServiceError> {
    let beside = folder.join("service.db.new");
    let refused = |error| ServiceError::system(format!("cannot make {}", file.display()), error);
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(refused(error)),
        _ => {}
    }
    let made = Connection::open(&beside).and_then(|connection| {
        connection.execute_batch("PRAGMA journal_mode = OFF;")?;
        begin(&connection, balance)?;
        connection.close().map_err(|(_, error)| error)
    });
    made.map_err(|error| failed(&format!("cannot make {}", file.display()), error))?;
    fs::rename(&beside, file).map_err(refused)
}

/// Fills an empty database.
fn begin(connection: &Connection, balance: Decimal) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN")?;
    connection.execute_batch(SCHEMA)?;
    connection.execute("INSERT INTO service VALUES (1, ?1, 0)", [balance.to_string()])?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    connection.execute_batch("COMMIT")
}

fn open_file(file: &Path) -> Result<(Connection, Saved), ServiceError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let damaged = |error: rusqlite::Error| {
        let message =
            format!("{} is damaged, or not the database of a local service; it was left as it is", file.display());
        failed(&message, error)
    };
    let connection = Connection::open_with_flags(file, flags).map_err(damaged)?;
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    if number("application_id").map_err(damaged)? != APPLICATION {
        let message = format!("{} is not the database of a local service; it was left as it is", file.display());
        return Err(ServiceError::config(message));
    }
    let version = number("user_version").map_err(damaged)?;
    if version != VERSION {
        let message = format!(
            "{} was written by another version of rowhaul (its form is {version}, this one reads {VERSION}); it was left as it is",
            file.display()
        );
        return Err(ServiceError::config(message));
    }
    let found: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(damaged)?;
    if found != "ok" {
        return Err(ServiceError::config(format!("{} is damaged: {found}; it was left as it is", file.display())));
    }
    let saved = load(&connection).map_err(damaged)?;
    // In this mode a commit is in the system's hands when it returns, which is what `kill -9` cannot take back.
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;").map_err(damaged)?;
    Ok((connection, saved))
}

fn failed(message: &str, error: rusqlite::Error) -> ServiceError {
    ServiceError::system(message, std::io::Error::other(error))
}

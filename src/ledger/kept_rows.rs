//! Rows that were kept: which file answers which request, how much they take together, and when a file is taken away.
//!
//! Arrives: a file that is whole and in its place. Leaves: the file that answers a [`Question`]. A file is indexed
//! after it is in place. [`Account::forget_rows`] deletes the file before its index row; eviction deletes the row
//! first. What stands in a file is not known here; its digest is, so that whoever reads it can tell whether it is what
//! was kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{OptionalExtension, Transaction, params};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::account::{Account, Survives};
use super::entry_id::now;
use super::error::LedgerError;
use super::one_form::canonical;
use super::place;
use crate::wire::{AgentName, JobId};

/// What rows answer. Equal questions have equal answers, as far as a service gives equal ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    agent: String,
    params: [u8; 32],
    options: [u8; 32],
}

/// A file of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    pub job_id: JobId,
    pub path: PathBuf,
    pub bytes: u64,
    /// SHA-256 of all its bytes.
    pub digest: [u8; 32],
}

/// A file that was begun and is this old belongs to a process that ended.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

impl Question {
    /// By the agent as the service names it, its completed parameters in whatever order, and what decides how rows are
    /// decoded.
    pub fn new(agent: &AgentName, params: &Map<String, Value>, options: &str) -> Self {
        let digest = |text: &str| Sha256::digest(text.as_bytes()).into();
        Self { agent: agent.to_string(), params: digest(&canonical(params)), options: digest(options) }
    }
}

impl Account {
    /// A place for rows that nothing else has, in `folder` or else beside the ledger. Makes the directory where it is
    /// missing.
    pub fn place_for_rows(&self, folder: Option<&Path>) -> Result<PathBuf, LedgerError> {
        let beside = || self.ledger().path().parent().unwrap_or(Path::new(".")).join("rows");
        let folder = folder.map_or_else(beside, Path::to_owned);
        place::make(&folder).map_err(|error| {
            LedgerError::new(format!("the directory `{}` cannot be made: {error}", folder.display())).caused(error)
        })?;
        sweep(&folder);
        let name = "SELECT lower(hex(randomblob(16))) || '.arrow'";
        let name: String = self.ledger().with(|open| open.connection.query_row(name, [], |row| row.get(0)))?;
        Ok(folder.join(name))
    }

    /// Enters a file, instead of what answered the same question before, and takes those of its directory away that
    /// were written first, until all take `limit` bytes at most.
    pub fn keep_rows(&self, question: &Question, kept: &KeptFile, limit: u64) -> Result<(), LedgerError> {
        let Some((folder, file)) = split(&kept.path) else {
            return Err(LedgerError::new(format!("`{}` is no name that can be written down", kept.path.display())));
        };
        let taken_away = self.write(Survives::Process, |transaction, account, _| {
            // Rows that are fetched again are as old as they were. Of another question the id is another job's.
            let first = "SELECT min(kept_at) FROM kept_rows
                         WHERE account = ? AND job_id = ? AND agent = ? AND params = ?";
            let of_it = params![account, kept.job_id.as_str(), question.agent, question.params];
            let first: Option<i64> = transaction.prepare_cached(first)?.query_row(of_it, |row| row.get(0))?;
            let mut taken_away = replaced(transaction, account, question)?;
            let enter =
                "INSERT INTO kept_rows (account, job_id, agent, params, options, folder, file, bytes, digest, kept_at)
                         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
            transaction.prepare_cached(enter)?.execute(params![
                account,
                kept.job_id.as_str(),
                question.agent,
                question.params,
                question.options,
                folder,
                file,
                kept.bytes.cast_signed(),
                kept.digest,
                first.unwrap_or_else(now),
            ])?;
            taken_away.extend(evicted(transaction, folder, limit)?);
            Ok(taken_away)
        })?;
        for path in taken_away {
            // Nothing names it any more; a file that cannot be removed is in the way of nobody but the disk.
            let _ = fs::remove_file(path);
        }
        Ok(())
    }

    /// The file that answers a question, if it was kept within that time.
    pub fn kept_rows(&self, question: &Question, within: Duration) -> Result<Option<KeptFile>, LedgerError> {
        self.read(|connection, account| {
            let find = "SELECT job_id, folder, file, bytes, digest FROM kept_rows
                        WHERE account = ? AND agent = ? AND params = ? AND options = ? AND kept_at > ?";
            let Question { agent, params, options } = question;
            let mut find = connection.prepare_cached(find)?;
            let found = find.query_row(params![account, agent, params, options, since(within)], |row| {
                let (job_id, path): (String, _) = (row.get(0)?, path_of(row, 1)?);
                let (bytes, digest) = (row.get::<_, i64>(3)?.cast_unsigned(), row.get(4)?);
                Ok(job_id.parse().ok().map(|job_id| KeptFile { job_id, path, bytes, digest }))
            });
            found.optional().map(Option::flatten)
        })
    }

    /// The job whose rows were kept last within that time as the answer to the same question but for how they were
    /// decoded.
    pub fn kept_otherwise(&self, question: &Question, within: Duration) -> Result<Option<JobId>, LedgerError> {
        self.read(|connection, account| {
            let find = "SELECT job_id FROM kept_rows
                        WHERE account = ? AND agent = ? AND params = ? AND options <> ? AND kept_at > ?
                        ORDER BY kept_at DESC, kept DESC LIMIT 1";
            let Question { agent, params, options } = question;
            let mut find = connection.prepare_cached(find)?;
            let found = find.query_row(params![account, agent, params, options, since(within)], |row| {
                Ok(row.get::<_, String>(0)?.parse().ok())
            });
            found.optional().map(Option::flatten)
        })
    }

    /// Takes away the kept rows of a job, or all of this account, and says how many there were.
    ///
    /// # Errors
    /// Also where a file cannot be removed: then it stays in the index, with those after it.
    pub fn forget_rows(&self, job_id: Option<&str>) -> Result<usize, LedgerError> {
        let kept: Vec<(i64, PathBuf)> = self.read(|connection, account| {
            let find = "SELECT kept, folder, file FROM kept_rows WHERE account = ?1 AND (?2 IS NULL OR job_id = ?2)";
            let mut find = connection.prepare_cached(find)?;
            let kept = find.query_map(params![account, job_id], |row| Ok((row.get(0)?, path_of(row, 1)?)))?;
            kept.collect()
        })?;
        for (number, path) in &kept {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let message = format!("the kept rows in `{}` cannot be removed: {error}", path.display());
                    return Err(LedgerError::new(message).caused(error));
                }
                _ => self.write(Survives::Process, |transaction, _, _| {
                    transaction.prepare_cached("DELETE FROM kept_rows WHERE kept = ?")?.execute([number])
                })?,
            };
        }
        Ok(kept.len())
    }
}

/// The time from which on something was kept within so much time.
fn since(within: Duration) -> i64 {
    now().saturating_sub(i64::try_from(within.as_micros()).unwrap_or(i64::MAX))
}

/// Leaves out of the index what answered a question before.
fn replaced(transaction: &Transaction<'_>, account: i64, question: &Question) -> rusqlite::Result<Vec<PathBuf>> {
    let replace = "DELETE FROM kept_rows WHERE account = ? AND agent = ? AND params = ? AND options = ?
                   RETURNING folder, file";
    let mut replace = transaction.prepare_cached(replace)?;
    let Question { agent, params, options } = question;
    replace.query_map(params![account, agent, params, options], |row| path_of(row, 0))?.collect()
}

/// Leaves the files of a directory that were written first out of the index until the others take `limit` bytes at
/// most. The last one stays, however old its rows are.
fn evicted(transaction: &Transaction<'_>, folder: &str, limit: u64) -> rusqlite::Result<Vec<PathBuf>> {
    let evict = "DELETE FROM kept_rows WHERE kept IN (
                     SELECT kept FROM (
                         SELECT kept, sum(bytes) OVER (ORDER BY kept DESC) AS with_newer
                         FROM kept_rows WHERE folder = ?1)
                     WHERE with_newer > ?2)
                 RETURNING folder, file";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    transaction.prepare_cached(evict)?.query_map(params![folder, limit], |row| path_of(row, 0))?.collect()
}

fn path_of(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<PathBuf> {
    Ok(Path::new(&row.get::<_, String>(at)?).join(row.get::<_, String>(at + 1)?))
}

fn split(path: &Path) -> Option<(&str, &str)> {
    Some((path.parent()?.to_str()?, path.file_name()?.to_str()?))
}

/// Removes what killed processes had begun to write. It is only tidied: nothing depends on it.
fn sweep(folder: &Path) {
    let is_begun = |entry: &fs::DirEntry| entry.file_name().to_str().is_some_and(|name| name.starts_with(".rowhaul-"));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(is_begun) {
        let changed = entry.metadata().and_then(|file| file.modified());
        let age = changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
        if age.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Ledger;

    const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

    fn account(folder: &Path, mark: u8) -> Account {
        Account::new(Ledger::at(&folder.join("ledger.sqlite")), move |_| [mark; 32])
    }

    fn question(number: u64) -> Question {
        let params = serde_json::json!({"n": number, "a": {"x": 1, "y": 2}});
        Question::new(&"g/a".parse().unwrap(), params.as_object().unwrap(), "")
    }

    /// Keeps a file of that many bytes.
    fn keep(account: &Account, number: u64, bytes: u64, limit: u64) -> PathBuf {
        let path = account.place_for_rows(None).unwrap();
        fs::write(&path, vec![0; usize::try_from(bytes).unwrap()]).unwrap();
        let kept = KeptFile { job_id: format!("j{number}").parse().unwrap(), path, bytes, digest: [7; 32] };
        account.keep_rows(&question(number), &kept, limit).unwrap();
        kept.path
    }

    /// Makes all that is kept a minute older.
    fn age(account: &Account) {
        let make_old = "UPDATE kept_rows SET kept_at = kept_at - 60000000";
        account.ledger().with(|open| open.connection.execute(make_old, [])).unwrap();
    }

    #[test]
    fn the_oldest_go_until_all_fit_whoever_kept_them() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (account(folder.path(), 1), account(folder.path(), 2));
        let paths = [keep(&one, 1, 40, 100), keep(&other, 2, 40, 100), keep(&one, 3, 20, 100), keep(&one, 4, 70, 100)];
        assert_eq!(paths.map(|path| path.exists()), [false, false, true, true]);
        let is_kept = |account: &Account, number| account.kept_rows(&question(number), WEEK).unwrap().is_some();
        assert_eq!(
            [is_kept(&one, 1), is_kept(&other, 2), is_kept(&one, 3), is_kept(&one, 4)],
            [false, false, true, true]
        );
    }

    #[test]
    fn what_is_kept_again_takes_the_place_of_what_was_kept() {
        let folder = tempfile::tempdir().unwrap();
        let account = account(folder.path(), 1);
        let paths = [keep(&account, 1, 60, 100), keep(&account, 2, 40, 100), keep(&account, 1, 60, 100)];
        assert_eq!(paths.each_ref().map(|path| path.exists()), [false, true, true]);
        assert_eq!(account.kept_rows(&question(1), WEEK).unwrap().unwrap().path, paths[2]);
        assert_eq!(account.kept_rows(&question(1), Duration::ZERO).unwrap(), None);
    }

    #[test]
    fn rows_that_are_kept_in_another_form_are_as_old_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let account = account(folder.path(), 1);
        keep(&account, 1, 10, 100);
        age(&account);
        let other = Question { options: [9; 32], ..question(1) };
        assert_eq!(account.kept_otherwise(&other, WEEK).unwrap(), Some("j1".parse().unwrap()));
        let path = account.place_for_rows(None).unwrap();
        fs::write(&path, [0; 10]).unwrap();
        let again = KeptFile { job_id: "j1".parse().unwrap(), path, bytes: 10, digest: [7; 32] };
        account.keep_rows(&other, &again, 100).unwrap();
        assert_eq!(account.kept_rows(&other, WEEK).unwrap(), Some(again));
        let lately = Duration::from_secs(30);
        assert_eq!(
            (account.kept_rows(&other, lately).unwrap(), account.kept_otherwise(&other, lately).unwrap()),
            (None, None)
        );
    }

    #[test]
    fn rows_of_another_question_are_not_as_old_as_what_was_kept_of_the_job_that_had_the_id_before() {
        let folder = tempfile::tempdir().unwrap();
        let account = account(folder.path(), 1);
        keep(&account, 1, 10, 100);
        age(&account);
        let give_id_again = "UPDATE kept_rows SET job_id = 'j2'";
        account.ledger().with(|open| open.connection.execute(give_id_again, [])).unwrap();
        keep(&account, 2, 10, 100);
        assert!(account.kept_rows(&question(2), Duration::from_secs(30)).unwrap().is_some());
    }

    #[test]
    fn what_was_written_last_stays_however_old_its_rows_are() {
        let folder = tempfile::tempdir().unwrap();
        let account = account(folder.path(), 1);
        let first = keep(&account, 1, 20, 100);
        age(&account);
        let newer = keep(&account, 2, 50, 100);
        let path = account.place_for_rows(None).unwrap();
        fs::write(&path, [0; 40]).unwrap();
        let again = KeptFile { job_id: "j1".parse().unwrap(), path: path.clone(), bytes: 40, digest: [7; 32] };
        account.keep_rows(&Question { options: [9; 32], ..question(1) }, &again, 100).unwrap();
        assert_eq!([first, newer, path].map(|path| path.exists()), [false, true, true]);
    }

    #[test]
    fn an_account_finds_and_forgets_its_own_rows_only() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (account(folder.path(), 1), account(folder.path(), 2));
        let paths = [keep(&one, 1, 10, 100), keep(&one, 2, 10, 100), keep(&one, 3, 10, 100)];
        assert_eq!(other.kept_rows(&question(1), WEEK).unwrap(), None);
        assert_eq!(other.forget_rows(None).unwrap(), 0);
        fs::remove_file(&paths[2]).unwrap();
        assert_eq!(one.forget_rows(Some("j1")).unwrap(), 1);
        assert_eq!(paths.each_ref().map(|path| path.exists()), [false, true, false]);
        assert_eq!(one.forget_rows(None).unwrap(), 2);
        assert_eq!(one.forget_rows(None).unwrap(), 0);
    }

    #[test]
    fn what_a_killed_process_had_begun_goes_after_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let begun = |name: &str, age| {
            let file = fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
            folder.path().join(name)
        };
        let of_today = begun(".rowhaul-a", Duration::ZERO);
        let (of_yesterday, of_others) = (begun(".rowhaul-b", ABANDONED * 2), begun("other", ABANDONED * 2));
        account(folder.path(), 1).place_for_rows(Some(folder.path())).unwrap();
        assert_eq!([of_today, of_yesterday, of_others].map(|path| path.exists()), [true, false, true]);
    }
}

//! Rows that are kept on disk, and requests that are answered from there.
//!
//! Rows that were fetched go into a file of their own, which the ledger enters as the answer to its request. A file that is not
//! what was entered answers nothing, and rows that were decoded otherwise are not those that are asked for: the service is then
//! asked for them again, for they are paid for. That rows cannot be kept, or what was kept cannot be used, is a note: neither takes
//! away rows that were paid for.

use std::fs::{self, File};
use std::io::{self, BufReader, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::rows::RowOptions;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;
use crate::client::job::Job;
use crate::client::prepare::Prepared;
use crate::client::progress::{Phase, Progress};
use crate::client::{Client, RunOptions};
use crate::files::WholeFile;
use crate::ledger::{EntryId, KeptFile, Question};
use crate::rows::{Note, ParseDates, Rows, read_kept, write_kept};
use crate::wire::{AgentName, JobId};

/// Where fetched rows are kept, and how much of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepRows {
    /// The directory; `None` for `rows` beside the ledger.
    pub folder: Option<PathBuf>,
    /// More bytes than this are not kept: the oldest files go. Default 2 GiB.
    pub max_bytes: u64,
}

impl Default for KeepRows {
    fn default() -> Self {
        Self { folder: None, max_bytes: 2 << 30 }
    }
}

/// What was kept that answers a request.
pub(in crate::client) enum Answer {
    Nothing,
    Rows(Box<(Job, Rows)>),
    /// Rows of this job that are not what is wanted; the service may still have them.
    OfJob(Box<(Job, Lack)>),
    /// What there was is not known, and why.
    Unknown(String),
}

/// Why kept rows do not answer a request.
pub(in crate::client) enum Lack {
    /// They were decoded with other options.
    Otherwise,
    /// Their file, and what is wrong with it.
    Broken(PathBuf, String),
}

impl Lack {
    /// What is to be said where they were fetched again; of rows decoded otherwise nothing.
    fn told_fetched(&self, id: &JobId) -> Option<String> {
        match self {
            Self::Otherwise => None,
            Self::Broken(path, error) => {
                let path = path.display();
                Some(format!(
                    "the rows kept of job `{id}` in `{path}` could not be used and were fetched again: {error}"
                ))
            }
        }
    }

    /// The same where the request was run anew.
    fn told_run(&self, id: &JobId) -> String {
        match self {
            Self::Otherwise => format!(
                "the rows kept of job `{id}` were decoded with other options and cannot be fetched any more, so this was run"
            ),
            Self::Broken(path, error) => {
                let path = path.display();
                format!("the rows kept of job `{id}` in `{path}` could not be used, so this was run: {error}")
            }
        }
    }
}

impl Client {
    /// Takes away the kept rows of a job, or all that this account has kept, and says of how many requests. What the ledger says
    /// of the jobs stays. Sends nothing.
    ///
    /// # Errors
    /// `Ledger` where that fails, or where this client keeps no ledger.
    pub async fn forget(&self, job_id: Option<String>) -> Result<usize, Error> {
        self.kept(move |account| account.forget_rows(job_id.as_deref())).await
    }

    /// Refuses to reuse what is not kept.
    pub(in crate::client) fn check_reuse(&self, options: &RunOptions) -> Result<(), Error> {
        if options.reuse.is_some() && self.config().keep_rows.is_none() {
            return Err(Error::new(ErrorKind::Config, "`reuse` needs rows that were kept, and this client keeps none")
                .with_hint("make it with `keep_rows=True`"));
        }
        Ok(())
    }

    /// Looks for rows that were kept lately enough for these options. Sends nothing.
    pub(in crate::client) async fn kept_answer(
        &self,
        prepared: &Prepared,
        options: &RunOptions,
        progress: &Progress,
    ) -> Result<Answer, Error> {
        self.check_reuse(options)?;
        let Some(within) = options.reuse else { return Ok(Answer::Nothing) };
        let question = self.question(&prepared.agent, &prepared.params, &options.rows);
        let (client, prepared) = (self.clone(), prepared.clone());
        let found = tokio::task::spawn_blocking(move || client.find_kept(&question, &prepared, within)).await;
        let found = found.unwrap_or_else(|lost| Answer::Unknown(lost.to_string()));
        if let Answer::Rows(answer) = &found {
            let (job, rows) = &**answer;
            progress.enter(Phase::Done);
            progress.know_job(job.id());
            progress.see_status(job.status().as_str());
            progress.received(0, rows.len() as u64);
        }
        Ok(found)
    }

    fn find_kept(&self, question: &Question, prepared: &Prepared, within: Duration) -> Answer {
        let found = self.in_ledger_now(|account| match account.kept_rows(question, within)? {
            Some(kept) => Ok(Ok(kept)),
            None => account.kept_otherwise(question, within).map(Err),
        });
        match found {
            Ok(Some(Ok(kept))) => match read(&kept) {
                Ok(rows) => Answer::Rows(Box::new((self.job_of_kept(kept.job_id, prepared, &rows), rows))),
                Err(error) => self.of_job(kept.job_id, prepared, Lack::Broken(kept.path, error.to_string())),
            },
            Ok(Some(Err(Some(id)))) => self.of_job(id, prepared, Lack::Otherwise),
            Ok(Some(Err(None)) | None) => Answer::Nothing,
            Err(error) => Answer::Unknown(format!("what was kept is not known: {error}")),
        }
    }

    /// The job that rows were kept of.
    fn job_of_kept(&self, id: JobId, prepared: &Prepared, rows: &Rows) -> Job {
        let mut job = self.recall(id, Some(prepared.agent.clone()));
        let is_it = job.is_completed() && job.row_count() == Some(rows.len() as u64);
        if !is_it || job.params() != Some(&prepared.params) {
            // Its id is another job's by now, or the ledger knows less than its rows.
            job = Job::new(job.id().clone(), Some(prepared.agent.clone()), self.known_price(&prepared.agent));
            job.params = Some(Arc::new(prepared.params.clone()));
        }
        let mut job = job.with_rows(rows.len() as u64);
        job.is_reused = true;
        job
    }

    fn of_job(&self, id: JobId, prepared: &Prepared, lack: Lack) -> Answer {
        Answer::OfJob(Box::new((self.recall(id, Some(prepared.agent.clone())), lack)))
    }

    /// Fetches the rows of a job that were kept and do not answer a request as they are. It starts and costs nothing. Gives why the
    /// request has to be run where the service has them no more.
    pub(in crate::client) async fn rows_again(
        &self,
        call: &Call,
        job: Job,
        lack: Lack,
        prepared: &Prepared,
        options: &RunOptions,
        progress: &Progress,
    ) -> Result<Result<(Job, Rows), String>, Error> {
        let told_run = lack.told_run(job.id());
        // Else its id is another job's by now.
        if !job.is_completed() || job.is_doubtful || job.params() != Some(&prepared.params) {
            return Ok(Err(told_run));
        }
        match self.rows_within(call, &job, &options.rows, progress).await {
            Ok((job, _)) if job.is_doubtful => Ok(Err(told_run)),
            Ok((mut job, mut rows)) => {
                job.is_reused = true;
                if let Some(told) = lack.told_fetched(job.id()) {
                    note(&mut job, &mut rows, told);
                }
                Ok(Ok((job, rows)))
            }
            Err(error) if is_gone(&error) => Ok(Err(told_run)),
            Err(error) => Err(error),
        }
    }

    /// Keeps the rows of a job whose parameters are known, if this client keeps any; why not becomes a note.
    pub(in crate::client) async fn keep(&self, job: &mut Job, rows: &mut Rows, options: &RowOptions) {
        let Some(keeping) = self.config().keep_rows.clone() else { return };
        let (Some(agent), Some(params)) = (job.agent(), job.params()) else { return };
        let question = self.question(&agent, params, options);
        let (client, of, whole) = (self.clone(), job.clone(), rows.clone());
        let kept = tokio::task::spawn_blocking(move || client.keep_now(&question, &of, &whole, &keeping)).await;
        if let Err(why) = kept.unwrap_or_else(|lost| Err(lost.to_string())) {
            note(job, rows, format!("the rows were not kept: {why}"));
        }
    }

    fn keep_now(&self, question: &Question, job: &Job, rows: &Rows, keeping: &KeepRows) -> Result<(), String> {
        self.check_that_they_answer(job)?;
        let place = self.in_ledger_now(|account| account.place_for_rows(keeping.folder.as_deref()));
        let Some(path) = place.map_err(|error| error.to_string())? else { return Ok(()) };
        let written = write(rows, &path, keeping.max_bytes);
        let Some((bytes, digest)) = written.map_err(|error| format!("`{}`: {error}", path.display()))? else {
            return Err(format!("they take more than {} bytes (`keep_rows_bytes`)", keeping.max_bytes));
        };
        let kept = KeptFile { job_id: job.id().clone(), path, bytes, digest };
        let entered = self.in_ledger_now(|account| account.keep_rows(question, &kept, keeping.max_bytes));
        entered.map(drop).map_err(|error| {
            let _ = fs::remove_file(&kept.path);
            error.to_string()
        })
    }

    /// Whether a job is the one that its request started, and not another that has its id: else its rows answer something else.
    fn check_that_they_answer(&self, job: &Job) -> Result<(), String> {
        let known = self
            .in_ledger_now(|account| account.entry(job.id().as_str()))
            .map_err(|error| error.to_string())?
            .flatten();
        if job.is_doubtful || known.as_ref().is_some_and(|known| known.is_doubtful) {
            return Err("two times of the job's creation were told, so its id may have been given again".to_owned());
        }
        match (job.entry, known) {
            (Some(entry), Some(known)) if !entry.is_of_start(EntryId::of(&known)) => {
                Err("the id of their job is a later start's by now".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn question(&self, agent: &AgentName, params: &Map<String, Value>, options: &RowOptions) -> Question {
        Question::new(&self.wire_name(agent), params, &self.way_of_decoding(agent, options))
    }

    /// All that makes tables of one body differ, as a text.
    fn way_of_decoding(&self, agent: &AgentName, options: &RowOptions) -> String {
        let columns = match &options.schema {
            Some(schema) => {
                let columns = schema.fields().iter().map(|field| (field.name(), field.data_type()));
                format!("{:?}", columns.collect::<Vec<_>>())
            }
            None => self.known_agent(agent).map_or_else(String::new, |agent| format!("{}/{}", agent.group, agent.slug)),
        };
        let mut dates = options.parse_dates.clone();
        if let ParseDates::Columns(names) = &mut dates {
            names.sort();
        }
        format!("{columns} {dates:?} {}", options.max_columns)
    }
}

/// Whether the service has the rows of a job no more.
fn is_gone(error: &Error) -> bool {
    let has_none = matches!(error.kind(), ErrorKind::ResultsNotReady | ErrorKind::JobFailed);
    has_none || matches!(error.status_code(), Some(404 | 410))
}

/// Says something of a job and of its rows.
pub(in crate::client) fn note(job: &mut Job, rows: &mut Rows, text: String) {
    rows.push_note(Note::on_table(text.as_str()));
    job.note(text);
}

/// Writes a file for the user's eyes only: its bytes and their digest; `None` where it would have more than `limit`.
fn write(rows: &Rows, path: &Path, limit: u64) -> io::Result<Option<(u64, [u8; 32])>> {
    let mut out = Sealed { file: WholeFile::create_private(path)?, digest: Sha256::new(), bytes: 0, limit };
    match write_kept(rows, &mut out) {
        _ if out.bytes > limit => return Ok(None),
        written => written?,
    }
    out.file.commit()?;
    Ok(Some((out.bytes, out.digest.finalize().into())))
}

/// Reads a file that is what was kept.
fn read(kept: &KeptFile) -> io::Result<Rows> {
    let file = fs::metadata(&kept.path)?;
    if !file.is_file() || file.len() != kept.bytes {
        return Err(io::Error::other("it is not the file that was kept"));
    }
    let mut file = File::open(&kept.path)?;
    let mut digest = Sha256::new();
    io::copy(&mut file, &mut digest)?;
    if <[u8; 32]>::from(digest.finalize()) != kept.digest {
        return Err(io::Error::other("it was changed since"));
    }
    file.rewind()?;
    read_kept(BufReader::new(file))
}

/// A file whose bytes are counted and digested while they are written, up to a limit.
struct Sealed {
    file: WholeFile,
    digest: Sha256,
    bytes: u64,
    limit: u64,
}

impl Write for Sealed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes + bytes.len() as u64 > self.limit {
            self.bytes = u64::MAX;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.file.write(bytes)?;
        self.digest.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

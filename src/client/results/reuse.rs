//! Requests that are answered by an earlier run: from the disk, or by fetching its rows once more. Neither starts or
//! costs anything.
//!
//! A file that is not what was kept answers nothing, and rows that were decoded otherwise are not those that are asked
//! for: the service is then asked for them again, for they are paid for. Only where it has them no more the request is
//! run anew, and that is noted. Where it cannot give them just now, that is an error: to run anew is for the caller to
//! say.

use std::fs::{self, File};
use std::io::{self, BufReader, Seek};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::keep::note;
use crate::client::call::Call;
use crate::client::error::Error;
use crate::client::error_kind::ErrorKind;
use crate::client::job::Job;
use crate::client::prepare::Prepared;
use crate::client::progress::{Phase, Progress};
use crate::client::{Client, RunOptions};
use crate::ledger::{KeptFile, Question};
use crate::rows::{Rows, read_kept};
use crate::wire::{AgentName, JobId, are_apart, moment};

/// Whether a request is answered by an earlier run.
pub(in crate::client) enum Reused {
    Rows(Box<(Job, Rows)>),
    /// It has to be run; and why it has, where rows were kept.
    Nothing(Option<String>),
}

/// What was kept that answers a request.
enum Found {
    Nothing,
    Rows(Job, Rows),
    /// Rows of this job that are not what is wanted.
    OfJob(Job, Lack),
    /// What there was is not known, and why.
    Unknown(String),
}

/// Why kept rows do not answer a request.
enum Lack {
    /// They were decoded with other options.
    Otherwise,
    /// Their file, and what is wrong with it.
    Broken(PathBuf, String),
}

impl Client {
    /// Refuses to reuse what is not kept.
    pub(in crate::client) fn check_reuse(&self, options: &RunOptions) -> Result<(), Error> {
        if options.reuse.is_some() && self.config().keep_rows.is_none() {
            return Err(Error::new(ErrorKind::Config, "`reuse` needs rows that were kept, and this client keeps none")
                .with_hint("make it with `keep_rows=True`"));
        }
        Ok(())
    }

    /// Looks for rows that were kept lately enough for these options. `seen` keeps their job where they cannot be
    /// fetched again.
    pub(in crate::client) async fn reused(
        &self,
        prepared: &Prepared,
        options: &RunOptions,
        progress: &Progress,
        seen: &mut Option<Job>,
    ) -> Result<Reused, Error> {
        let call = Call::new(Some(options.timeout.unwrap_or(self.config().timeout)));
        let reused = self.reused_within(&call, prepared, options, progress, seen).await;
        call.finish(self.key(), reused)
    }

    async fn reused_within(
        &self,
        call: &Call,
        prepared: &Prepared,
        options: &RunOptions,
        progress: &Progress,
        seen: &mut Option<Job>,
    ) -> Result<Reused, Error> {
        self.check_reuse(options)?;
        let Some(within) = options.reuse else { return Ok(Reused::Nothing(None)) };
        let question = self.question(&prepared.agent, &prepared.params, &options.rows);
        let (client, asked) = (self.clone(), prepared.clone());
        let found = tokio::task::spawn_blocking(move || client.find_kept(&question, &asked, within)).await;
        let reused = match found.unwrap_or_else(|lost| Found::Unknown(lost.to_string())) {
            Found::Nothing => Reused::Nothing(None),
            Found::Unknown(why) => Reused::Nothing(Some(why)),
            Found::Rows(job, rows) => Reused::Rows(Box::new((job, rows))),
            Found::OfJob(job, _) if !job.is_completed() || !is_of(&job, prepared) => {
                Reused::Nothing(Some(told_anothers(job.id())))
            }
            Found::OfJob(job, lack) => {
                progress.reuse();
                let job = seen.insert(job.reused());
                let again = lack.told(job.id(), self.fetch_again(call, job, prepared, options, progress).await)?;
                *seen = None;
                again
            }
        };
        match &reused {
            Reused::Rows(answer) => {
                let (job, rows) = &**answer;
                progress.reuse();
                progress.know_job(job.id());
                progress.see_status(job.status().as_str());
                progress.received(progress.bytes(), rows.len() as u64);
                progress.enter(Phase::Done);
            }
            Reused::Nothing(_) => progress.begin_anew(),
        }
        Ok(reused)
    }

    fn find_kept(&self, question: &Question, prepared: &Prepared, within: Duration) -> Found {
        let unknown = |error| Found::Unknown(format!("what was kept is not known: {error}"));
        let job = |id| self.recall(id, Some(prepared.agent.clone()));
        match self.in_ledger_now(|account| account.kept_rows(question, within)).map(Option::flatten) {
            Ok(None) => {}
            Ok(Some(kept)) => {
                return match read(&kept) {
                    Ok(rows) => Found::Rows(self.job_of_kept(kept.job_id, prepared, &rows), rows),
                    Err(error) => Found::OfJob(job(kept.job_id), Lack::Broken(kept.path, error.to_string())),
                };
            }
            Err(error) => return unknown(error),
        }
        match self.in_ledger_now(|account| account.kept_otherwise(question, within)).map(Option::flatten) {
            Ok(None) => Found::Nothing,
            Ok(Some(id)) => Found::OfJob(job(id), Lack::Otherwise),
            Err(error) => unknown(error),
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
        job.with_rows(rows.len() as u64).reused()
    }

    /// Whether the service names another agent for a job than it was started for, or another time of its end than of
    /// that kept.
    fn is_of_another(&self, kept: &Job, job: &Job, agent: &AgentName) -> bool {
        let told = job.record().agent.as_deref().and_then(|told| told.parse::<AgentName>().ok());
        let is_elsewhere = told.is_some_and(|told| told != *agent && told != self.wire_name(agent));
        let [was, is] = [kept, job].map(|job| job.record().completed_at.as_deref());
        is_elsewhere || are_apart(was, is)
    }

    /// Fetches the rows of a job that were kept and do not answer a request as they are; `None` where its id may be
    /// another job's by now. How the job is is asked first, for results do not say when it was created.
    async fn fetch_again(
        &self,
        call: &Call,
        job: &Job,
        prepared: &Prepared,
        options: &RunOptions,
        progress: &Progress,
    ) -> Result<Option<(Job, Rows)>, Error> {
        call.is_about(job.id());
        progress.know_job(job.id());
        progress.see_status(job.status().as_str());
        progress.enter(Phase::Fetching);
        let kept = job;
        let (job, is_certain) = match self.ask_status(call, kept, progress).await {
            Ok(job) => (job.clone(), is_created_once(kept, &job)),
            // The rows may be there all the same; where they are not, the status is asked again.
            Err(error) if matches!(error.status_code(), Some(404 | 410)) => (kept.clone(), false),
            Err(error) => return Err(error),
        };
        if !is_of(&job, prepared) || !is_certain && self.is_of_another(kept, &job, &prepared.agent) {
            return Ok(None);
        }
        let (job, mut rows) = Box::pin(self.decoded(call, &job, &options.rows, progress)).await?;
        if !is_of(&job, prepared) || !is_certain && kept.row_count().is_some_and(|known| known != rows.len() as u64) {
            return Ok(None);
        }
        let mut job = job.reused();
        self.keep_rows(&mut job, &mut rows, &options.rows).await;
        Ok(Some((job, rows)))
    }
}

impl Lack {
    /// What came of fetching them again, and what is to be said of it.
    fn told(&self, id: &JobId, fetched: Result<Option<(Job, Rows)>, Error>) -> Result<Reused, Error> {
        match fetched {
            Ok(Some((mut job, mut rows))) => {
                if let Some(told) = self.told_fetched(id) {
                    note(&mut job, &mut rows, told);
                }
                Ok(Reused::Rows(Box::new((job, rows))))
            }
            Ok(None) => Ok(Reused::Nothing(Some(told_anothers(id)))),
            Err(error) => match error.kind() {
                ErrorKind::JobFailed | ErrorKind::Api { status: 404 | 410, .. } => {
                    Ok(Reused::Nothing(Some(self.told_run(id))))
                }
                ErrorKind::ResultsNotReady => {
                    Err(error.with_hint("without `reuse` the request is run, and billed, anew"))
                }
                _ => Err(error),
            },
        }
    }

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

/// Whether this is the job of a request that is like this one, as far as is known: its id was not given to another.
fn is_of(job: &Job, prepared: &Prepared) -> bool {
    !job.is_doubtful && job.params() == Some(&prepared.params)
}

/// Whether the time of its creation was told of the job that was kept and is told of this one, in a way that can be
/// read: then they would be known as two. Where it was not, all else that tells them apart does.
fn is_created_once(kept: &Job, job: &Job) -> bool {
    [kept, job].iter().all(|job| job.record().created_at.as_deref().and_then(moment).is_some())
}

fn told_anothers(id: &JobId) -> String {
    format!("the id of job `{id}`, whose rows were kept, may be another job's by now, so this was run")
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

//! Rows that are kept on disk: in a file of their own, which the ledger enters as the answer to their request. That
//! rows cannot be kept is a note, and takes away nothing that was paid for. What is made of them later stands in
//! [`reuse`](super::reuse).

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::rows::RowOptions;
use crate::client::Client;
use crate::client::error::Error;
use crate::client::job::Job;
use crate::files::WholeFile;
use crate::ledger::{EntryId, KeptFile, Question};
use crate::rows::{Note, ParseDates, Rows, write_kept};
use crate::wire::AgentName;

/// Where fetched rows are kept, and how much of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepRows {
    /// The directory; `None` for `rows` beside the ledger.
    pub folder: Option<PathBuf>,
    /// More bytes than this are not kept: the files that were written first go. Default 2 GiB.
    pub max_bytes: u64,
}

impl Default for KeepRows {
    fn default() -> Self {
        Self { folder: None, max_bytes: 2 << 30 }
    }
}

impl Client {
    /// Takes away the kept rows of a job and says of how many requests. What the ledger says of the job stays. Sends
    /// nothing.
    ///
    /// # Errors
    /// `Ledger` where that fails, or where this client keeps no ledger.
    pub async fn forget(&self, job_id: String) -> Result<usize, Error> {
        self.require_ledger(move |account| account.forget_rows(Some(&job_id))).await
    }

    /// Takes away all rows that this account has kept: as [`Client::forget`] does those of a job.
    ///
    /// # Errors
    /// As there.
    pub async fn forget_all(&self) -> Result<usize, Error> {
        self.require_ledger(|account| account.forget_rows(None)).await
    }

    /// Keeps the rows of a job whose parameters are known, if this client keeps any; why not becomes a note.
    pub(in crate::client) async fn keep_rows(&self, job: &mut Job, rows: &mut Rows, options: &RowOptions) {
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

    /// Whether a job is the one that its request started, and not another that has its id: else its rows answer
    /// something else.
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

    pub(super) fn question(&self, agent: &AgentName, params: &Map<String, Value>, options: &RowOptions) -> Question {
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

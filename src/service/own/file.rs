//! Rows that lie in a file: newline-delimited JSON objects, or CSV with a header.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::agent::Source;
use super::feed::{Feed, FeedError};
use super::parameters::OwnParameter;

/// A file whose rows each run brings, read anew for each of them and never held.
///
/// Cells of a CSV file are texts, empty ones are null.
#[derive(Debug)]
pub struct RowsFile {
    path: PathBuf,
    is_csv: bool,
}

impl RowsFile {
    /// The parameter by which a run may ask for fewer rows.
    pub const LIMIT: &str = "maxResults";

    /// A file that can be opened and whose name ends in `.csv`, `.ndjson` or `.jsonl`.
    pub fn new(path: &Path) -> io::Result<Self> {
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        let is_csv = ending == "csv";
        if !is_csv && ending != "ndjson" && ending != "jsonl" {
            let message =
                "rows are read from files whose names end in .csv, .ndjson or .jsonl, from Python also .parquet";
            return Err(io::Error::other(message));
        }
        File::open(path)?;
        Ok(Self { path: path.to_owned(), is_csv })
    }

    /// What an agent of a file asks for.
    pub fn parameters() -> Vec<OwnParameter> {
        vec![OwnParameter::limit(Self::LIMIT, "Maximum rows; 0 or none means all.")]
    }

    fn read(&self, limit: u64, feed: &mut Feed) -> Result<(), FeedError> {
        let failed = |why: &dyn std::fmt::Display| FeedError::Refused(format!("{}: {why}", self.path.display()));
        let file = File::open(&self.path).map_err(|error| failed(&error))?;
        let mut take = |row: &str| {
            feed.row(row)?;
            if feed.is_full() { feed.flush() } else { Ok(()) }
        };
        if self.is_csv {
            let mut reader = csv::Reader::from_reader(file);
            let header = reader.headers().map_err(|error| failed(&error))?.clone();
            for record in reader.into_records().take(count(limit)) {
                let record = record.map_err(|error| failed(&error))?;
                let cell = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
                let cells = header.iter().zip(&record).map(|(name, text)| (name.to_owned(), cell(text)));
                take(&Value::Object(cells.collect()).to_string())?;
            }
            return Ok(());
        }
        let is_row = |line: &io::Result<String>| line.as_ref().map_or(true, |line| !line.trim().is_empty());
        for line in BufReader::new(file).lines().filter(is_row).take(count(limit)) {
            take(&line.map_err(|error| failed(&error))?)?;
        }
        Ok(())
    }
}

impl Source for RowsFile {
    fn bring(&self, params: Map<String, Value>, mut feed: Feed) {
        let limit = params.get(Self::LIMIT).and_then(Value::as_u64).unwrap_or(0);
        match self.read(limit, &mut feed) {
            Ok(()) => feed.finish(),
            Err(error) => feed.fail(&error.to_string()),
        }
    }
}

/// A limit of 0 is none.
fn count(limit: u64) -> usize {
    if limit == 0 { usize::MAX } else { usize::try_from(limit).unwrap_or(usize::MAX) }
}

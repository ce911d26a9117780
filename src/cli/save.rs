//! Rows into a file whose ending says its format, which appears whole or not at all; or to standard output.

use std::fmt;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use sha2::{Digest, Sha256};

use super::said::word;
use super::{Failure, print};
use crate::client::Job;
use crate::files::WholeFile;
use crate::rows::Rows;
use crate::rows::write::{Compression, CsvOptions, Packing, write_csv, write_ipc, write_ndjson, write_parquet};
use crate::wire::{JobId, percent_encoded};

/// How much of an id stands in the name of a file, which with all that is added may have 255 bytes.
const LONGEST_NAME: usize = 100;

/// What stands for standard output in place of a file.
const OUTPUT: &str = "-";

/// A file to be or standard output, and the format.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// `None` for standard output.
    path: Option<PathBuf>,
    format: Format,
    packing: Packing,
}

/// A format of files, by its ending.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Format {
    Parquet,
    Csv,
    Ndjson,
    Arrow,
}

impl Target {
    /// Reads the format off the ending and looks for the folder, so that a mistake is found before anything is fetched
    /// or paid.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text == OUTPUT {
            return Ok(Self { path: None, format: Format::Ndjson, packing: Packing::None });
        }
        let path = PathBuf::from(text);
        let packing = Packing::by_name(&path)?;
        let unpacked = if packing == Packing::None { path.clone() } else { path.with_extension("") };
        let ending = unpacked.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
        let format = match ending.as_str() {
            "csv" => Format::Csv,
            "ndjson" | "jsonl" => Format::Ndjson,
            "parquet" if packing == Packing::None => Format::Parquet,
            "arrow" | "feather" if packing == Packing::None => Format::Arrow,
            _ => return Err("the file's name must end in .parquet, .csv, .ndjson or .arrow; .csv and .ndjson may be followed by .gz or .zst; `-` alone is standard output".to_owned()),
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(format!("there is no folder `{}`", folder.display()));
        }
        Ok(Self { path: Some(path), format, packing })
    }

    /// The file in a folder that is called like the job, whatever a service calls its jobs.
    pub(super) fn of_job(folder: &Path, id: &JobId, format: Format) -> Self {
        let ending = match format {
            Format::Parquet => "parquet",
            Format::Csv => "csv",
            Format::Ndjson => "ndjson",
            Format::Arrow => "arrow",
        };
        let path = folder.join(format!("{}.{ending}", name_of(id.as_str())));
        Self { path: Some(path), format, packing: Packing::None }
    }

    /// Where rows go to standard output, leaves that to them: nothing else is printed there from here on.
    pub(super) fn keep_clear(&self) {
        if self.path.is_none() {
            print::leave_output_to_rows();
        }
    }

    /// Writes the rows of a job, which were paid for: where that fails, the error says how they can be had. Gives what
    /// [`Target::write`] does.
    pub(super) fn write_of(&self, job: &Job, rows: &Rows) -> Result<bool, Failure> {
        self.write(rows).map_err(|error| {
            let id = word(job.id().as_str());
            format!("`{self}` cannot be written: {error}\nthe rows were paid for and can be had again: rowhaul job {id} -o FILE").into()
        })
    }

    /// Writes rows, and gives whether all went where they should: whoever reads standard output may stop before the
    /// last.
    pub(super) fn write(&self, rows: &Rows) -> Result<bool, Failure> {
        let Some(path) = &self.path else {
            let written = print::rows(|out| write_ndjson(rows, out))?;
            return Ok(written);
        };
        let mut file = WholeFile::create(path)?;
        match self.format {
            Format::Parquet => write_parquet(rows, &mut file, Compression::default())?,
            Format::Csv => self.packing.pack(&mut file, |out| write_csv(rows, out, CsvOptions::default()))?,
            Format::Ndjson => self.packing.pack(&mut file, |out| write_ndjson(rows, out))?,
            Format::Arrow => write_ipc(rows, &mut file)?,
        }
        file.commit()?;
        Ok(true)
    }
}

/// What is told of rows of which not all were read.
pub(super) fn stopped_early(job: &Job) -> String {
    let id = word(job.id().as_str());
    format!("whoever read the rows stopped before the last; all of them: rowhaul job {id} -o FILE")
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => path.display().fmt(f),
            None => f.write_str("standard output"),
        }
    }
}

/// An id as the name of a file. Of a long one it is the beginning, and what tells it from others that begin so.
fn name_of(id: &str) -> String {
    let mut name = percent_encoded(id);
    if name.len() > LONGEST_NAME {
        name.truncate(LONGEST_NAME);
        name = format!("{name}-{:x}", Sha256::digest(id));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_like_its_job_however_long_that_is() {
        assert_eq!(name_of("a/b c"), "a%2Fb%20c");
        let [one, other] = ["1", "2"].map(|last| name_of(&format!("{}{last}", "é".repeat(100))));
        assert!(one != other && one.starts_with("%C3%A9") && one.len() < 200, "{one} {other}");
    }
}

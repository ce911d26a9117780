//! What can go wrong, and what is known about the start when it did.

use std::path::PathBuf;

use crate::rows::DecodeError;

/// The class of an [`Error`](super::Error); new ones may come.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An address, a key or an option that cannot be right. Nothing was sent.
    Config,
    /// A parameter that breaks a rule of the catalogue. Nothing was sent.
    InvalidParams { field: String, reason: String },
    /// The run could cost more than its cap, or nobody can say how much. Nothing was sent.
    BudgetExceeded,
    /// What is to be started cannot be written down. Nothing was sent.
    Ledger,
    /// The service does not offer this.
    Unsupported,
    /// A mistake of this library.
    Internal,
    /// A file on this machine could not be written, the caller's at `path` or one of its own; the source is the
    /// `std::io::Error`.
    File { path: Option<PathBuf> },
    /// No connection was made, so nothing was sent.
    Connect,
    /// The connection broke before the answer was whole.
    Read,
    /// The answer did not come in time.
    RequestTimeout,
    /// The answer is not what the contract says.
    BadResponse,
    /// The rows could not be decoded; what was read before is in it.
    Decode(DecodeError),
    /// The service refused: 4xx and 5xx.
    Api { status: u16, code: Option<String>, message: Option<String>, request_id: Option<String> },
    /// The start went out and no usable answer came back: it may be running and will be billed.
    StartUncertain,
    /// The job ended as `failed` or `cancelled`.
    JobFailed,
    /// The job was still going when the waiting time was over.
    JobTimeout,
    /// The rows were asked for before the job was completed.
    ResultsNotReady,
}

impl ErrorKind {
    /// Every text that may have come from a server.
    pub(super) fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let texts = match self {
            Self::InvalidParams { field, reason } => [Some(field), Some(reason), None],
            Self::Decode(error) => [Some(&mut error.message), None, None],
            Self::Api { code, message, request_id, .. } => [code.as_mut(), message.as_mut(), request_id.as_mut()],
            _ => [None, None, None],
        };
        texts.into_iter().flatten()
    }
}

/// What is known about the start of a run when an error is raised; of a request that starts nothing, about the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing reached the service.
    NotSent,
    /// The service answered and refused: nothing runs, nothing is billed.
    Rejected,
    /// The service gave a job id: it is billed by its rows.
    Accepted,
    /// It may have been received.
    Unknown,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotSent => "not_sent",
            Self::Rejected => "rejected",
            Self::Accepted => "accepted",
            Self::Unknown => "unknown",
        }
    }
}

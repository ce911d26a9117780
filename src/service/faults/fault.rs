//! The faults there are, as values. Names and fields are those of the text form and of `rowhaul.faults` in Python.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::service::endpoint::Endpoint;

/// Something that goes wrong with one request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "fault", rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// Any status code, with a body of any kind.
    Status {
        code: u16,
        #[serde(default)]
        body: StatusBody,
        /// The body's own text instead.
        #[serde(default)]
        text: Option<String>,
        /// As many `Retry-After` headers as it holds, whatever they say.
        #[serde(default)]
        retry_after: Texts,
        #[serde(default)]
        retry_after_in: RetryPlace,
        #[serde(default)]
        headers: Map<String, Value>,
        /// Whether the service does what was asked before it answers like this.
        #[serde(default)]
        applied: bool,
    },
    /// The connection is reset before the answer.
    Reset {
        #[serde(default)]
        applied: bool,
    },
    /// The connection is closed in good order, without an answer.
    Close {
        #[serde(default)]
        applied: bool,
    },
    /// No answer, until the caller leaves or the seconds are over; then the answer comes.
    Hang {
        #[serde(default)]
        seconds: Option<f64>,
        #[serde(default)]
        applied: bool,
    },
    /// The body ends too early, and the connection with it.
    Cut {
        #[serde(default)]
        at: Point,
        #[serde(default)]
        framing: Framing,
    },
    /// The body stops, until the caller leaves or the seconds are over; then it goes on.
    Stall {
        #[serde(default)]
        at: Point,
        #[serde(default)]
        seconds: Option<f64>,
    },
    /// The body comes a few bytes at a time.
    Drip {
        #[serde(default = "one")]
        bytes: usize,
        #[serde(default = "tenth")]
        every: f64,
    },
    /// The body is compressed, and may be broken or called something else.
    Encoding {
        coding: Coding,
        /// What `Content-Encoding` says instead of the truth.
        #[serde(default)]
        declared: Option<String>,
        #[serde(default)]
        corrupt: bool,
    },
    /// A small compressed body that becomes this many bytes: the true one and blanks after it.
    Bomb {
        #[serde(default)]
        coding: Coding,
        #[serde(default = "gigabyte")]
        bytes: u64,
    },
    /// Another content type, or none.
    ContentType {
        #[serde(default)]
        value: Option<String>,
    },
    /// Members of the JSON answer have these values.
    Fields { values: Map<String, Value> },
    /// Members of the JSON answer are not there.
    Missing { names: Texts },
    /// The results are not there yet, whatever the status call says: 404, or 200 with a status and no rows.
    TooEarly {
        #[serde(default = "not_found")]
        code: u16,
    },
    /// The job takes this long by the service's clock.
    Slow { seconds: f64 },
    /// The job ends as `failed`, with this text, and costs nothing.
    Fail {
        #[serde(default = "failed")]
        error: String,
        #[serde(default)]
        seconds: Option<f64>,
    },
    /// An answer that is not HTTP.
    Malformed { how: Malformed },
}

/// What stands in the body of a status fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatusBody {
    /// `{"error": code, "message": text}`
    #[default]
    Error,
    /// `{"detail": text}`
    Detail,
    /// A page, as proxies and captive portals have it.
    Html,
    Empty,
}

/// Where a status fault says when to come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryPlace {
    #[default]
    Header,
    /// As `retry_after` of the JSON body.
    Body,
    Both,
}

/// A place in a body: a share of it where the number has a fraction, else a number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "`at` must be a number of bytes, or a share of the body below 1")]
pub enum Point {
    Bytes(usize),
    Share(f64),
}

impl Default for Point {
    fn default() -> Self {
        Self::Share(0.5)
    }
}

impl Point {
    pub(super) fn of(self, length: usize) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.min(length),
            Self::Share(share) => (length as f64 * share.clamp(0.0, 1.0)) as usize,
        }
    }
}

/// How a caller is told where the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// `Content-Length` names the whole.
    #[default]
    Length,
    Chunked,
    /// Not at all: the body ends with the connection.
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coding {
    #[default]
    Gzip,
    Deflate,
    Zstd,
}

impl Coding {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Zstd => "zstd",
        }
    }
}

/// Ways for an answer not to be HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Malformed {
    /// A status line without a status.
    StatusLine,
    /// A header line without a colon.
    Header,
    /// Two lengths that differ.
    DoubleLength,
    NegativeLength,
    /// A length shorter than the body, whose rest looks like another answer.
    ShortLength,
    /// A length and chunks.
    LengthAndChunks,
    /// A chunk whose size is no number.
    ChunkSize,
    /// A thousand headers.
    ManyHeaders,
    /// One header of a megabyte.
    LongHeader,
    /// `103 Early Hints`, until the caller leaves.
    EndlessHints,
    /// Not a word of HTTP.
    Noise,
}

/// One text or several; numbers count as their text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "OneOrMany", into = "Vec<String>")]
pub struct Texts(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    Many(Vec<Value>),
    One(Value),
}

impl From<OneOrMany> for Texts {
    fn from(given: OneOrMany) -> Self {
        let values = match given {
            OneOrMany::Many(values) => values,
            OneOrMany::One(Value::Null) => Vec::new(),
            OneOrMany::One(value) => vec![value],
        };
        let text = |value| if let Value::String(text) = value { text } else { value.to_string() };
        Self(values.into_iter().map(text).collect())
    }
}

impl From<Texts> for Vec<String> {
    fn from(texts: Texts) -> Self {
        texts.0
    }
}

impl Fault {
    /// The word for it, in the log and wherever it is asked for.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Status { .. } => "status",
            Self::Reset { .. } => "reset",
            Self::Close { .. } => "close",
            Self::Hang { .. } => "hang",
            Self::Cut { .. } => "cut",
            Self::Stall { .. } => "stall",
            Self::Drip { .. } => "drip",
            Self::Encoding { .. } => "encoding",
            Self::Bomb { .. } => "bomb",
            Self::ContentType { .. } => "content_type",
            Self::Fields { .. } => "fields",
            Self::Missing { .. } => "missing",
            Self::TooEarly { .. } => "too_early",
            Self::Slow { .. } => "slow",
            Self::Fail { .. } => "fail",
            Self::Malformed { .. } => "malformed",
        }
    }

    /// Whether the service does what was asked. Faults of the body are played on the true answer.
    pub(super) fn is_applied(&self) -> bool {
        match self {
            Self::Status { applied, .. }
            | Self::Reset { applied }
            | Self::Close { applied }
            | Self::Hang { applied, seconds: None } => *applied,
            _ => true,
        }
    }

    /// Refuses requests that it cannot go wrong with.
    pub(in crate::service) fn check_on(&self, on: Option<Endpoint>) -> Result<(), String> {
        let only = match self {
            Self::Slow { .. } | Self::Fail { .. } => Endpoint::Run,
            Self::TooEarly { .. } => Endpoint::Results,
            _ => return Ok(()),
        };
        if on == Some(only) {
            return Ok(());
        }
        let on = on.map_or("any", Endpoint::name);
        Err(format!("the fault `{}` is played on `{}` alone, not on `{on}`", self.name(), only.name()))
    }

    /// Refuses numbers that no fault can be played with.
    pub(in crate::service) fn check(&self) -> Result<(), String> {
        let code = |code: u16| match code {
            200..=999 => Ok(()),
            _ => Err(format!("`code` must be from 200 to 999, not {code}")),
        };
        let time = |name: &str, seconds: Option<f64>| match seconds {
            Some(seconds) if !(0.0..=31_536_000.0).contains(&seconds) => {
                Err(format!("`{name}` must be between 0 and one year of seconds, not {seconds}"))
            }
            _ => Ok(()),
        };
        match self {
            Self::Cut { at: Point::Share(share), .. } | Self::Stall { at: Point::Share(share), .. }
                if !(0.0..1.0).contains(share) =>
            {
                Err(format!("`at` must be a number of bytes, or a share of the body below 1, not {share:?}"))
            }
            Self::Status { code: given, retry_after, headers, .. } => {
                code(*given).and(super::status::check(retry_after, headers))
            }
            Self::TooEarly { code: given @ (200 | 404) } => code(*given),
            Self::TooEarly { code } => Err(format!("`code` must be 200 or 404, not {code}")),
            Self::Hang { seconds, .. } | Self::Stall { seconds, .. } | Self::Fail { seconds, .. } => {
                time("seconds", *seconds)
            }
            Self::Slow { seconds } => time("seconds", Some(*seconds)),
            Self::Drip { bytes: 0, .. } => Err("`bytes` must be at least 1".to_owned()),
            Self::Drip { every, .. } => time("every", Some(*every)),
            Self::Encoding { declared: Some(text), .. } | Self::ContentType { value: Some(text) } => {
                super::status::header_value(text).map(drop)
            }
            _ => Ok(()),
        }
    }
}

fn one() -> usize {
    1
}

fn tenth() -> f64 {
    0.1
}

fn gigabyte() -> u64 {
    1 << 30
}

fn not_found() -> u16 {
    404
}

fn failed() -> String {
    "the platform did not answer".to_owned()
}

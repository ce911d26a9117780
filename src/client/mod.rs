//! The client: start an agent, wait for its job, fetch the rows.
//!
//! Arrives: a [`Request`], or the id of a job. Leaves: a [`Job`] and its [`Rows`](crate::rows::Rows), or one [`Error`]
//! that says what is known about the money. [`Client::run`], in `run`, is the whole story; each step has its file or
//! folder:
//!
//! - `parts` is what a client is made of;
//! - `address` is where the service is, `api_key` what it asks for, `config` all that a client may be told;
//! - `request` is what is asked for, and `prepare` checks it against the catalogue;
//! - `money` takes what a run may cost out of the caps it is under, gives back what it did not, and says what a job did
//!   cost;
//! - `start` sends at most one start that may be billed, `starting` carries it to its answer;
//! - `polling` asks how the job is until it has ended, `results` fetches and decodes its rows; `job` is what is known
//!   of it, `job_list` what the service lists, and `progress` how far a run is;
//! - `agents` says what there is to run; `many` does many runs at once;
//! - `records` writes down what was started and heard, reads it back, and takes up what is unfinished;
//! - `fetch` repeats what may be repeated, when `pacing` says so, within one `call` and its `deadline`; `transport`
//!   sends one request, `response` reads what came back;
//! - `error` says what went wrong, by its `error_kind`, and `shown` what of the service's text is repeated;
//!   `service_clock` knows the service's time.
//!
//! Dropping a future drops its work, with one exception: where there is a ledger, a start that has been sent is carried
//! to its answer by a task of its own, which writes it down. The runs of a [`Many`] are tasks, too, and end with it;
//! what else runs beside a future are threads that inflate and decode a large body, which end when nobody takes what
//! they make, and one request for the price of an agent, which ends by itself. What is absent: without a ledger
//! ([`ClientConfig::ledger`]) a future that is dropped while [`Phase::Starting`] leaves nobody who knows whether the
//! run was started.

mod parts;
mod run;

mod address;
mod api_key;
mod config;

mod prepare;
mod request;

mod money;
mod start;
mod starting;

mod job;
mod job_list;
mod polling;
mod progress;
mod results;

mod agents;
mod many;

mod records;

mod call;
mod deadline;
mod fetch;
mod pacing;
mod response;
mod transport;

mod error;
mod error_kind;
mod service_clock;
mod shown;

pub use api_key::ApiKey;
pub use config::ClientConfig;
pub use error::{Error, saved_by, taken_up_by, widened_by};
pub use error_kind::{ErrorKind, Outcome};
pub use job::Job;
pub use many::{Done, Left, Many};
pub use money::estimate::Estimate;
pub use pacing::retry::RetryPolicy;
pub use parts::Client;
pub use progress::{Phase, Progress};
pub use records::reconcile::{Settled, Settlement};
pub use records::resume::{Resumed, Resuming};
pub use records::under_way::{forget_ledger_writes, ledger_writes_under_way};
pub use request::Request;
pub use results::keep::KeepRows;
pub use results::rows::RowOptions;
pub use results::spool::Spooled;
pub use run::RunOptions;
pub use shown::clipped;

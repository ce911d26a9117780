//! A line for each request on standard error, for whoever watches a service: to read, or as JSON. The key is in none.

use std::io::Write;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::json;

/// What is written about each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogForm {
    /// `2026-11-01T00:00:00Z GET /api/v1/balance 200 0.1 ms`, with the job and the fault where there is one.
    Text,
    /// An object with `at`, `method`, `path`, `status`, `ms`, `job_id` and `fault`.
    Json,
    #[default]
    Off,
}

/// What became of one request.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) at: Timestamp,
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    /// `None` where the caller got no answer.
    pub(super) status: Option<u16>,
    /// Until the head of the answer was ready.
    pub(super) took: Duration,
    pub(super) job_id: Option<&'a str>,
    pub(super) fault: Option<&'static str>,
}

impl LogForm {
    /// Writes a line. That nobody reads it is no reason to answer nobody.
    pub(super) fn write(self, line: &Line<'_>) {
        if let Some(text) = self.text(line) {
            let _ = std::io::stderr().lock().write_all(text.as_bytes());
        }
    }

    fn text(self, line: &Line<'_>) -> Option<String> {
        let Line { at, method, path, status, took, job_id, fault } = line;
        let milliseconds = (took.as_secs_f64() * 10_000.0).round() / 10.0;
        match self {
            Self::Off => None,
            Self::Json => {
                let line = json!({
                    "at": at, "method": method, "path": path, "status": status, "ms": milliseconds,
                    "job_id": job_id, "fault": fault,
                });
                Some(format!("{line}\n"))
            }
            Self::Text => {
                let status = status.map_or("---".to_owned(), |status| status.to_string());
                let job = job_id.map(|id| format!(" {id}")).unwrap_or_default();
                let fault = fault.map(|fault| format!(" fault={fault}")).unwrap_or_default();
                // Nothing that a caller sent may look like another line.
                let path = path.escape_default();
                Some(format!("{at} {method} {path} {status} {milliseconds:.1} ms{job}{fault}\n"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::clock::EPOCH;

    #[test]
    fn a_request_is_one_line_in_either_form() {
        let line = Line {
            at: EPOCH,
            method: "GET",
            path: "/api/v1/jobs/j1",
            status: None,
            took: Duration::from_micros(1240),
            job_id: Some("j1"),
            fault: Some("reset"),
        };
        let text = LogForm::Text.text(&line).unwrap();
        assert_eq!(text, "2026-11-01T00:00:00Z GET /api/v1/jobs/j1 --- 1.2 ms j1 fault=reset\n");
        let json: serde_json::Value = serde_json::from_str(&LogForm::Json.text(&line).unwrap()).unwrap();
        assert_eq!((&json["status"], &json["ms"], &json["fault"]), (&json!(null), &json!(1.2), &json!("reset")));
        assert_eq!(LogForm::Off.text(&line), None);
    }
}

//! Why a local service did not start.

use std::{fmt, io};

/// The one error of this module: the config cannot work, the data directory cannot be used, or the system refused a
/// port or a thread.
#[derive(Debug)]
pub struct ServiceError {
    message: String,
    source: Option<io::Error>,
}

impl ServiceError {
    pub(super) fn config(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    pub(super) fn system(message: impl Into<String>, source: io::Error) -> Self {
        Self { message: message.into(), source: Some(source) }
    }

    /// Whether an option is wrong; otherwise the system refused something.
    pub fn is_config(&self) -> bool {
        self.source.is_none()
    }
}

impl fmt::Display for ServiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ServiceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

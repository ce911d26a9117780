//! The account's balance (sections 2.4 and 4.6).

use serde::{Deserialize, Serialize};

use super::usd::Usd;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Balance {
    pub usd_remaining: Usd,
}

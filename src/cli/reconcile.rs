//! `rowhaul reconcile`: what became of starts that nobody answered.

use clap::Args;

use super::Failure;
use super::connection::Connection;
use crate::client::{Settlement, clipped};
use crate::ledger::moment;

/// Ask the service what became of starts whose answer never came. Starts nothing.
#[derive(Debug, Args)]
pub(super) struct Reconcile {
    #[command(flatten)]
    connection: Connection,
}

impl Reconcile {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let settled = self.connection.client()?.reconcile().await?;
        if settled.is_empty() {
            say!("no start is uncertain");
        }
        for settled in settled {
            let agent = settled.entry.agent.as_ref().map_or("–".to_owned(), ToString::to_string);
            let what = match &settled.settlement {
                Settlement::Adopted(job) => format!("is job {}", clipped(job.id().as_str())),
                Settlement::NeverStarted => "was never started".to_owned(),
                Settlement::StillUncertain => "is still uncertain".to_owned(),
            };
            say!("{agent} of {}: {what} ({})", moment(settled.entry.written_at), settled.how);
            for candidate in
                settled.candidates.iter().filter(|_| matches!(settled.settlement, Settlement::StillUncertain))
            {
                say!("  may be job {}", clipped(candidate.as_str()));
            }
            if matches!(settled.settlement, Settlement::StillUncertain) {
                say!("  settled by hand with `rowhaul adopt` or `rowhaul dismiss`");
            }
        }
        Ok(())
    }
}

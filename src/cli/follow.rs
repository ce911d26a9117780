//! What is told on stderr while an operation goes on: the job's id for certain, since it is what was paid for; and on a
//! terminal how far it is.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::said::fetching;
use super::table::counted;
use crate::client::{Progress, clipped};
use crate::wire::JobId;

const TICK: Duration = Duration::from_millis(100);

/// Ticks before a line is shown: what is over sooner shows nothing.
const PATIENCE: u32 = 5;

/// Waits for the operation and tells of it meanwhile.
pub(super) async fn followed<T>(operation: impl Future<Output = T>, progress: &Progress) -> T {
    let is_terminal = std::io::stderr().is_terminal();
    let mut line = Line { is_shown: false, is_terminal, told_job: None, is_done: false };
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count = 0;
    tokio::pin!(operation);
    loop {
        tokio::select! {
            biased;
            done = &mut operation => {
                line.tell_job(progress);
                line.is_done = true;
                return done;
            }
            _ = ticks.tick() => {
                count += 1;
                line.tell_job(progress);
                if count > PATIENCE {
                    line.draw(progress);
                }
            }
        }
    }
}

struct Line {
    is_shown: bool,
    is_terminal: bool,
    told_job: Option<JobId>,
    is_done: bool,
}

impl Line {
    fn tell_job(&mut self, progress: &Progress) {
        if self.told_job.is_some() {
            return;
        }
        if let Some(id) = progress.job_id() {
            self.clear();
            eprintln!("job {id}");
            self.told_job = Some(id);
        }
    }

    fn draw(&mut self, progress: &Progress) {
        if !self.is_terminal {
            return;
        }
        self.clear();
        let state = progress.status().map_or("starting".to_owned(), |status| clipped(&status));
        let told = match progress.bytes() {
            0 => format!("asked {}", counted(usize::try_from(progress.polls()).unwrap_or(usize::MAX), "time")),
            bytes => format!("{} rows, {:.1} MB", progress.rows(), bytes as f64 / 1e6),
        };
        eprint!("{state}: {told}");
        // A terminal that is gone shows nothing, and that is all.
        let _ = std::io::stderr().flush();
        self.is_shown = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            eprint!("\r\x1b[K");
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
        if let Some(id) = self.told_job.as_ref().filter(|_| !self.is_done) {
            eprintln!("rowhaul: job {id} goes on and is billed: `{}`", fetching(id.as_str()));
        }
    }
}

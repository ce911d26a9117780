//! What is told on stderr while an operation goes on: the job's id for certain, since it is what was paid for; and on a
//! terminal how far it is.

use std::fmt;
use std::io::{IsTerminal, Write};
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::table::counted;
use crate::client::{Progress, clipped};

const TICK: Duration = Duration::from_millis(100);

/// Ticks before a line is shown: what is over sooner shows nothing.
const PATIENCE: u32 = 5;

/// Waits for the operation and tells of it meanwhile.
pub(super) async fn followed<T>(operation: impl Future<Output = T>, progress: &Progress) -> T {
    let mut line = Line { is_shown: false, is_terminal: std::io::stderr().is_terminal(), has_told_job: false };
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count = 0;
    tokio::pin!(operation);
    loop {
        tokio::select! {
            biased;
            done = &mut operation => {
                line.tell_job(progress);
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

/// A terminal that is gone shows nothing, and that is all.
fn tell(text: fmt::Arguments<'_>) {
    let _ = std::io::stderr().write_fmt(text);
}

struct Line {
    is_shown: bool,
    is_terminal: bool,
    has_told_job: bool,
}

impl Line {
    fn tell_job(&mut self, progress: &Progress) {
        if let Some(id) = progress.job_id().filter(|_| !self.has_told_job) {
            self.clear();
            tell(format_args!("job {id}\n"));
            self.has_told_job = true;
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
        tell(format_args!("{state}: {told}"));
        self.is_shown = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            tell(format_args!("\r\x1b[K"));
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}

//! When a lone job is asked about next. Pure.

use std::time::Duration;

/// One part of the time a job has run so far: completion is noticed within ten per cent of the run time.
const PART: u32 = 10;

/// The pause after a poll that found the job still going, `age` after its start.
///
/// Distances grow in proportion to the age, so a job of any length costs O(log t) requests, and never fall under
/// `floor`.
pub(in crate::client) fn pause(age: Duration, floor: Duration) -> Duration {
    (age / PART).max(floor)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: Duration = Duration::from_millis(250);

    fn polls(run: Duration) -> (u32, Duration) {
        let (mut age, mut polls) = (FLOOR, 1);
        while age < run {
            age += pause(age, FLOOR);
            polls += 1;
        }
        (polls, age.saturating_sub(run))
    }

    #[test]
    fn completion_is_noticed_within_a_tenth_of_the_run_time() {
        for millis in [1, 250, 999, 5_000, 61_000, 3_600_000, 86_400_000] {
            let run = Duration::from_millis(millis);
            let (_, late) = polls(run);
            assert!(late <= (run / 10).max(FLOOR), "{late:?} late after {run:?}");
        }
    }

    #[test]
    fn a_job_costs_logarithmically_many_requests() {
        assert!(polls(Duration::from_mins(1)).0 <= 45);
        assert!(polls(Duration::from_hours(1)).0 <= 90);
        assert!(polls(Duration::from_hours(24)).0 <= 125);
    }
}

//! Groups of starts that nobody answered and of jobs that nobody knows, as a process leaves them that was killed while
//! many starts were on their way.
//!
//! Starts and jobs are a graph, with an edge where a job may be a start's. A connected part with as many jobs as starts
//! is settled as a whole: each start has one of these jobs, though nobody can say which, so its parameters are dropped.

use super::listed::List;
use crate::client::shown::clipped;
use crate::ledger::Entry;

/// What a start of such a group comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    /// The place of its job in the list.
    pub at: usize,
    /// How many starts there are.
    pub count: usize,
}

/// For each start its job, where it is in such a group. `plausible` are the places of the jobs that may be it.
pub(super) fn pairs(entries: &[Entry], plausible: &[Vec<usize>], list: &List) -> Vec<Option<Pair>> {
    let mut pairs = vec![None; entries.len()];
    let mut seen = vec![false; entries.len()];
    for first in 0..entries.len() {
        if seen[first] {
            continue;
        }
        let Group { starts, jobs } = Group::of(first, plausible);
        starts.iter().for_each(|start| seen[*start] = true);
        let are_all_proven = || {
            starts.iter().all(|start| {
                let entry = &entries[*start];
                // In a list that is cut off jobs may be missing that would be counted.
                list.reaches(entry)
                    && list.plausible_by_id(entry).is_empty()
                    && plausible[*start].iter().all(|at| list.is_proven(entry, *at))
            })
        };
        let is_whole = starts.len() > 1 && starts.len() == jobs.len();
        if !is_whole || list.unreadable > 0 || jobs.iter().any(|at| list.may_be_under_way(*at)) || !are_all_proven() {
            continue;
        }
        let jobs = list.oldest_first(jobs);
        if starts.iter().zip(&jobs).all(|(start, at)| plausible[*start].contains(at)) {
            for (start, at) in starts.iter().zip(jobs) {
                pairs[*start] = Some(Pair { at, count: starts.len() });
            }
        }
    }
    pairs
}

/// Starts and jobs that lead to each other.
struct Group {
    starts: Vec<usize>,
    jobs: Vec<usize>,
}

impl Group {
    fn of(first: usize, plausible: &[Vec<usize>]) -> Self {
        let (mut starts, mut jobs) = (vec![first], Vec::new());
        let mut next = 0;
        while let Some(start) = starts.get(next).copied() {
            next += 1;
            for at in &plausible[start] {
                if !jobs.contains(at) {
                    jobs.push(*at);
                    let others = (0..plausible.len()).filter(|other| plausible[*other].contains(at));
                    let new: Vec<usize> = others.filter(|other| !starts.contains(other)).collect();
                    starts.extend(new);
                }
            }
        }
        starts.sort_unstable();
        Self { starts, jobs }
    }
}

impl Pair {
    /// How it is known, in words.
    pub(super) fn how(self, agent: Option<&str>) -> String {
        let (count, agent) = (self.count, clipped(agent.unwrap_or_default()));
        format!("one of {count} jobs of `{agent}` for {count} starts; whose is not told, so it has no request")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_all_that_leads_to_each_other_and_nothing_else() {
        let plausible = [vec![0, 1], vec![], vec![1, 2], vec![4], vec![2]];
        for (first, starts, jobs) in [
            (0, vec![0, 2, 4], vec![0, 1, 2]),
            (2, vec![0, 2, 4], vec![1, 2, 0]),
            (1, vec![1], vec![]),
            (3, vec![3], vec![4]),
        ] {
            let mut group = Group::of(first, &plausible);
            group.jobs.sort_unstable();
            let mut jobs = jobs;
            jobs.sort_unstable();
            assert_eq!((group.starts, group.jobs), (starts, jobs));
        }
    }
}

//! Which request meets which fault: counting, and nothing else.

use std::sync::{Mutex, MutexGuard};

use super::fault::Fault;
use crate::lock::lock;
use crate::service::endpoint::Endpoint;

/// A fault, and the requests it is for.
#[derive(Debug, Clone, PartialEq)]
pub struct Injection {
    /// The operation it is for; `None` for any request.
    pub on: Option<Endpoint>,
    pub fault: Fault,
    /// How often it is played; `None` without end.
    pub times: Option<u32>,
    /// How many of its requests go well before.
    pub after: u32,
    /// Only for requests about this job.
    pub job: Option<String>,
    /// Only for requests about this agent or its jobs, `group/slug`.
    pub agent: Option<String>,
}

/// What a request is about, as far as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::service) struct About<'a> {
    pub(in crate::service) endpoint: Option<Endpoint>,
    pub(in crate::service) job: Option<&'a str>,
    pub(in crate::service) agent: Option<&'a str>,
}

/// The number of an injection, in the order of injecting.
pub(in crate::service) type InjectionId = u64;

/// All injections of a service.
#[derive(Debug, Default)]
pub(in crate::service) struct FaultPlan(Mutex<Injections>);

#[derive(Debug, Default)]
struct Injections {
    all: Vec<Counted>,
}

#[derive(Debug)]
struct Counted {
    injection: Injection,
    passed: u32,
    hits: u32,
    is_removed: bool,
}

impl FaultPlan {
    pub(in crate::service) fn add(&self, injection: Injection) -> InjectionId {
        let mut injections = self.lock();
        injections.all.push(Counted { injection, passed: 0, hits: 0, is_removed: false });
        injections.all.len() as InjectionId - 1
    }

    /// How often it was played.
    pub(in crate::service) fn hits(&self, id: InjectionId) -> u32 {
        self.lock().all.get(id as usize).map_or(0, |counted| counted.hits)
    }

    /// Ends it; what was played stays counted.
    pub(in crate::service) fn remove(&self, id: InjectionId) {
        if let Some(counted) = self.lock().all.get_mut(id as usize) {
            counted.is_removed = true;
        }
    }

    /// Whether anything may still be played, so that requests of a service without faults need no further look.
    pub(super) fn is_spent(&self) -> bool {
        !self.lock().all.iter().any(Counted::is_live)
    }

    /// The fault of this request, counted: that of the first injection that is for it and due.
    pub(super) fn next(&self, about: About<'_>) -> Option<Fault> {
        for counted in self.lock().all.iter_mut().filter(|counted| counted.is_live() && counted.injection.is_for(about))
        {
            if counted.passed < counted.injection.after {
                counted.passed += 1;
                continue;
            }
            counted.hits += 1;
            return Some(counted.injection.fault.clone());
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Injections> {
        lock(&self.0)
    }
}

impl Counted {
    fn is_live(&self) -> bool {
        !self.is_removed && self.injection.times.is_none_or(|times| self.hits < times)
    }
}

impl Injection {
    fn is_for(&self, about: About<'_>) -> bool {
        self.on.is_none_or(|on| about.endpoint == Some(on))
            && self.job.as_deref().is_none_or(|job| about.job == Some(job))
            && self.agent.as_deref().is_none_or(|agent| about.agent == Some(agent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reset(on: Option<Endpoint>, after: u32, times: Option<u32>) -> Injection {
        Injection { on, fault: Fault::Reset { applied: false }, times, after, job: None, agent: None }
    }

    const STATUS: About<'_> = About { endpoint: Some(Endpoint::Status), job: Some("j"), agent: Some("g/s") };

    #[test]
    fn a_fault_is_played_as_often_as_it_was_asked_for_and_after_as_many() {
        let plan = FaultPlan::default();
        let id = plan.add(reset(Some(Endpoint::Status), 2, Some(2)));
        let run = About { endpoint: Some(Endpoint::Run), ..About::default() };
        assert!(plan.next(run).is_none());
        let played: Vec<_> = (0..6).map(|_| plan.next(STATUS).is_some()).collect();
        assert_eq!(played, [false, false, true, true, false, false]);
        assert!(plan.hits(id) == 2 && plan.is_spent());
    }

    #[test]
    fn faults_for_the_same_request_are_played_one_after_the_other_in_their_order() {
        let plan = FaultPlan::default();
        plan.add(reset(None, 0, Some(1)));
        plan.add(Injection { fault: Fault::Close { applied: false }, ..reset(None, 0, None) });
        let played: Vec<_> = (0..3).filter_map(|_| plan.next(STATUS)).map(|fault| fault.name()).collect();
        assert_eq!(played, ["reset", "close", "close"]);
    }

    #[test]
    fn a_fault_for_a_job_or_an_agent_leaves_others_alone_and_a_removed_one_all() {
        let plan = FaultPlan::default();
        let id = plan.add(Injection { job: Some("other".to_owned()), ..reset(None, 0, None) });
        plan.add(Injection { agent: Some("g/other".to_owned()), ..reset(None, 0, None) });
        assert!(plan.next(STATUS).is_none());
        assert!(plan.next(About { job: Some("other"), ..STATUS }).is_some());
        plan.remove(id);
        assert!(plan.next(About { job: Some("other"), ..STATUS }).is_none());
        assert_eq!(plan.hits(id), 1);
    }
}

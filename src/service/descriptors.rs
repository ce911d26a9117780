//! How many files this process may open, of which each connection is one.

/// The least and the most connections that a service takes, whatever the process may open.
const CONNECTIONS: (u64, u64) = (64, 4096);

/// The most files that are asked for: a process that may open millions needs long to close them all when it starts
/// another.
const MOST: u64 = 65_536;

/// How many connections to hold open: a quarter of what the process may open, as the client may live in it too.
pub(super) fn connections() -> usize {
    (limit::soft() / 4).clamp(CONNECTIONS.0, CONNECTIONS.1) as usize
}

/// Lets this process open as many files as the system allows it, for a process that is the service and nothing else:
/// what waits with `select` cannot stand files of high numbers. A refusal changes nothing.
pub fn raise() {
    limit::raise_to(MOST);
}

#[cfg(unix)]
mod limit {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    pub(super) fn soft() -> u64 {
        getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
    }

    pub(super) fn raise_to(most: u64) {
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let wanted = maximum.unwrap_or(u64::MAX).min(most);
        if current.is_some_and(|current| current < wanted) {
            let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
        }
    }
}

#[cfg(not(unix))]
mod limit {
    /// What other systems open without being asked.
    pub(super) fn soft() -> u64 {
        1024
    }

    pub(super) fn raise_to(_most: u64) {}
}

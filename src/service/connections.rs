//! Open connections, within a bound: when there is no room for another, the one that has been idle longest makes room.
//!
//! So ten thousand idle or dripping connections do not keep the next honest caller out, and a crowd of honest ones
//! waits in the queue of the system for a moment instead of being turned away.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::lock::lock;

/// How long a connection may idle before it has to make room; a request that is on its way arrives sooner.
const GRACE: Duration = Duration::from_millis(250);

/// How long an answer may lie there without its caller reading on, before its connection counts as idle.
const STALLED: Duration = Duration::from_secs(30);

/// How long to wait before looking for room again.
const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    by_number: BTreeMap<u64, Arc<Connection>>,
}

/// What is known of one connection.
#[derive(Debug)]
pub(super) struct Connection {
    activity: Mutex<Activity>,
    pub(super) hang_up: Notify,
}

#[derive(Debug)]
struct Activity {
    requests: usize,
    since: Instant,
}

impl Connections {
    /// No connection yet, and at most so many at once.
    pub(super) fn up_to(most: usize) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// Takes a new connection in, as soon as there is room.
    pub(super) async fn admit(self: &Arc<Self>) -> Admitted {
        loop {
            if let Some(admitted) = self.try_admit(Instant::now()) {
                return admitted;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn try_admit(self: &Arc<Self>, now: Instant) -> Option<Admitted> {
        let mut open = lock(&self.open);
        if open.by_number.len() >= self.most {
            let idle = open.by_number.iter().filter(|(_, connection)| connection.may_go(now));
            let (_, number) = idle.map(|(number, connection)| (lock(&connection.activity).since, *number)).min()?;
            // Taken out at once, so that the next newcomer looks at another.
            open.by_number.remove(&number)?.hang_up.notify_one();
        }
        open.last += 1;
        let activity = Mutex::new(Activity { requests: 0, since: now });
        let (number, connection) = (open.last, Arc::new(Connection { activity, hang_up: Notify::new() }));
        open.by_number.insert(number, Arc::clone(&connection));
        Some(Admitted { number, connection, connections: Arc::clone(self) })
    }
}

impl Connection {
    fn may_go(&self, now: Instant) -> bool {
        let activity = lock(&self.activity);
        let patience = if activity.requests == 0 { GRACE } else { STALLED };
        now.saturating_duration_since(activity.since) >= patience
    }
}

/// A connection that counts as open until this is dropped.
#[derive(Debug)]
pub(super) struct Admitted {
    number: u64,
    pub(super) connection: Arc<Connection>,
    connections: Arc<Connections>,
}

impl Drop for Admitted {
    fn drop(&mut self) {
        lock(&self.connections.open).by_number.remove(&self.number);
    }
}

/// A request that is being answered; its connection is busy until this is dropped.
#[derive(Debug)]
pub(super) struct Answering(Arc<Connection>);

impl Answering {
    pub(super) fn on(connection: &Arc<Connection>) -> Self {
        let answering = Self(Arc::clone(connection));
        let mut activity = lock(&connection.activity);
        activity.requests += 1;
        activity.since = Instant::now();
        drop(activity);
        answering
    }

    /// Notes that the answer gets on.
    pub(super) fn gets_on(&self) {
        lock(&self.0.activity).since = Instant::now();
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut activity = lock(&self.0.activity);
        activity.requests -= 1;
        activity.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connection_that_has_been_idle_longest_makes_room_and_a_busy_one_never_does() {
        let connections = Connections::up_to(8);
        let now = Instant::now();
        let open: Vec<_> = (0..8).map(|_| connections.try_admit(now).unwrap()).collect();
        assert!(connections.try_admit(now).is_none(), "all may have a request on its way");
        let busy: Vec<_> = open.iter().skip(1).map(|open| Answering::on(&open.connection)).collect();
        let later = now + GRACE;
        let newcomer = connections.try_admit(later).unwrap();
        assert!(connections.try_admit(later).is_none(), "the others are busy or new");
        drop(newcomer);
        let other = connections.try_admit(later);
        assert!(other.is_some());
        assert!(connections.try_admit(later + STALLED).is_some(), "an answer that nobody reads holds no place");
        drop(busy);
    }
}

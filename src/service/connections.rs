//! Open connections, within a bound: when there is no room for another, the one that has been idle longest makes room.
//!
//! So ten thousand idle or dripping connections do not keep the next honest caller out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// How many connections are open at once; half of what a process may commonly open.
const MAX_OPEN: usize = 512;

#[derive(Debug, Default)]
pub(super) struct Connections {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    by_age: BTreeMap<u64, Arc<Connection>>,
}

/// What is known of one connection.
#[derive(Debug, Default)]
pub(super) struct Connection {
    requests: AtomicUsize,
    pub(super) hang_up: Notify,
}

impl Connections {
    /// Takes a new connection in, or `None` when all are busy with requests.
    pub(super) fn admit(self: &Arc<Self>) -> Option<Admitted> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.by_age.len() >= MAX_OPEN {
            let idle = |(number, connection): (&u64, &Arc<Connection>)| {
                (connection.requests.load(Ordering::Relaxed) == 0).then_some(*number)
            };
            let oldest_idle = open.by_age.iter().find_map(idle)?;
            // Taken out at once, so that the next newcomer looks at another.
            open.by_age.remove(&oldest_idle)?.hang_up.notify_one();
        }
        open.last += 1;
        let (number, connection) = (open.last, Arc::<Connection>::default());
        open.by_age.insert(number, Arc::clone(&connection));
        Some(Admitted { number, connection, connections: Arc::clone(self) })
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
        self.connections.open.lock().unwrap_or_else(PoisonError::into_inner).by_age.remove(&self.number);
    }
}

/// A request that is being answered; its connection is busy until this is dropped.
#[derive(Debug)]
pub(super) struct Answering(Arc<Connection>);

impl Answering {
    pub(super) fn on(connection: &Arc<Connection>) -> Self {
        connection.requests.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(connection))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_idle_connection_makes_room_and_a_busy_one_never_does() {
        let connections = Arc::<Connections>::default();
        let mut open: Vec<_> = (0..MAX_OPEN).map(|_| connections.admit().unwrap()).collect();
        let busy: Vec<_> = open.iter().skip(1).map(|open| Answering::on(&open.connection)).collect();
        let newcomer = connections.admit().unwrap();
        let _busy_too = Answering::on(&newcomer.connection);
        assert!(connections.admit().is_none());
        drop(busy);
        drop(open.split_off(1));
        assert!(connections.admit().is_some());
    }
}

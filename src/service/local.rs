//! The handle on a running service.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use rust_decimal::Decimal;
use tokio::sync::oneshot;

use super::billing::Charge;
use super::clock::ClockKind;
use super::config::{ServiceConfig, generate_key};
use super::error::ServiceError;
use super::faults::{Injection, InjectionId};
use super::log::{LoggedRequest, Start};
use super::own::OwnAgent;
use super::server::{self, Listening};
use super::state::{Shared, State};
use super::store;
use crate::lock::lock;

/// The whole service, on this machine. It stops when it is told to or dropped, within a second.
pub struct LocalService {
    state: Shared,
    url: String,
    running: Mutex<Option<Running>>,
}

struct Running {
    /// The process the thread belongs to. A forked child has a copy of this handle and no such thread.
    process: u32,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl LocalService {
    /// Opens the port and serves it from a thread of its own. When this returns, requests are answered.
    ///
    /// # Errors
    /// When an option cannot work, or the system refuses the port or the thread.
    pub fn start(config: ServiceConfig) -> Result<Self, ServiceError> {
        config.check()?;
        let api_key = config.api_key.clone().map_or_else(generate_key, Ok)?;
        let address = SocketAddr::new(config.host, config.port);
        let (stop, stopped) = oneshot::channel();
        let (report, reported) = mpsc::sync_channel(1);
        let no_thread = |error| ServiceError::system("no thread for the local service", error);
        let (store, saved) = store::open(config.data_dir.as_deref(), config.balance_usd)?;
        let serve = move || {
            let listening =
                Listening::open(address, |bound| State::new(&config, api_key, bound, store, saved).map(Arc::new));
            match listening {
                Ok(listening) => {
                    let _ = report.send(Ok(Arc::clone(&listening.state)));
                    server::run(listening, stopped);
                }
                Err(error) => drop(report.send(Err(error))),
            }
        };
        let thread = std::thread::Builder::new().name("rowhaul-service".to_owned()).spawn(serve).map_err(no_thread)?;
        let Ok(reported) = reported.recv() else {
            return Err(no_thread(std::io::Error::other("the thread ended before it listened")));
        };
        let state = reported?;
        let url = format!("http://{}", reachable(state.address));
        let running = Running { process: std::process::id(), stop, thread };
        Ok(Self { state, url, running: Mutex::new(Some(running)) })
    }

    /// The address before `/api/v1`, such as `http://127.0.0.1:40123`.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn api_key(&self) -> &str {
        self.state.api_key()
    }

    /// Skips ahead in time; on a real clock on top of the time that passes by itself.
    pub fn advance(&self, by: Duration) {
        self.state.advance(by);
    }

    /// What advances the clock for whoever would wait, where no time passes by itself; `None` on other clocks.
    pub fn advancer(&self) -> Option<impl Fn(Duration) + Send + Sync + use<>> {
        // Whoever has it may outlive the service, and is not to keep its jobs.
        let state = Arc::downgrade(&self.state);
        let advance = move |by| state.upgrade().into_iter().for_each(|state| state.advance(by));
        (self.state.clock.kind() == ClockKind::Instant).then_some(advance)
    }

    /// Offers an agent of the user's own, in place of one of the same name. Runs under way go on as they are.
    ///
    /// # Errors
    /// When its declaration contradicts itself.
    pub fn add_agent(&self, agent: OwnAgent) -> Result<(), ServiceError> {
        agent.check()?;
        self.state.offers.add(agent);
        Ok(())
    }

    /// Asks for a fault. Injections for the same request are played one after another, in their order.
    pub fn inject(&self, injection: Injection) -> Result<Injected, ServiceError> {
        injection.fault.check().and(injection.fault.check_on(injection.on)).map_err(ServiceError::config)?;
        Ok(Injected { id: self.state.faults.add(injection), state: Arc::clone(&self.state) })
    }

    /// The last 100,000 requests, oldest first, refused ones included.
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.state.log.lock().entries()
    }

    /// All runs that were accepted, oldest first.
    pub fn starts(&self) -> Vec<Start> {
        self.state.last_book().starts()
    }

    /// All jobs that were paid for, in the order of their completion.
    pub fn charges(&self) -> Vec<Charge> {
        self.state.last_book().account().charges().to_vec()
    }

    /// What is left: the balance at the start less all charges.
    pub fn balance_usd(&self) -> Decimal {
        self.state.last_book().account().remaining()
    }

    /// Closes the port and lets go of the data directory. Answers under way have a moment to end. Doing it twice is as
    /// good as once; what was logged can still be read.
    pub fn stop(&self) {
        let running = lock(&self.running).take();
        match running {
            Some(Running { process, stop, thread }) if process == std::process::id() => {
                let _ = stop.send(());
                let _ = thread.join();
                self.state.close();
            }
            // In a forked child there is nothing to stop, and waiting for the thread would never end.
            forked => std::mem::forget(forked),
        }
    }
}

/// A fault that was asked for.
#[derive(Debug)]
pub struct Injected {
    id: InjectionId,
    state: Shared,
}

impl Injected {
    /// How often it was played.
    pub fn hits(&self) -> u32 {
        self.state.faults.hits(self.id)
    }

    /// Ends it, however often it was to be played.
    pub fn remove(&self) {
        self.state.faults.remove(self.id);
    }
}

impl Drop for LocalService {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for LocalService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalService").field("url", &self.url).finish_non_exhaustive()
    }
}

/// The address to call a service at that is bound to one.
fn reachable(bound: SocketAddr) -> SocketAddr {
    let loopback = match bound.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(loopback, bound.port())
}

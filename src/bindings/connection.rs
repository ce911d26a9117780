//! The client of whichever process asks: connections belong to the process that made them, so after a fork they are
//! made anew. A cap on all that a client starts cannot be: the child of a fork starts nothing under it.

use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;

use super::ending;
use super::origin::DroppedHere;
use super::raise;
use super::runtime;
use crate::client::{Client, ClientConfig};
use crate::lock::lock;

pub(super) struct Connection {
    config: ClientConfig,
    address: String,
    state: Mutex<State>,
}

struct State {
    /// `None` once closed.
    client: Option<DroppedHere<Client>>,
    /// Whether it was made in the process that this one was forked from, which spends under the same cap.
    is_inherited: bool,
}

impl Connection {
    /// Checks the configuration. Sends nothing.
    pub(super) fn new(py: Python<'_>, config: ClientConfig) -> PyResult<Self> {
        let client = make(py, &config)?;
        let address = client.address().to_owned();
        let state = State { client: Some(DroppedHere::new(client)), is_inherited: false };
        Ok(Self { config, address, state: Mutex::new(state) })
    }

    pub(super) fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// The address as it is used, without secrets.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The client of this process.
    pub(super) fn client(&self, py: Python<'_>) -> PyResult<Client> {
        // Nothing of Python runs under the lock: it may detach, and then two threads would wait for each other.
        if self.state().is_left_by_parent() {
            let made = make(py, &self.config)?;
            let mut state = self.state();
            // Unless another thread was quicker.
            if state.is_left_by_parent() {
                (state.client, state.is_inherited) = (Some(DroppedHere::new(made)), true);
            }
        }
        let client = self.state().client.as_deref().cloned();
        client.ok_or_else(|| raise::config(py, "the client is closed; make another one"))
    }

    /// The client of this process, if it may start anything.
    pub(super) fn starter(&self, py: Python<'_>) -> PyResult<Client> {
        let client = self.client(py)?;
        if self.state().is_inherited && self.config.max_cost_usd.is_some() {
            let why =
                "this client has a cap that the process it was forked from spends, too; make a client in this process";
            return Err(raise::config(py, why));
        }
        Ok(client)
    }

    /// The client of this process as far as it is there now: looking makes none and waits for nothing.
    pub(super) fn at_hand(&self) -> Option<Client> {
        self.state.try_lock().ok()?.opened()
    }

    /// The client of this process, if one was made and is not closed.
    pub(super) fn opened(&self) -> Option<Client> {
        self.state().opened()
    }

    /// Drops the connections. Closing twice does nothing.
    pub(super) fn close(&self, py: Python<'_>) {
        // Taken out first: what it lets go of is not to be ended under the lock.
        let client = self.state().client.take();
        ending::detach(py, || drop(client));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn is_left_by_parent(&self) -> bool {
        self.client.as_ref().is_some_and(DroppedHere::is_the_parents)
    }

    fn opened(&self) -> Option<Client> {
        self.client.as_ref().filter(|client| !client.is_the_parents()).map(|client| Client::clone(client))
    }
}

fn make(py: Python<'_>, config: &ClientConfig) -> PyResult<Client> {
    let runtime = runtime::handle(py)?;
    let _inside = runtime.enter();
    Client::new(config.clone()).map_err(|error| raise::client_error(py, &error))
}

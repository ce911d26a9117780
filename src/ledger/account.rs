//! Whose entries: one ledger serves several keys and several services.

use std::fmt;
use std::sync::Arc;

use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use super::Ledger;
use super::error::LedgerError;
use super::open::Open;

/// Makes the mark of an account from a salt. Whoever holds the key gives this; the key itself never comes here.
type Marker = dyn Fn(&[u8]) -> [u8; 32] + Send + Sync;

/// The part of a ledger that belongs to one account.
#[derive(Clone)]
pub struct Account {
    ledger: Arc<Ledger>,
    marker: Arc<Marker>,
}

/// What a write survives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Survives {
    /// The loss of power.
    PowerLoss,
    /// The death of the process: the service can be asked again for what a loss of power takes.
    Process,
}

impl Account {
    pub fn new(ledger: Arc<Ledger>, marker: impl Fn(&[u8]) -> [u8; 32] + Send + Sync + 'static) -> Self {
        Self { ledger, marker: Arc::new(marker) }
    }

    pub fn ledger(&self) -> &Arc<Ledger> {
        &self.ledger
    }

    /// Writes, in one transaction that takes the write lock first: it waits for its turn once, and never half-way.
    pub(super) fn write<T>(
        &self,
        survives: Survives,
        act: impl FnOnce(&Transaction<'_>, i64, Option<&str>) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        self.ledger.with(|open| {
            let account = self.number(open)?;
            let mode = if survives == Survives::PowerLoss { "FULL" } else { "NORMAL" };
            open.connection.pragma_update(None, "synchronous", mode)?;
            let transaction = open.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = act(&transaction, account, open.process.as_deref())?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// Reads, and waits for nobody's write; of an account that has nothing in the file there is nothing.
    pub(super) fn read<T: Default>(
        &self,
        act: impl FnOnce(&rusqlite::Connection, i64) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        self.ledger.with(|open| {
            let account = self.known(open)?;
            account.map_or(Ok(T::default()), |account| act(&open.connection, account))
        })
    }

    /// The number of this account in the file, given at its first use.
    fn number(&self, open: &mut Open) -> rusqlite::Result<i64> {
        if let Some(account) = self.known(open)? {
            return Ok(account);
        }
        let mark = (self.marker)(&open.salt);
        // Another process may be faster.
        let give = "INSERT INTO accounts (mark) VALUES (?) ON CONFLICT (mark) DO UPDATE SET mark = mark \
                    RETURNING account";
        let account = open.connection.query_row(give, params![mark], |row| row.get(0))?;
        open.accounts.insert(mark, account);
        Ok(account)
    }

    fn known(&self, open: &mut Open) -> rusqlite::Result<Option<i64>> {
        let mark = (self.marker)(&open.salt);
        if let Some(account) = open.accounts.get(&mark) {
            return Ok(Some(*account));
        }
        let known = "SELECT account FROM accounts WHERE mark = ?";
        let known = open.connection.query_row(known, params![mark], |row| row.get(0)).optional()?;
        open.accounts.extend(known.map(|account| (mark, account)));
        Ok(known)
    }
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account").field("ledger", &self.ledger.path()).finish_non_exhaustive()
    }
}

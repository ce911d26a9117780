//! What a run may cost, before it is started, and what it did cost, after it.
//!
//! `estimate` says what a request would cost at most and `balance` what there is; `quotes` asks for prices. `budget` is
//! a cap as a value, exact and shared by threads; `caps` reserves a run's worst case in all the caps it is under, and
//! `reservations` settles it by the rows that came. `cost` asks for the price of what was run without a cap, and
//! `shortage` says what an empty account lacks. Amounts are decimals everywhere.

pub(super) mod balance;
pub(super) mod budget;
pub(super) mod caps;
pub(super) mod cost;
pub(super) mod estimate;
pub(super) mod quotes;
pub(super) mod reservations;
pub(super) mod shortage;

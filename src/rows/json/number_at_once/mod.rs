//! Numbers read at once: where one ends is found for all of its bytes together, and its digits are put together
//! sixteen at a time. Hardly a branch depends on how long it is.
//!
//! The sixteen bytes that end where a number does may begin before it. So each reader is given what is `around` the
//! number, which begins [`LANES`](super::scan::LANES) bytes before it and goes on after it. It gives the number and how
//! many bytes it has, or `None`, also where what is around it soon ends.
//!
//! In reading order: `whole`, what all numbers begin with; `integers`; `marks`, which tell where the parts of a number
//! with decimals are, or of several; and `decimals`, by way of these.

mod decimals;
mod integers;
mod marks;
mod whole;

pub(in crate::rows) use decimals::{decimal_at_once, decimal_marked, scientific_at_once};
pub(in crate::rows) use integers::{integer_at_once, long_integer_at_once};
pub(in crate::rows) use marks::MarkedBlock;

#[cfg(test)]
mod tests;

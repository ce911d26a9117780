//! Sorting without sorting: what stands at a place of a list, told without making the list.
//!
//! Each thing of a population has an age rank (0 is the newest) and a popularity rank (0 is the most popular). One is a
//! fixed shuffle of the other, so every order shows the same things, and a list of a million rows needs no memory.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::chance::Chance;
use crate::service::clock::EPOCH;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Newest,
    Oldest,
    Popular,
}

impl Order {
    /// The order a run asks for. Comments come with the top ones first unless said otherwise, videos with the newest.
    pub(super) fn of(params: &Map<String, Value>) -> Self {
        let text = |name: &str| params.get(name).and_then(Value::as_str);
        let are_comments = params.contains_key("maxComments");
        match text("sortVideosBy").or(text("sortChannelShortsBy")) {
            Some("POPULAR") => Self::Popular,
            Some("OLDEST") => Self::Oldest,
            None if are_comments && text("commentsSortBy") != Some("1") => Self::Popular,
            _ => Self::Newest,
        }
    }
}

/// A number of things, ranked by age and by popularity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Population {
    size: u64,
    stride: u64,
    /// What undoes the stride.
    back: u64,
    shift: u64,
}

/// The ranks of one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ranks {
    pub(super) age: u64,
    pub(super) popularity: u64,
}

impl Population {
    pub(super) fn new(size: u64, mut chance: Chance) -> Self {
        let size = size.max(1);
        // A stride far from both ends, so that the popular ones are spread over all ages.
        let first = chance.whole((size / 10 * 3).max(1), (size / 10 * 7).max(1));
        let coprime = (first..=size).chain(1..first).find_map(|stride| Some((stride, inverse(stride, size)?)));
        // 1 is always coprime, so the search does not fail.
        let (stride, back) = coprime.unwrap_or((1, 1));
        Self { size, stride, back, shift: chance.whole(0, size - 1) }
    }

    /// What stands at a place, counted from 0, of the list in this order.
    pub(super) fn at(&self, place: u64, order: Order) -> Ranks {
        let place = place % self.size;
        let by_age = |age: u64| Ranks { age, popularity: self.times(age + self.shift, self.stride) };
        match order {
            Order::Newest => by_age(place),
            Order::Oldest => by_age(self.size - 1 - place),
            Order::Popular => {
                let age = (self.times(place, self.back) + self.size - self.shift) % self.size;
                Ranks { age, popularity: place }
            }
        }
    }

    /// When the thing of this age came about: the ages divide the span before the epoch, a little unevenly.
    pub(super) fn date(&self, age: u64, span: Duration, chance: &mut Chance) -> Timestamp {
        let share = (age as f64 + chance.between(0.05, 0.95)) / self.size as f64;
        EPOCH.checked_sub(Duration::from_secs(span.mul_f64(share).as_secs())).unwrap_or(EPOCH)
    }

    fn times(&self, a: u64, b: u64) -> u64 {
        (u128::from(a) * u128::from(b) % u128::from(self.size)) as u64
    }
}

/// What the thing of a popularity rank counts: the most popular `top`, the others ever less.
pub(super) fn counted(top: f64, popularity: u64) -> u64 {
    (top / (popularity as f64 + 1.0).powf(0.8)) as u64
}

/// The inverse of a number modulo another, if they are coprime (the extended algorithm of Euclid).
fn inverse(number: u64, modulus: u64) -> Option<u64> {
    let modulus = i128::from(modulus);
    let (mut remainder, mut next) = (modulus, i128::from(number) % modulus);
    let (mut result, mut after) = (0_i128, 1_i128);
    while next != 0 {
        let quotient = remainder / next;
        (remainder, next) = (next, remainder - quotient * next);
        (result, after) = (after, result - quotient * after);
    }
    (remainder == 1).then(|| result.rem_euclid(modulus) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_orders_show_the_same_things_in_their_own_order() {
        for size in [1, 2, 7, 30, 97, 120] {
            let population = Population::new(size, Chance::of(size, &["x"]));
            let list = |order| (0..size).map(|place| population.at(place, order)).collect::<Vec<_>>();
            let (newest, mut oldest, popular) = (list(Order::Newest), list(Order::Oldest), list(Order::Popular));
            assert!(popular.iter().map(|ranks| ranks.popularity).eq(0..size));
            assert!(newest.iter().map(|ranks| ranks.age).eq(0..size));
            oldest.reverse();
            assert_eq!(newest, oldest);
            let mut by_age = popular;
            by_age.sort_by_key(|ranks| ranks.age);
            assert_eq!(newest, by_age);
        }
    }

    #[test]
    fn a_population_beyond_counting_is_as_good_as_a_small_one() {
        let population = Population::new(u64::MAX / 4, Chance::of(1, &[]));
        let ranks = population.at(5, Order::Popular);
        assert_eq!(population.at(ranks.age, Order::Newest), ranks);
        population.date(ranks.age, Duration::from_secs(1), &mut Chance::of(1, &[]));
    }
}

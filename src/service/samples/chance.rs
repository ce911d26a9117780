//! Chance that repeats itself: drawn from the seed and the names of what it is drawn for, never from what came before.
//!
//! Row 7 of a search is therefore the same whoever asks, in whichever order, and can be made without rows 0 to 6.

use fastrand::Rng;

/// A source of choices of its own.
#[derive(Debug, Clone)]
pub(in crate::service) struct Chance(Rng);

impl Chance {
    /// The chance that belongs to these names under this seed.
    pub(in crate::service) fn of(seed: u64, names: &[&str]) -> Self {
        let mut hash = mix(seed);
        for name in names {
            // Each name ends in a mark, so that ["ab", "c"] differs from ["a", "bc"].
            for byte in name.bytes().map(u64::from).chain([0x100]) {
                hash = (hash ^ byte).wrapping_mul(0x0100_0000_01b3);
            }
        }
        Self(Rng::with_seed(mix(hash)))
    }

    /// The chance of the item with this number.
    pub(super) fn item(&self, number: u64) -> Self {
        let mut own = self.0.clone();
        Self(Rng::with_seed(mix(own.u64(..) ^ mix(number))))
    }

    pub(in crate::service) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.0.f64() * (high - low)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn whole(&mut self, low: u64, high: u64) -> u64 {
        self.0.u64(low..=high)
    }

    /// True in so many percent of cases.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.0.u64(..100) < percent
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.0.usize(..from.len())]
    }

    /// Some value in so many percent of cases, nothing in the others.
    pub(super) fn maybe<T>(&mut self, percent: u64, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.percent(percent).then(|| make(self))
    }

    /// A number that is mostly small and sometimes very large, as counts of people are.
    pub(super) fn skewed(&mut self, low: f64, high: f64) -> f64 {
        (self.between(low.ln(), high.ln())).exp()
    }

    /// A price as shops write them, such as 24.99.
    pub(super) fn price(&mut self, low: f64, high: f64) -> f64 {
        let whole = self.skewed(low, high).floor();
        let cents = self.pick(&[0.99, 0.95, 0.49, 0.0]);
        ((whole + cents) * 100.0).round() / 100.0
    }

    /// So many characters out of an alphabet.
    pub(super) fn code(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..length).map(|_| char::from(self.pick(alphabet))).collect()
    }

    /// `B0` and eight capitals or digits.
    pub(super) fn asin(&mut self) -> String {
        format!("B0{}", self.code("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 8))
    }

    pub(in crate::service) fn job_id(&mut self) -> String {
        format!("job_{}", self.code("abcdefghijklmnopqrstuvwxyz0123456789", 22))
    }
}

/// The finaliser of splitmix64: every bit of the result depends on every bit of the argument.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_repeats_itself_and_differs_between_seeds_names_and_items() {
        let draw = |seed, names: &[&str], item| Chance::of(seed, names).item(item).whole(0, u64::MAX);
        assert_eq!(draw(1, &["a", "b"], 0), draw(1, &["a", "b"], 0));
        let all = [draw(1, &["a", "b"], 0), draw(2, &["a", "b"], 0), draw(1, &["ab"], 0), draw(1, &["a", "b"], 1)];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[at + 1..].contains(one));
        }
    }
}

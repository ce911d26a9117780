//! A direct-mapped cache, from how a key is written to its column: one look, where by its name a key is hashed and
//! compared byte after byte.
//!
//! Which key comes in the place of another cannot be guessed, and a branch that is guessed wrong costs more than all
//! the rest. So none here depends on what the key is, unless it is long: its first bytes say in which slot to look, and
//! the slot with which column's key to compare it.

/// So many bytes are looked at as one number.
const HEAD: usize = size_of::<u128>();

/// There are so many slots for each column, up to [`CACHED_SLOTS`] in all, so that hardly any two columns share one:
/// such two keep taking it from each other, and are looked up by name.
const SLOTS_PER_COLUMN: usize = 32;

/// So many slots stay in the processor's cache.
const CACHED_SLOTS: usize = 4096;

/// There are so many slots for each column where that is more than [`CACHED_SLOTS`].
const SLOTS_PER_COLUMN_OF_MANY: usize = 4;

#[derive(Debug, Default)]
pub(in crate::rows::columns) struct KeyCache {
    /// A power of two of them, or none yet.
    slots: Box<[u32]>,
}

impl KeyCache {
    /// The column whose key may be the one that begins with the quote at `at`. There may be no such column: an empty
    /// slot names one beyond all, and those of columns that were dropped with their row stay as they are.
    #[inline]
    pub(super) fn find(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let slot = hash(bytes, at + 1)? & self.slots.len().wrapping_sub(1);
        self.slots.get(slot).map(|&column| column as usize)
    }

    /// Remembers that the key that begins with the quote at `at` is that of `column`, one of `width`.
    pub(super) fn insert(&mut self, bytes: &[u8], at: usize, column: usize, width: usize) {
        let (Some(hash), Ok(column)) = (hash(bytes, at + 1), u32::try_from(column)) else { return };
        let least = (SLOTS_PER_COLUMN * width).min(CACHED_SLOTS).max(SLOTS_PER_COLUMN_OF_MANY * width);
        if self.slots.len() < least {
            self.slots = vec![u32::MAX; least.next_power_of_two()].into();
        }
        self.slots[hash & (self.slots.len() - 1)] = column;
    }
}

/// Made from the name that stands at `at`, from the first 32 bytes of a long one; none where the window ends soon.
#[inline]
fn hash(bytes: &[u8], at: usize) -> Option<usize> {
    /// Bits without a pattern: those of pi.
    const PI: u64 = 0x243f_6a88_85a3_08d3;
    let (mut hash, has_ended) = mix(PI, bytes, at)?;
    // Names in one object may well begin alike, and what is written in escapes says little in 16 bytes.
    if !has_ended {
        (hash, _) = mix(hash, bytes, at + HEAD)?;
    }
    Some(hash as usize)
}

/// Mixes the bytes from `at` to the next quote, or [`HEAD`] bytes, into a hash, and says whether there is a quote.
#[inline]
fn mix(hash: u64, bytes: &[u8], at: usize) -> Option<(u64, bool)> {
    const ONES: u128 = u128::from_le_bytes([1; HEAD]);
    const HIGH: u128 = u128::from_le_bytes([0x80; HEAD]);
    const QUOTES: u128 = u128::from_le_bytes([b'"'; HEAD]);
    /// More of pi.
    const PI: u64 = 0x1319_8a2e_0370_7344;
    let head = u128::from_le_bytes(*bytes.get(at..)?.first_chunk()?);
    // The lowest bit of them is the high bit of the first quote; bits above it may be wrong. What is left of the quote
    // itself is the same for all keys.
    let quotes = (head ^ QUOTES).wrapping_sub(ONES) & !(head ^ QUOTES) & HIGH;
    let name = head & (quotes & quotes.wrapping_neg()).wrapping_sub(1);
    let product = u128::from(name as u64 ^ hash) * u128::from((name >> u64::BITS) as u64 ^ PI);
    Some((product as u64 ^ (product >> u64::BITS) as u64, quotes != 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn body(name: &str, after: &str) -> Vec<u8> {
        format!("{{\"{name}\"{after}{}", " ".repeat(2 * HEAD)).into_bytes()
    }

    proptest! {
        #[test]
        fn a_key_is_found_whatever_stands_after_it(
            name in "[ !#-~é日]{0,50}",
            after in proptest::array::uniform2("[ -~]{0,9}"),
            column in 0usize..9,
        ) {
            let [seen, found] = after.map(|after| body(&name, &after));
            let mut keys = KeyCache::default();
            prop_assert_eq!(keys.find(&found, 1), None);
            keys.insert(&seen, 1, column, 9);
            prop_assert_eq!(keys.find(&found, 1), Some(column));
        }
    }

    /// How many of these keys have a slot of their own.
    fn found(names: impl Iterator<Item = String>) -> usize {
        let mut keys = KeyCache::default();
        let bodies: Vec<Vec<u8>> = names.map(|name| body(&name, ":1")).collect();
        // Twice, as there are more and more slots the first time.
        for _ in 0..2 {
            bodies.iter().enumerate().for_each(|(column, body)| keys.insert(body, 1, column, column + 1));
        }
        bodies.iter().enumerate().filter(|(column, body)| keys.find(body, 1) == Some(*column)).count()
    }

    #[test]
    fn most_of_many_keys_have_a_slot_of_their_own() {
        for (count, least) in [(10, 9), (100, 97), (3000, 2500)] {
            for before in ["", "column", "a name of 15 in", "a name of 16 ins", "a name of many bytes and "] {
                let found = found((0..count).map(|at| format!("{before}{at}")));
                assert!(found >= least, "{found} of {count}: {before}");
            }
            let found = found((0..count).map(|at| format!("{at:016}")));
            assert!(found >= least, "{found} of {count}");
        }
    }

    #[test]
    fn a_key_at_the_end_of_the_window_is_left_to_its_name() {
        for (name, needed) in [("a", HEAD), ("a name of 16 bytes or more", 2 * HEAD)] {
            let (mut keys, body) = (KeyCache::default(), body(name, ":1"));
            keys.insert(&body, 1, 0, 1);
            for end in 0..body.len() {
                assert_eq!(keys.find(&body[..end], 1), (end >= 2 + needed).then_some(0));
            }
        }
    }
}

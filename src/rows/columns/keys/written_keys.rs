//! Columns by how their keys are written: one look, where by its name a key is hashed and compared byte after byte.
//!
//! While an unexpected key is looked for, nothing is known of the value after it. So no branch here depends on what the
//! key is: its first bytes say in which slot to look, and the slot which column's key to compare it with.

/// So many bytes of a key are looked at, as one number.
const HEAD: usize = size_of::<u128>();

/// There are so many slots for each column, up to [`MOST`], so that hardly any two share one: such two keep taking it
/// from each other, and are looked up by name.
const SLOTS: usize = 32;

/// So many slots stay in the processor's cache.
const MOST: usize = 4096;

/// There are so many slots for each of very many columns.
const FEWEST: usize = 4;

#[derive(Debug, Default)]
pub(in crate::rows::columns) struct WrittenKeys {
    /// A power of two of them, or none yet.
    slots: Box<[u32]>,
}

impl WrittenKeys {
    /// The column whose key may be the one that begins with the quote at `at`.
    #[inline]
    pub(super) fn find(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let slot = hash(bytes, at)? & self.slots.len().wrapping_sub(1);
        self.slots.get(slot).map(|&column| column as usize)
    }

    /// Remembers that the key that begins with the quote at `at` is that of `column`, one of `width`.
    pub(super) fn see(&mut self, bytes: &[u8], at: usize, column: usize, width: usize) {
        let least = (SLOTS * width).min(MOST).max(FEWEST * width);
        if self.slots.len() < least {
            self.slots = vec![u32::MAX; least.next_power_of_two()].into();
        }
        if let (Some(hash), Ok(column)) = (hash(bytes, at), u32::try_from(column)) {
            self.slots[hash & (self.slots.len() - 1)] = column;
        }
    }
}

/// Made from the first bytes of the key that begins with the quote at `at`; none where the window ends soon.
#[inline]
fn hash(bytes: &[u8], at: usize) -> Option<usize> {
    const ONES: u128 = u128::from_le_bytes([1; HEAD]);
    const HIGH: u128 = u128::from_le_bytes([0x80; HEAD]);
    const QUOTES: u128 = u128::from_le_bytes([b'"'; HEAD]);
    /// Bits without a pattern: those of pi.
    const MIXED: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];
    let head = u128::from_le_bytes(*bytes.get(at + 1..)?.first_chunk()?);
    // The lowest bit of them is the high bit of the first quote.
    let quotes = (head ^ QUOTES).wrapping_sub(ONES) & !(head ^ QUOTES) & HIGH;
    let name = head & (quotes & quotes.wrapping_neg()).wrapping_sub(1);
    let [low, high] = [name as u64 ^ MIXED[0], (name >> u64::BITS) as u64 ^ MIXED[1]];
    let product = u128::from(low) * u128::from(high);
    Some((product as u64 ^ (product >> u64::BITS) as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn body(name: &str, after: &str) -> Vec<u8> {
        format!("{{\"{name}\"{after}{}", " ".repeat(HEAD)).into_bytes()
    }

    proptest! {
        #[test]
        fn a_key_is_found_whatever_stands_after_it(
            name in "[ !#-~é日]{0,30}",
            after in proptest::array::uniform2("[ -~]{0,9}"),
            column in 0usize..9,
        ) {
            let [seen, found] = after.map(|after| body(&name, &after));
            let mut keys = WrittenKeys::default();
            prop_assert_eq!(keys.find(&found, 1), None);
            keys.see(&seen, 1, column, 9);
            prop_assert_eq!(keys.find(&found, 1), Some(column));
        }
    }

    #[test]
    fn most_of_many_keys_have_a_slot_of_their_own() {
        for (count, found_at_least) in [(10, 8), (100, 90), (3000, 2000)] {
            let mut keys = WrittenKeys::default();
            let bodies: Vec<Vec<u8>> = (0..count).map(|at| body(&format!("column{at}"), ":1")).collect();
            // Twice, as there are more and more slots the first time.
            for _ in 0..2 {
                bodies.iter().enumerate().for_each(|(column, body)| keys.see(body, 1, column, column + 1));
            }
            let found = bodies.iter().enumerate().filter(|(column, body)| keys.find(body, 1) == Some(*column)).count();
            assert!(found >= found_at_least, "{found} of {count}");
        }
    }

    #[test]
    fn a_key_at_the_end_of_the_window_is_left_to_its_name() {
        let mut keys = WrittenKeys::default();
        keys.see(&body("a", ":1"), 1, 0, 1);
        for end in 0..HEAD {
            assert_eq!(keys.find(&body("a", ":1")[..end], 1), None);
        }
    }
}

//! The escapes of a block one after the other, whatever the machine.

use super::single::{UNIT, hex4, low_half, pair, short};
use crate::rows::json::scan::{BLOCK, not_plain_in, special_in};
use crate::rows::memory::Tail;

/// See [`append_blocks`](super::append_blocks).
///
/// Where in a block an escape stands and which one it is cannot be foreseen, and a branch that is foreseen wrongly
/// costs as much as a block. So branches depend only on how many escapes a block has, and on whether it has nothing
/// else: from after each a whole block is copied, and what was too much is overwritten by what comes next.
#[inline(never)]
pub(super) fn append(tail: &mut Tail<'_>, bytes: &[u8], mut at: usize, is_ascii: bool) -> usize {
    /// An escape that begins in the block may end after it, and from there a whole block is copied.
    const AHEAD: usize = BLOCK + 2 * UNIT + BLOCK;
    while let Some(ahead) = bytes.get(at..).and_then(<[u8]>::first_chunk::<AHEAD>) {
        let block = ahead.first_chunk().expect("it is longer");
        let mut marks = if is_ascii { not_plain_in(block) } else { special_in(block) };
        let mut read = 0;
        if marks & ALL_ESCAPES == ALL_ESCAPES {
            read = resolve_units(ahead, tail);
            marks &= u64::MAX.checked_shl(read as u32).unwrap_or_default();
        }
        let is_all = loop {
            let plain: &[u8; BLOCK] = ahead[read..].first_chunk().expect("so many are after every escape");
            if marks == 0 {
                let rest = BLOCK.saturating_sub(read);
                tail.put(plain, rest);
                read += rest;
                break true;
            }
            let next = marks.trailing_zeros() as usize;
            tail.put(plain, next - read);
            read = next;
            let escaped: &[u8; 2 * UNIT] = ahead[next..].first_chunk().expect("so many are after every block");
            let [b'\\', byte, ..] = *escaped else { break false };
            // The next mark is found without waiting for what this one stands for.
            marks &= marks - 1;
            if byte == b'u' {
                let Some((character, is_pair)) = character(escaped) else { break false };
                let (utf8, count) = utf8(character);
                tail.put(&utf8.to_le_bytes(), count);
                read += UNIT;
                if is_pair {
                    read += UNIT;
                    marks &= marks.wrapping_sub(1);
                }
            } else {
                let Some(plain) = short(byte) else { break false };
                tail.put(&[plain], 1);
                read += 2;
                // What is escaped may have a mark, too.
                marks &= !(0b10 << next);
            }
        };
        at += read;
        if !is_all {
            break;
        }
    }
    at
}

/// Resolves the `\u` escapes at the start of a block that has hardly anything else, one after the other and without
/// copying what stands between, and gives how many bytes were read. Pairs of surrogates end it.
#[inline(never)]
fn resolve_units(ahead: &[u8], tail: &mut Tail<'_>) -> usize {
    let mut read = 0;
    while read < BLOCK
        && let Some((character, false)) = ahead[read..].first_chunk().and_then(character)
    {
        let (utf8, count) = utf8(character);
        tail.put(&utf8.to_le_bytes(), count);
        read += UNIT;
    }
    read
}

/// The marks of a block in which one `\u` escape stands after the other.
const ALL_ESCAPES: u64 = {
    let (mut marks, mut at) = (0, 0);
    while at < BLOCK {
        marks |= 1 << at;
        at += UNIT;
    }
    marks
};

/// The character of the `\u` escape at the start, and whether it is two that are a pair of surrogates.
#[inline]
fn character(escaped: &[u8; 2 * UNIT]) -> Option<(u32, bool)> {
    let [b'\\', b'u', a, b, c, d, after @ ..] = *escaped else { return None };
    match hex4([a, b, c, d])? {
        unit @ (0..0xd800 | 0xe000..) => Some((unit, false)),
        high @ ..0xdc00 => Some((pair(high, low_half(&after, 0)?), true)),
        _ => None,
    }
}

/// The character in UTF-8, its first byte the lowest, and how many bytes it has.
#[inline]
fn utf8(character: u32) -> (u32, usize) {
    let part = |shift: u32| 0x80 | character >> shift & 0x3f;
    match character {
        0..0x80 => (character, 1),
        0x80..0x800 => (0xc0 | character >> 6 | part(0) << 8, 2),
        0x800..0x10000 => (0xe0 | character >> 12 | part(6) << 8 | part(0) << 16, 3),
        _ => (0xf0 | character >> 18 | part(12) << 8 | part(6) << 16 | part(0) << 24, 4),
    }
}

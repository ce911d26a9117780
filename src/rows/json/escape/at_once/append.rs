//! Laying out strings with escapes, a block of 64 bytes after the other.

use std::arch::x86_64::_mm512_maskz_compress_epi8;
use std::sync::LazyLock;

use super::block::{find_ends, resolve, resolve_short, unescaped_of};
use crate::rows::json::escape::blocks::Blocks;
use crate::rows::json::lanes::{equal, load, stored};
use crate::rows::json::scan::BLOCK;
use crate::rows::memory::Tail;

/// See [`append_blocks`](crate::rows::json::escape::append_blocks). A block with something that is no escape, as a lone
/// surrogate, is left.
#[inline]
pub(in crate::rows::json::escape) fn append(tail: &mut Tail<'_>, bytes: &[u8], at: usize, is_ascii: bool) -> Blocks {
    if *HAS_VBMI2 {
        // SAFETY: the machine has all that `append_at_once` is compiled for. Who changes one list changes the other.
        unsafe { append_at_once(tail, bytes, at, is_ascii) }
    } else {
        Blocks::Rest(at)
    }
}

/// Whether the machine has what `append_at_once` and all it calls are compiled for. Looked up once: five answers would
/// take as long as a block.
static HAS_VBMI2: LazyLock<bool> = LazyLock::new(|| {
    is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("popcnt")
});

#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn append_at_once(tail: &mut Tail<'_>, bytes: &[u8], mut at: usize, is_ascii: bool) -> Blocks {
    while let Some(block) = block_at(bytes, at) {
        let Some(resolved) = resolve(block, is_ascii) else { break };
        tail.put(&stored(resolved.bytes), resolved.written);
        at += resolved.read;
        if resolved.is_end {
            return Blocks::End(at);
        }
        if !resolved.has_units {
            at = append_short(tail, bytes, at, is_ascii);
        }
    }
    Blocks::Rest(at)
}

/// Lays out blocks that have no escapes but short ones, and gives where the first begins that has something else, or
/// where the bytes soon end; if an escape lies across that place, where its backslash stands.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn append_short(tail: &mut Tail<'_>, bytes: &[u8], mut at: usize, is_ascii: bool) -> usize {
    // The lowest bit, where the first byte of the block is escaped by the last of the one before.
    let mut escaped = 0;
    while let Some(block) = block_at(bytes, at) {
        let block = load(block);
        let starts = unescaped_of(equal(block, b'\\') & !escaped);
        let letters = starts << 1 | escaped;
        if find_ends(block, letters, is_ascii) != 0 {
            break;
        }
        let Some(made) = resolve_short(block, starts, letters) else { break };
        let bytes = _mm512_maskz_compress_epi8(!made.empty, made.bytes);
        tail.put(&stored(bytes), made.empty.count_zeros() as usize);
        escaped = starts >> (BLOCK - 1);
        at += BLOCK;
    }
    at - escaped as usize
}

#[inline]
fn block_at(bytes: &[u8], at: usize) -> Option<&[u8; BLOCK]> {
    bytes.get(at..)?.first_chunk()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::json::escape::one_by_one;
    use crate::rows::memory::{Pages, Values};
    use proptest::prelude::*;

    fn piece() -> impl Strategy<Value = String> {
        let text =
            |texts: &[&str]| prop::sample::select(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        prop_oneof![
            6 => "[ -!#-\\[\\]-~]{0,12}",
            6 => "(\\\\u[0-9a-fA-F]{4}){1,12}",
            3 => "(\\\\u0[0-7][0-9a-f]{2}){1,4}",
            3 => "(\\\\ud[89ab][0-9a-f]{2}\\\\ud[c-f][0-9a-f]{2}){1,6}",
            3 => "(\\\\[\"\\\\/bfnrt]){1,4}",
            1 => text(&["é", "日本", "🎷"]),
            1 => text(&["\\ud83c", "\\udfb7", "\\", "\\x", "\\u12g4", "\\é", "\\u12", "\"", "\n", "\\\u{1}"]),
        ]
    }

    /// Text that has no escapes but short ones, which are laid out otherwise, and at times something else.
    fn short_piece() -> impl Strategy<Value = String> {
        prop_oneof![
            20 => "[ -!#-\\[\\]-~]{0,70}",
            10 => "(\\\\[\"\\\\/bfnrt]){1,70}",
            1 => piece(),
        ]
    }

    // Where the machine has no AVX-512 both sides are the twin.
    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn blocks_are_what_they_are_one_by_one(
            pieces in prop_oneof![prop::collection::vec(piece(), 1..20), prop::collection::vec(short_piece(), 1..20)],
            is_ascii: bool,
        ) {
            // The first quote may be escaped.
            let body = pieces.concat() + "\"\"" + &" ".repeat(3 * BLOCK);
            let laid_out = |is_at_once: bool| {
                let mut text = Values::new_in(Pages);
                let mut tail = Tail::after(&mut text);
                let blocks = if is_at_once { append(&mut tail, body.as_bytes(), 0, is_ascii) } else { Blocks::Rest(0) };
                let until = match blocks {
                    Blocks::End(at) => at,
                    Blocks::Rest(at) => one_by_one::append(&mut tail, body.as_bytes(), at, is_ascii),
                };
                tail.keep();
                (text, until)
            };
            prop_assert_eq!(laid_out(true), laid_out(false));
        }
    }
}

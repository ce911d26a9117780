//! What is marked in a block of bytes, or in a few: a bit for each byte.

/// The bytes that are marked in one go.
pub(in crate::rows) const BLOCK: usize = 64;

/// The bytes that are looked at at once. Those who read numbers are built on sixteen, whatever a register could hold.
pub(in crate::rows) const LANES: usize = 16;

/// Whether [`not_digits_in`](super::not_digits_in), [`points_in`](super::points_in),
/// [`elements_in`](super::elements_in) and [`last_digits_in`](super::last_digits_in) are faster than to look at digits
/// one by one.
pub(in crate::rows) const FINDS_DIGITS_AT_ONCE: bool = cfg!(target_arch = "x86_64");

/// A bit for each byte of a block that tells where values end, the lowest for the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rows) struct Punctuation {
    pub(in crate::rows) quotes: u64,
    pub(in crate::rows) backslashes: u64,
    /// `{` and `[`.
    pub(in crate::rows) opening: u64,
    /// `}` and `]`.
    pub(in crate::rows) closing: u64,
}

/// A bit for each of the bytes that integers in an array are made of and end with, the lowest for the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rows) struct Elements {
    pub(in crate::rows) digits: u32,
    /// Those of them that are 0.
    pub(in crate::rows) zeros: u32,
    pub(in crate::rows) minuses: u32,
    pub(in crate::rows) spaces: u32,
    pub(in crate::rows) commas: u32,
    /// `]`.
    pub(in crate::rows) brackets: u32,
}

impl Elements {
    /// `digits` marks the digits, and `are` the bytes that are equal to the one it is given.
    #[inline]
    pub(super) fn new(digits: u32, are: impl Fn(u8) -> u32) -> Self {
        Self { digits, zeros: are(b'0'), minuses: are(b'-'), spaces: are(b' '), commas: are(b','), brackets: are(b']') }
    }
}

/// All of [`LANES`].
pub(super) const ALL: u32 = (1 << LANES) - 1;

/// The bit in which a bracket differs from the brace.
pub(super) const BRACE: u8 = b'{' ^ b'[';

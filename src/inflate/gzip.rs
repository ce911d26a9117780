//! A gzip body, inflated into room that is given: one member after the other, of which it may have several (RFC 1952).

use flate2::{Decompress, DecompressError, FlushDecompress, Status};

/// Deflate has no larger window: 32 KiB.
const WINDOW_BITS: u8 = 15;

pub(super) struct Gzip {
    member: Decompress,
    /// Whether the member has ended, with the length and checksum that it says.
    is_whole: bool,
}

impl Gzip {
    pub(super) fn new() -> Self {
        Self { member: Decompress::new_gzip(WINDOW_BITS), is_whole: false }
    }

    /// Inflates as far as there is input and unused room in `out`, and gives how many bytes it took. It may hold back
    /// more if it filled the room, and has taken all of the input otherwise.
    pub(super) fn inflate(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, DecompressError> {
        let mut taken = 0;
        loop {
            if self.is_whole {
                // Zeros after a member fill a block of a tape or a disk, and mean nothing.
                taken += input[taken..].iter().take_while(|&&byte| byte == 0).count();
                if taken == input.len() {
                    return Ok(taken);
                }
                *self = Self::new();
            }
            let before = self.member.total_in();
            let status = self.member.decompress_vec(&input[taken..], out, FlushDecompress::None)?;
            taken += (self.member.total_in() - before) as usize;
            self.is_whole = status == Status::StreamEnd;
            if !self.is_whole && (taken == input.len() || out.len() == out.capacity()) {
                return Ok(taken);
            }
        }
    }

    /// Whether the body may end here.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use proptest::prelude::*;

    use super::*;

    /// What comes out, through rooms and from inputs of these sizes, and whether the body may end there.
    fn inflated(body: &[u8], room: usize, step: usize) -> Result<(Vec<u8>, bool), DecompressError> {
        let (mut gzip, mut whole, mut out) = (Gzip::new(), Vec::new(), Vec::with_capacity(room));
        for mut input in body.chunks(step) {
            loop {
                let taken = gzip.inflate(input, &mut out)?;
                input = &input[taken..];
                let is_full = out.len() == out.capacity();
                whole.append(&mut out);
                if !is_full {
                    assert!(input.is_empty(), "input that is not taken has no room");
                    break;
                }
            }
        }
        Ok((whole, gzip.is_whole()))
    }

    fn member(text: &[u8], has_name: bool) -> Vec<u8> {
        let builder = if has_name { GzBuilder::new().filename("rows.json").comment("rows") } else { GzBuilder::new() };
        let mut encoder: GzEncoder<Vec<u8>> = builder.write(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    proptest! {
        #[test]
        fn members_are_inflated_one_behind_the_other_whatever_the_pieces_and_the_room(
            texts in prop::collection::vec(("[a-c]{0,300}", any::<bool>(), 0usize..3), 1..5),
            room in 1usize..400,
            step in 1usize..400,
        ) {
            let bodies = texts.iter().map(|(text, has_name, zeros)| {
                [member(text.as_bytes(), *has_name), vec![0; *zeros]].concat()
            });
            let body: Vec<u8> = bodies.flatten().collect();
            let text: String = texts.iter().map(|(text, ..)| text.as_str()).collect();
            prop_assert_eq!(inflated(&body, room, step).unwrap(), (text.into_bytes(), true));
        }
    }

    #[test]
    fn a_body_may_end_only_where_a_member_does() {
        let (first, second) = (member(b"first", false), member(b"second", true));
        let body = [first.clone(), second].concat();
        for end in 0..=body.len() {
            let (_, is_whole) = inflated(&body[..end], 64, usize::MAX).unwrap();
            assert_eq!(is_whole, [first.len(), body.len()].contains(&end), "{end}");
        }
    }

    #[test]
    fn a_wrong_checksum_and_what_is_no_member_are_errors() {
        let whole = member(b"rows", false);
        for at in whole.len() - 8..whole.len() {
            let mut body = whole.clone();
            body[at] ^= 1;
            assert!(inflated(&body, 64, usize::MAX).is_err(), "{at}");
        }
        assert!(inflated(&[&whole[..], b"rows"].concat(), 64, usize::MAX).is_err());
    }
}

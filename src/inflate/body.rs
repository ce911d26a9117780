//! One body, whatever its coding, inflated and counted.

use super::coding::Coding;
use super::gzip::Gzip;
use super::limits::Limits;
use super::zstd::Zstd;

/// Inflated bytes that are handed on at once. The limits are looked at before, so no body gets further beyond them.
pub const ROOM: usize = 256 << 10;

/// One body being inflated.
pub struct Inflate {
    inflater: Inflater,
    /// Where inflated bytes are written.
    room: Vec<u8>,
    taken: u64,
    given: u64,
    limits: Limits,
}

enum Inflater {
    /// There is nothing to undo.
    Identity,
    Gzip(Box<Gzip>),
    Zstd(Box<Zstd>),
}

/// A body that is not what its coding says, or too large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InflateError(pub String);

impl Inflate {
    /// Prepares for a body of that coding.
    pub fn new(coding: Coding, limits: Limits) -> Result<Self, InflateError> {
        let inflater = match coding {
            Coding::Identity => Inflater::Identity,
            Coding::Gzip => Inflater::Gzip(Box::new(Gzip::new())),
            Coding::Zstd => Inflater::Zstd(Box::new(
                Zstd::new(limits.zstd_window()).map_err(|error| InflateError(error.to_string()))?,
            )),
        };
        Ok(Self { inflater, room: Vec::new(), taken: 0, given: 0, limits })
    }

    /// Whether there is anything to undo.
    pub fn is_idle(&self) -> bool {
        self.inflater.coding() == Coding::Identity
    }

    /// Bytes taken so far, as received.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Bytes given so far, as they are inflated.
    pub fn given(&self) -> u64 {
        self.given
    }

    /// Takes the next bytes as received and hands on what they hold, in pieces.
    pub fn push<E: From<InflateError>>(
        &mut self,
        bytes: &[u8],
        mut give: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.is_idle() {
            self.count(bytes.len(), bytes.len())?;
            return give(bytes);
        }
        let (mut left, mut room) = (bytes, std::mem::take(&mut self.room));
        room.reserve_exact(ROOM);
        loop {
            let filled = self.fill(&mut left, &mut room);
            if !room.is_empty() {
                give(&room)?;
            }
            room.clear();
            if !filled? {
                self.room = room;
                return Ok(());
            }
        }
    }

    /// Inflates into the room of `out`, which is empty, and takes what it used off the front of `left`. Says whether
    /// more may come, and has taken all of `left` where it does not. After an error, what comes before it is in `out`.
    pub fn fill(&mut self, left: &mut &[u8], out: &mut Vec<u8>) -> Result<bool, InflateError> {
        let within = usize::try_from(self.limits.bytes_left(self.given)).unwrap_or(usize::MAX);
        let taken = self.inflater.inflate(left, out)?;
        *left = &left[taken..];
        self.count(taken, out.len()).inspect_err(|_| out.truncate(within))?;
        // Where there is no room left something may be held back.
        Ok(!left.is_empty() || out.len() == out.capacity())
    }

    /// Checks that the body ended where its coding ends.
    pub fn finish(&self) -> Result<(), InflateError> {
        match &self.inflater {
            Inflater::Gzip(gzip) if !gzip.is_whole() => Err(InflateError("the gzip body ends early".to_owned())),
            Inflater::Zstd(zstd) if !zstd.is_whole() => {
                Err(InflateError("the zstd body ends in the middle of a frame".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn count(&mut self, taken: usize, given: usize) -> Result<(), InflateError> {
        self.taken += taken as u64;
        self.given += given as u64;
        self.limits.hold(self.inflater.coding(), self.taken, self.given)
    }
}

impl Inflater {
    fn coding(&self) -> Coding {
        match self {
            Self::Identity => Coding::Identity,
            Self::Gzip(_) => Coding::Gzip,
            Self::Zstd(_) => Coding::Zstd,
        }
    }

    /// Inflates as far as there is input and unused room in `out`, and gives how many bytes were taken.
    fn inflate(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, InflateError> {
        match self {
            Self::Identity => {
                let taken = input.len().min(out.capacity() - out.len());
                out.extend_from_slice(&input[..taken]);
                Ok(taken)
            }
            Self::Gzip(gzip) => {
                gzip.inflate(input, out).map_err(|error| InflateError(format!("the gzip body is broken: {error}")))
            }
            Self::Zstd(zstd) => {
                zstd.inflate(input, out).map_err(|error| InflateError(format!("the zstd body is broken: {error}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;
    use crate::inflate::limits::RATIO_COUNTS_FROM;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ::zstd::bulk::compress(bytes, 19).unwrap()
    }

    fn inflate(coding: Coding, body: &[u8], limit: u64, step: usize) -> Result<Vec<u8>, InflateError> {
        let mut whole = Vec::new();
        inflate_into(&mut whole, coding, body, Limits::Answer(limit), step).map(|()| whole)
    }

    fn inflate_into(
        whole: &mut Vec<u8>,
        coding: Coding,
        body: &[u8],
        limits: Limits,
        step: usize,
    ) -> Result<(), InflateError> {
        let mut inflate = Inflate::new(coding, limits)?;
        for chunk in body.chunks(step) {
            inflate.push(chunk, |piece| keep(whole, piece))?;
        }
        inflate.finish()
    }

    #[expect(clippy::unnecessary_wraps, reason = "consumers may refuse")]
    fn keep(whole: &mut Vec<u8>, piece: &[u8]) -> Result<(), InflateError> {
        whole.extend_from_slice(piece);
        Ok(())
    }

    fn text() -> Vec<u8> {
        (0..60_000).flat_map(|n: u32| format!("row {n}, ").into_bytes()).collect()
    }

    #[test]
    fn both_encodings_are_undone_whatever_the_pieces() {
        let text = text();
        for step in [1, 7, 4096, usize::MAX] {
            assert_eq!(inflate(Coding::Gzip, &gzip(&text), u64::MAX, step).unwrap(), text);
            assert_eq!(inflate(Coding::Zstd, &zstd(&text), u64::MAX, step).unwrap(), text);
            assert_eq!(inflate(Coding::Identity, &text, u64::MAX, step).unwrap(), text);
        }
    }

    #[test]
    fn a_body_that_fills_the_room_to_its_last_byte_is_whole() {
        for rooms in [1, 3] {
            let text = vec![b'x'; rooms * ROOM];
            for step in [1, usize::MAX] {
                assert_eq!(inflate(Coding::Gzip, &gzip(&text), u64::MAX, step).unwrap(), text);
                assert_eq!(inflate(Coding::Zstd, &zstd(&text), u64::MAX, step).unwrap(), text);
            }
        }
    }

    #[test]
    fn what_comes_before_a_fault_or_the_limit_is_handed_on_whatever_the_pieces() {
        const BLOCK: usize = 128 << 10;
        let (text, mut random) = (text(), fastrand::Rng::with_seed(7));
        let noise: Vec<u8> = (0..5 * BLOCK).map(|_| random.u8(..)).collect();
        let (mut broken_gzip, mut broken_zstd) = (gzip(&text), zstd(&noise));
        let late = broken_gzip.len() * 3 / 4;
        broken_gzip[late..late + 9].fill(0xff);
        // Noise is stored as it is, in blocks after a head of nine bytes; there is no kind of block that would have
        // both bits.
        broken_zstd[9 + 3 * (BLOCK + 3)] |= 0b110;
        let cases = [
            (Coding::Gzip, broken_gzip, u64::MAX, text.len() / 2),
            (Coding::Zstd, broken_zstd, u64::MAX, 3 * BLOCK),
            (Coding::Gzip, gzip(&text), 300_000, 300_000),
            (Coding::Zstd, zstd(&noise), 300_000, 300_000),
        ];
        for (coding, body, limit, least) in cases {
            let given = [1, 1000, 50_000, usize::MAX].map(|step| {
                let mut given = Vec::new();
                inflate_into(&mut given, coding, &body, Limits::Answer(limit), step).unwrap_err();
                given
            });
            assert!(given[0].len() >= least && given[0].len() as u64 <= limit, "{coding:?} {}", given[0].len());
            assert!(
                given.iter().all(|other| *other == given[0]),
                "{coding:?} {limit} {:?}",
                given.each_ref().map(Vec::len)
            );
        }
    }

    #[test]
    fn what_holds_nothing_has_an_end_too() {
        let padded = [gzip(b"{}"), vec![0; 3 << 20]].concat();
        assert_eq!(inflate(Coding::Gzip, &padded, 3 << 20, 9000).unwrap(), b"{}");
        assert!(inflate(Coding::Gzip, &padded, 1 << 20, 9000).unwrap_err().0.contains("limit of 1048576"));
    }

    #[test]
    fn a_body_cut_anywhere_is_never_whole() {
        let text = b"{\"data\": [1, 2, 3], \"row_count\": 3}";
        for (coding, body) in [(Coding::Gzip, gzip(text)), (Coding::Zstd, zstd(text))] {
            for cut in 0..body.len() {
                assert!(inflate(coding, &body[..cut], u64::MAX, 5).is_err(), "{coding:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_bomb_is_stopped_by_its_ratio_and_by_the_limit() {
        let blanks = vec![b' '; 64 << 20];
        for (coding, body, times) in
            [(Coding::Gzip, gzip(&blanks), "250 times"), (Coding::Zstd, zstd(&blanks), "1000 times")]
        {
            let error = inflate(coding, &body, u64::MAX, usize::MAX).unwrap_err();
            assert!(error.0.contains(times), "{error:?}");
            let error = inflate(coding, &body, 1 << 20, usize::MAX).unwrap_err();
            assert!(error.0.contains("limit of 1048576"), "{error:?}");
        }
    }

    #[test]
    fn rows_of_hardly_anything_but_nulls_are_no_bomb() {
        let nulls: Vec<_> = (0..30).map(|column| format!("\"column_{column}\": null, ")).collect();
        let nulls = nulls.concat();
        let rows: Vec<_> = (0..40_000).map(|n| format!("{{{nulls}\"n\": {n}}}, ")).collect();
        let rows = rows.concat();
        for (coding, body) in
            [(Coding::Gzip, gzip(rows.as_bytes())), (Coding::Zstd, ::zstd::bulk::compress(rows.as_bytes(), 3).unwrap())]
        {
            assert!(rows.len() > RATIO_COUNTS_FROM as usize && rows.len() > 100 * body.len(), "{coding:?}");
            assert_eq!(inflate(coding, &body, u64::MAX, usize::MAX).unwrap().len(), rows.len(), "{coding:?}");
        }
    }

    #[test]
    fn what_is_not_of_its_coding_and_what_is_corrupt_are_refused() {
        assert!(inflate(Coding::Gzip, b"{}", u64::MAX, 1).is_err());
        assert!(inflate(Coding::Zstd, b"{}", u64::MAX, 1).is_err());
        let mut corrupt = gzip(&text());
        let middle = corrupt.len() / 2;
        corrupt[middle] ^= 0x55;
        assert!(inflate(Coding::Gzip, &corrupt, u64::MAX, 100).is_err());
    }

    /// A frame whose window is two to this power, with one block that is stored as it is.
    fn frame(window: u8, text: &[u8]) -> Vec<u8> {
        let block = (text.len() as u32) << 3 | 1;
        [&[0x28, 0xb5, 0x2f, 0xfd, 0, (window - 10) << 3][..], &block.to_le_bytes()[..3], text].concat()
    }

    #[test]
    fn an_answer_has_a_window_as_large_as_senders_may_use_and_a_file_that_of_the_command() {
        for (limits, most) in [(Limits::Answer(u64::MAX), 23), (Limits::Own, 27)] {
            for window in [10, most, most + 1] {
                let inflated = inflate_into(&mut Vec::new(), Coding::Zstd, &frame(window, b"[]"), limits, 3);
                assert_eq!(inflated.is_ok(), window <= most, "{limits:?} {window} {inflated:?}");
            }
        }
    }

    #[test]
    fn a_file_of_ones_own_may_hold_what_an_answer_may_not() {
        let blanks = vec![b' '; 64 << 20];
        for (coding, body) in [(Coding::Gzip, gzip(&blanks)), (Coding::Zstd, zstd(&blanks))] {
            let mut given = 0;
            let mut inflate = Inflate::new(coding, Limits::Own).unwrap();
            let mut count = |piece: &[u8]| {
                given += piece.len();
                Ok::<_, InflateError>(())
            };
            inflate.push(&body, &mut count).unwrap();
            assert_eq!((given, inflate.finish()), (blanks.len(), Ok(())));
        }
    }
}

//! Content encodings, undone as the bytes arrive and never further than the limits allow.

use std::io;

use zstd::stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};

use super::gzip::Gzip;
use crate::client::shown::clipped_word;

/// What the client says it takes. Nothing else is undone.
pub(in crate::client) const ACCEPTED: &str = "gzip, zstd";
pub(in crate::client) const NONE_ACCEPTED: &str = "identity";

/// A gzip body may grow by this factor. Rows of thirty nulls and a counter, the emptiest there are, reach 120; blanks and
/// short rows repeated reach 300 to 1000. Long rows repeated stay below it, 190 for rows of 1 KiB: such a body differs from a
/// real one in nothing, and the limit on bytes bounds it.
const GZIP_RATIO: u64 = 250;

/// The same for zstd, where those emptiest rows reach 320 to 380, and whatever repeats 4000 and more.
const ZSTD_RATIO: u64 = 1000;

/// Small bodies may grow as they like: a page of blanks is no attack.
const RATIO_COUNTS_FROM: u64 = 16 << 20;

/// What stands around compressed bytes, heads and padding, counts as well from here on, for there may be any number of it.
const AROUND: u64 = 1 << 20;

/// Decompressed bytes that are handed on at once. The limits are looked at before, so no body gets further beyond them.
pub(super) const ROOM: usize = 256 << 10;

/// How many bytes of a zstd frame say how long its head is, and how long the head of a block in it is.
const FRAME_HEAD: usize = 5;
const BLOCK_HEAD: usize = 3;

/// The largest window a zstd body may ask memory for: 8 MiB, as RFC 9659 demands of senders.
const WINDOW_LOG: u32 = 23;

/// One body being decompressed.
pub(in crate::client) struct Inflate {
    coding: Coding,
    /// Where decompressed bytes are written.
    room: Vec<u8>,
    taken: u64,
    given: u64,
    limit: u64,
}

enum Coding {
    Identity,
    Gzip(Box<Gzip>),
    Zstd(Box<Zstd>),
}

struct Zstd {
    decoder: ZstdDecoder<'static>,
    /// How many bytes the decoder asked for: what is left of a block with the head of the next; none behind the last of a frame.
    wanted: usize,
}

impl Inflate {
    /// Prepares for a body with these `Content-Encoding` headers; `limit` counts decompressed bytes.
    ///
    /// # Errors
    /// Unknown encodings and several on top of each other: a client asks for one at most.
    pub(in crate::client) fn new<'a>(encodings: impl Iterator<Item = &'a str>, limit: u64) -> Result<Self, String> {
        let mut named = encodings.flat_map(|header| header.split(',')).map(str::trim).filter(|name| !name.is_empty());
        let coding = match (named.next().map(str::to_ascii_lowercase).as_deref(), named.next()) {
            (_, Some(_)) => return Err("the answer has several content encodings on top of each other".to_owned()),
            (None | Some("identity"), None) => Coding::Identity,
            (Some("gzip" | "x-gzip"), None) => Coding::Gzip(Box::new(Gzip::new())),
            (Some("zstd"), None) => Coding::Zstd(Box::new(Zstd::new().map_err(|error| error.to_string())?)),
            (Some(other), None) => {
                let other = clipped_word(other);
                return Err(format!("the answer has the content encoding `{other}`, which was not asked for"));
            }
        };
        Ok(Self { coding, room: Vec::new(), taken: 0, given: 0, limit })
    }

    /// Whether there is anything to undo.
    pub(in crate::client) fn is_idle(&self) -> bool {
        matches!(self.coding, Coding::Identity)
    }

    /// Bytes taken so far, as received.
    pub(in crate::client) fn taken(&self) -> u64 {
        self.taken
    }

    /// Takes the next bytes as received and hands on what they hold, in pieces.
    pub(in crate::client) fn push<E: From<Broken>>(
        &mut self,
        bytes: &[u8],
        mut give: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if matches!(self.coding, Coding::Identity) {
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

    /// Decompresses into the room of `out`, which is empty, and takes what it used off the front of `left`. Says whether more may come,
    /// and has taken all of `left` where it does not. After an error, what comes before it is in `out`.
    pub(super) fn fill(&mut self, left: &mut &[u8], out: &mut Vec<u8>) -> Result<bool, Broken> {
        let within = usize::try_from(self.limit.saturating_sub(self.given)).unwrap_or(usize::MAX);
        let taken = self.coding.inflate(left, out)?;
        *left = &left[taken..];
        self.count(taken, out.len()).inspect_err(|_| out.truncate(within))?;
        // Where there is no room left something may be held back.
        Ok(!left.is_empty() || out.len() == out.capacity())
    }

    /// Checks that the body ended where its encoding ends.
    pub(in crate::client) fn finish(&self) -> Result<(), Broken> {
        match &self.coding {
            Coding::Identity => Ok(()),
            Coding::Gzip(gzip) if gzip.is_whole() => Ok(()),
            Coding::Gzip(_) => Err(Broken("the gzip body ends early".to_owned())),
            Coding::Zstd(zstd) if zstd.wanted == 0 => Ok(()),
            Coding::Zstd(_) => Err(Broken("the zstd body ends in the middle of a frame".to_owned())),
        }
    }

    fn count(&mut self, taken: usize, given: usize) -> Result<(), Broken> {
        self.taken += taken as u64;
        self.given += given as u64;
        if self.given > self.limit || self.taken > self.limit.saturating_add(AROUND) {
            return Err(Broken(format!("the answer is larger than the limit of {} bytes", self.limit)));
        }
        let ratio = match self.coding {
            Coding::Identity => return Ok(()),
            Coding::Gzip(_) => GZIP_RATIO,
            Coding::Zstd(_) => ZSTD_RATIO,
        };
        if self.given > RATIO_COUNTS_FROM && self.given / ratio > self.taken {
            return Err(Broken(format!("the answer grows more than {ratio} times when decompressed")));
        }
        Ok(())
    }
}

impl Coding {
    /// Decompresses as far as there is input and unused room in `out`, and gives how many bytes were taken.
    fn inflate(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, Broken> {
        match self {
            Self::Identity => {
                let taken = input.len().min(out.capacity() - out.len());
                out.extend_from_slice(&input[..taken]);
                Ok(taken)
            }
            Self::Gzip(gzip) => {
                gzip.inflate(input, out).map_err(|error| Broken(format!("the gzip body is broken: {error}")))
            }
            Self::Zstd(zstd) => {
                zstd.inflate(input, out).map_err(|error| Broken(format!("the zstd body is broken: {error}")))
            }
        }
    }
}

impl Zstd {
    fn new() -> io::Result<Self> {
        let mut decoder = ZstdDecoder::new()?;
        decoder.set_parameter(zstd::zstd_safe::DParameter::WindowLogMax(WINDOW_LOG))?;
        Ok(Self { decoder, wanted: FRAME_HEAD })
    }

    /// The decoder gets each block and each head for itself: with a fault is lost what it would have written of all that it got at once.
    fn inflate(&mut self, input: &[u8], out: &mut Vec<u8>) -> io::Result<usize> {
        let mut taken = 0;
        loop {
            let part = &input[taken..];
            // Asked without input behind a frame, the decoder would say that it waits for the next.
            if part.is_empty() && self.wanted == 0 {
                return Ok(taken);
            }
            let count = match self.wanted {
                0 => FRAME_HEAD,
                head @ ..=BLOCK_HEAD => head,
                more => more - BLOCK_HEAD,
            };
            let count = count.min(part.len());
            let behind = out.len();
            let (mut block, mut output) = (InBuffer::around(&part[..count]), OutBuffer::around_pos(out, behind));
            self.wanted = self.decoder.run(&mut block, &mut output)?;
            taken += block.pos();
            if taken == input.len() || out.len() == out.capacity() {
                return Ok(taken);
            }
        }
    }
}

/// A body that is not what its encoding says, or too large.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::client) struct Broken(pub String);

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ::zstd::bulk::compress(bytes, 19).unwrap()
    }

    fn inflate(encoding: &str, body: &[u8], limit: u64, step: usize) -> Result<Vec<u8>, Broken> {
        let mut whole = Vec::new();
        inflate_into(&mut whole, encoding, body, limit, step).map(|()| whole)
    }

    fn inflate_into(whole: &mut Vec<u8>, encoding: &str, body: &[u8], limit: u64, step: usize) -> Result<(), Broken> {
        let mut inflate = Inflate::new(std::iter::once(encoding), limit).map_err(Broken)?;
        for chunk in body.chunks(step) {
            inflate.push(chunk, |piece| keep(whole, piece))?;
        }
        inflate.finish()
    }

    #[expect(clippy::unnecessary_wraps, reason = "consumers may refuse")]
    fn keep(whole: &mut Vec<u8>, piece: &[u8]) -> Result<(), Broken> {
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
            assert_eq!(inflate("gzip", &gzip(&text), u64::MAX, step).unwrap(), text);
            assert_eq!(inflate("ZSTD", &zstd(&text), u64::MAX, step).unwrap(), text);
            assert_eq!(inflate("identity", &text, u64::MAX, step).unwrap(), text);
        }
    }

    #[test]
    fn a_body_that_fills_the_room_to_its_last_byte_is_whole() {
        for rooms in [1, 3] {
            let text = vec![b'x'; rooms * ROOM];
            for step in [1, usize::MAX] {
                assert_eq!(inflate("gzip", &gzip(&text), u64::MAX, step).unwrap(), text);
                assert_eq!(inflate("zstd", &zstd(&text), u64::MAX, step).unwrap(), text);
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
        // Noise is stored as it is, in blocks behind a head of nine bytes; there is no kind of block that would have both bits.
        broken_zstd[9 + 3 * (BLOCK + 3)] |= 0b110;
        let cases = [
            ("gzip", broken_gzip, u64::MAX, text.len() / 2),
            ("zstd", broken_zstd, u64::MAX, 3 * BLOCK),
            ("gzip", gzip(&text), 300_000, 300_000),
            ("zstd", zstd(&noise), 300_000, 300_000),
        ];
        for (encoding, body, limit, least) in cases {
            let given = [1, 1000, 50_000, usize::MAX].map(|step| {
                let mut given = Vec::new();
                inflate_into(&mut given, encoding, &body, limit, step).unwrap_err();
                given
            });
            assert!(given[0].len() >= least && given[0].len() as u64 <= limit, "{encoding} {}", given[0].len());
            assert!(
                given.iter().all(|other| *other == given[0]),
                "{encoding} {limit} {:?}",
                given.each_ref().map(Vec::len)
            );
        }
    }

    #[test]
    fn what_holds_nothing_has_an_end_too() {
        let padded = [gzip(b"{}"), vec![0; 3 << 20]].concat();
        assert_eq!(inflate("gzip", &padded, 3 << 20, 9000).unwrap(), b"{}");
        assert!(inflate("gzip", &padded, 1 << 20, 9000).unwrap_err().0.contains("limit of 1048576"));
    }

    #[test]
    fn a_body_cut_anywhere_is_never_whole() {
        let text = b"{\"data\": [1, 2, 3], \"row_count\": 3}";
        for (encoding, body) in [("gzip", gzip(text)), ("zstd", zstd(text))] {
            for cut in 0..body.len() {
                assert!(inflate(encoding, &body[..cut], u64::MAX, 5).is_err(), "{encoding} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_bomb_is_stopped_by_its_ratio_and_by_the_limit() {
        let blanks = vec![b' '; 64 << 20];
        for (encoding, body, times) in [("gzip", gzip(&blanks), "250 times"), ("zstd", zstd(&blanks), "1000 times")] {
            let error = inflate(encoding, &body, u64::MAX, usize::MAX).unwrap_err();
            assert!(error.0.contains(times), "{error:?}");
            let error = inflate(encoding, &body, 1 << 20, usize::MAX).unwrap_err();
            assert!(error.0.contains("limit of 1048576"), "{error:?}");
        }
    }

    #[test]
    fn rows_of_hardly_anything_but_nulls_are_no_bomb() {
        let nulls: Vec<_> = (0..30).map(|column| format!("\"column_{column}\": null, ")).collect();
        let nulls = nulls.concat();
        let rows: Vec<_> = (0..40_000).map(|n| format!("{{{nulls}\"n\": {n}}}, ")).collect();
        let rows = rows.concat();
        for (encoding, body) in
            [("gzip", gzip(rows.as_bytes())), ("zstd", ::zstd::bulk::compress(rows.as_bytes(), 3).unwrap())]
        {
            assert!(rows.len() > RATIO_COUNTS_FROM as usize && rows.len() > 100 * body.len(), "{encoding}");
            assert_eq!(inflate(encoding, &body, u64::MAX, usize::MAX).unwrap().len(), rows.len(), "{encoding}");
        }
    }

    #[test]
    fn mislabelled_corrupt_unknown_and_stacked_encodings_are_refused() {
        assert!(inflate("gzip", b"{}", u64::MAX, 1).is_err());
        assert!(inflate("zstd", b"{}", u64::MAX, 1).is_err());
        let mut corrupt = gzip(&text());
        let middle = corrupt.len() / 2;
        corrupt[middle] ^= 0x55;
        assert!(inflate("gzip", &corrupt, u64::MAX, 100).is_err());
        for encoding in ["br", "deflate", "gzip, gzip", "zstd,gzip"] {
            assert!(inflate(encoding, b"", u64::MAX, 1).is_err(), "{encoding}");
        }
    }
}

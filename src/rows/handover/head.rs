//! The beginning of a body: how much of it is read before other threads are thought of, and whether they pay.

use crate::rows::options::{DecodeOptions, Hold};
use crate::rows::sequential::Sequential;

/// How much of a body is read at once before it is asked who reads on.
const PROBE_BYTES: usize = 1 << 20;

/// How much is read at once of the beginning of a body of which all is there.
const PROBE_BYTES_OF_WHOLE: usize = 256 << 10;
/// How much has to be left of such a body to be worth a second thread: to start one, and to have columns of its own for
/// each part, takes as long as to read a MiB or two.
const REST_OF_WHOLE: usize = 4 << 20;

/// One thread reads on alone while so many bytes bring more columns than this: they may be keys of a map, which is text
/// once it has more of them, and each further thread would make columns of them, too.
const MANY_NEW: usize = 256;
/// After so many bytes it is decided, however many columns come.
const LEARNING_BYTES: u64 = 4 << 20;

/// Rows that are longer than this, on average at the beginning, are left to one thread: chunks grow with them, and
/// several chunks are held.
pub(in crate::rows) const LONG_ROW: u64 = 1 << 20;

/// Who reads on after the beginning.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::rows) enum WhoReads {
    NotKnownYet,
    /// The thread that feeds.
    Alone,
    /// Other threads, too.
    Threads,
}

/// What is known of the beginning.
pub(in crate::rows) struct Head {
    pub(in crate::rows) options: DecodeOptions,
    /// How many bytes were read, and how many columns there were, when that was last looked into.
    bytes: u64,
    columns: usize,
}

impl Head {
    pub(in crate::rows) fn new(options: DecodeOptions) -> Self {
        Self { options, bytes: 0, columns: 0 }
    }

    /// How many bytes to read at once.
    pub(in crate::rows) fn probe_bytes(&self) -> usize {
        PROBE_BYTES.min(self.options.limits.chunk_bytes)
    }

    /// How many bytes to read at once of a body that is there and of which `left` are left; `None` where those are too
    /// few for other threads.
    pub(in crate::rows) fn probe_bytes_of_whole(&self, left: usize) -> Option<usize> {
        let chunk_bytes = self.options.limits.chunk_bytes;
        let probe = PROBE_BYTES_OF_WHOLE.min(chunk_bytes);
        (left >= probe + REST_OF_WHOLE.min(chunk_bytes)).then_some(probe)
    }

    /// Says who reads on, once there is half as much of whole rows more than when that was asked last.
    pub(in crate::rows) fn who_reads(&mut self, probe_bytes: usize, sequential: &mut Sequential) -> WhoReads {
        let bytes = sequential.consumed();
        if bytes < self.bytes + probe_bytes as u64 / 2 {
            return WhoReads::NotKnownYet;
        }
        let (columns, known) = (sequential.columns(), self.columns);
        (self.bytes, self.columns) = (bytes, columns);
        if columns > known + MANY_NEW && bytes < LEARNING_BYTES {
            return WhoReads::NotKnownYet;
        }
        // A stream has to do with little memory, and each thread more has columns of its own, empty ones included.
        let is_tight = self.options.hold == Hold::Shapes && sequential.is_sparse();
        let has_long_rows = sequential.bytes_per_row() > LONG_ROW;
        if is_tight || has_long_rows || sequential.must_read_alone() { WhoReads::Alone } else { WhoReads::Threads }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::options::Form;

    /// How often a body is read on before it is known who reads, and who does.
    fn waits(rows: impl Iterator<Item = String>) -> (usize, WhoReads) {
        const PROBE_BYTES: usize = 20_000;
        let options = DecodeOptions { form: Form::Any, threads: 2, ..DecodeOptions::default() };
        let (mut head, mut sequential) = (Head::new(options.clone()), Sequential::new(options));
        let body = format!("[{}]", rows.collect::<Vec<_>>().join(","));
        for (waits, piece) in body.as_bytes().chunks(PROBE_BYTES).enumerate() {
            sequential.feed(piece).unwrap();
            match head.who_reads(PROBE_BYTES, &mut sequential) {
                WhoReads::NotKnownYet => {}
                known => return (waits, known),
            }
        }
        panic!("nobody reads on");
    }

    #[test]
    fn others_read_on_once_a_map_has_shown_itself_as_text() {
        let fields: Vec<String> = (0..50).map(|at| format!("\"f{at}\":{at}")).collect();
        let fields = fields.join(",");
        let (looks, who) = waits((0..1_000).map(|key| format!("{{\"m\":{{\"k{key}\":{{{fields}}}}}}}")));
        assert!(looks > 3, "{looks}");
        assert_eq!(who, WhoReads::Threads);
    }

    #[test]
    fn few_columns_are_not_waited_for_and_many_beside_long_text_are_for_one_thread() {
        assert_eq!(waits((0..5_000).map(|at| format!("{{\"a\":{at}}}"))), (0, WhoReads::Threads));
        let wide = (0..4_000).map(|at| format!("\"c{at}\":{at}")).collect::<Vec<_>>().join(",");
        let text = "x".repeat(100_000);
        let rows = [format!("{{{wide}}}")].into_iter().chain((0..20).map(|_| format!("{{\"c0\":0,\"t\":\"{text}\"}}")));
        assert_eq!(waits(rows).1, WhoReads::Alone);
    }
}

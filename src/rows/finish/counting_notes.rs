//! Notes that count something. Where tables are joined they are read again, so that one note counts for all of them.

use crate::rows::table::Note;

/// Lone surrogates that were sent, each of which has become U+FFFD; nothing where there were none.
pub(in crate::rows) fn on_surrogates(count: u64) -> Option<Note> {
    match count {
        0 => None,
        1 => Some(Note::on_table(format!("1{SURROGATE}"))),
        count => Some(Note::on_table(format!("{count}{SURROGATES}"))),
    }
}

/// How many lone surrogates a note counts, if that is what it does.
pub(in crate::rows) fn surrogates_in(note: &Note) -> Option<u64> {
    let count = note.message.strip_suffix(SURROGATE).or_else(|| note.message.strip_suffix(SURROGATES))?;
    if note.column.is_none() { count.parse().ok() } else { None }
}

const SURROGATE: &str = " lone surrogate became U+FFFD";
const SURROGATES: &str = " lone surrogates became U+FFFD";

/// How many notes were left out: `count`, or more where `is_least`; `None` if none was.
pub(in crate::rows) fn on_left_out(count: usize, is_least: bool) -> Option<Note> {
    let least = if is_least { AT_LEAST } else { "" };
    let more = if count == 1 { NOTE_MORE } else { NOTES_MORE };
    (count > 0).then(|| Note::on_table(format!("{AND}{least}{count}{more}")))
}

/// How many notes one says were left out, at least, if that is what it says.
pub(in crate::rows) fn left_out_by(note: &Note) -> Option<usize> {
    let count = note.message.strip_prefix(AND)?;
    let count = count.strip_prefix(AT_LEAST).unwrap_or(count);
    let count = count.strip_suffix(NOTES_MORE).or_else(|| count.strip_suffix(NOTE_MORE))?;
    if note.column.is_none() { count.parse().ok() } else { None }
}

const AND: &str = "and ";
const AT_LEAST: &str = "at least ";
const NOTE_MORE: &str = " more note";
const NOTES_MORE: &str = " more notes";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_read_again() {
        for count in [1, 2, 500] {
            let note = on_surrogates(count).unwrap();
            assert_eq!((surrogates_in(&note), left_out_by(&note)), (Some(count), None), "{note}");
            for is_least in [false, true] {
                let note = on_left_out(count as usize, is_least).unwrap();
                assert_eq!((surrogates_in(&note), left_out_by(&note)), (None, Some(count as usize)), "{note}");
            }
        }
        assert_eq!((on_surrogates(0), on_left_out(0, true)), (None, None));
    }
}

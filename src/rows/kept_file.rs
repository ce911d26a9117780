//! Rows in a form that comes back as it was: an Arrow IPC file, whose footer holds the notes.

use std::io::{self, Read, Seek, Write};

use arrow_ipc::reader::FileReader;

use super::table::{Note, Rows};
use super::write::write_ipc_with;

/// Where the notes stand in the footer: JSON pairs of column and message.
const NOTES: &str = "rowhaul.notes";

pub fn write_kept(rows: &Rows, out: impl Write) -> io::Result<()> {
    let notes: Vec<_> = rows.notes().iter().map(|note| (&note.column, &note.message)).collect();
    write_ipc_with(rows, out, &[(NOTES, &serde_json::to_string(&notes)?)])
}

/// Reads what [`write_kept`] wrote.
pub fn read_kept(source: impl Read + Seek) -> io::Result<Rows> {
    let reader = FileReader::try_new(source, None).map_err(io::Error::other)?;
    let notes = reader.custom_metadata().get(NOTES).map_or("[]", String::as_str);
    let notes: Vec<(Option<String>, String)> = serde_json::from_str(notes)?;
    let notes = notes.into_iter().map(|(column, message)| Note { column, message }).collect();
    let schema = reader.schema();
    let batches = reader.collect::<Result<_, _>>().map_err(io::Error::other)?;
    Ok(Rows::new(schema, batches, notes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{DecodeOptions, Decoder, Form};

    #[test]
    fn what_is_read_again_is_what_was_written() {
        for body in [
            r#"[{"id": 1, "at": {"x": [1.5, null]}, "tags": ["a"], "on": true}, {"id": "two", "late": 18446744073709551615}]"#,
            "[{}, {}, {}]",
            "[]",
        ] {
            let mut decoder = Decoder::new(DecodeOptions { form: Form::Any, ..DecodeOptions::default() });
            decoder.feed(body.as_bytes()).unwrap();
            let mut rows = decoder.finish().unwrap().rows;
            rows.push_note(Note::on_table("seen \"once\""));
            let mut file = Vec::new();
            write_kept(&rows, &mut file).unwrap();
            let again = read_kept(io::Cursor::new(file)).unwrap();
            assert_eq!(again.schema(), rows.schema());
            assert_eq!(again.batches(), rows.batches());
            assert_eq!(again.notes(), rows.notes());
        }
    }
}

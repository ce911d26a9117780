//! Newline-delimited JSON: one object a row, every column in every row, `null` where there is no value.

use std::io::{self, Write};

use super::cells::Cells;
use crate::rows::Rows;
use crate::rows::json::text::write_string;

pub fn write_ndjson(rows: &Rows, mut out: impl Write) -> io::Result<()> {
    let keys: Vec<Vec<u8>> = rows
        .schema()
        .fields()
        .iter()
        .map(|field| {
            let mut key = Vec::new();
            write_string(field.name().as_bytes(), &mut key);
            key.push(b':');
            key
        })
        .collect();
    let mut line = Vec::new();
    for batch in rows.batches() {
        let columns: Vec<Cells> = batch.columns().iter().map(Cells::new).collect();
        for row in 0..batch.num_rows() {
            line.clear();
            line.push(b'{');
            for (at, (key, column)) in keys.iter().zip(&columns).enumerate() {
                if at > 0 {
                    line.push(b',');
                }
                line.extend_from_slice(key);
                column.write_json(row, &mut line);
            }
            line.extend_from_slice(b"}\n");
            out.write_all(&line)?;
        }
    }
    out.flush()
}

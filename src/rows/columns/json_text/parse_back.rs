//! JSON text back into the column that it was written from.

use super::PointerTo;
use crate::rows::columns::{Column, Context, Facts, Shape, StorageKind};
use crate::rows::json::cursor::Cursor;

impl PointerTo<'_> {
    /// Parses JSON texts back into a column. They widened their column to text once, so the result must widen to text
    /// again.
    pub(in crate::rows) fn parse_back<'v>(&self, texts: impl Iterator<Item = Option<&'v str>>) -> Column {
        let (mut column, mut context) = (Column::new(), Context::default());
        for text in texts {
            let Some(text) = text else {
                column.push_nulls(1);
                continue;
            };
            context.attempt += 1;
            let (len, mut cursor) = (column.len(), Cursor::new(text.as_bytes(), true));
            let end = column.read(0, &mut cursor, &mut context, self.depth);
            if !end.is_ok_and(|end| end == text.len()) {
                column.undo(context.attempt, len);
                column.push_string(text.into(), context.attempt);
            }
        }
        // The value that forced text may be missing here (`5.0` is written as `5`; other rows are absent), so restore a
        // fact that forces it.
        let shape = Shape::of_column(&column);
        if matches!(shape.storage(), StorageKind::Utf8 | StorageKind::Null) {
            return column;
        }
        column.learn(made_text_by(shape.facts.storage()), context.attempt);
        column
    }
}

/// What may have made text of values that are all held so.
fn made_text_by(storage: StorageKind) -> Facts {
    match storage {
        StorageKind::Struct => Facts::MAP,
        StorageKind::List => Facts::DEEP,
        _ => Facts::INTEGER | Facts::WIDE | Facts::FLOAT,
    }
}

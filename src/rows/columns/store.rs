//! The values of a column, in one of the storages that facts lead to.

use super::{Booleans, Fields, Gapped, List, Scalars, Shape, Storage, Strings};

/// The values seen so far, in the storage that [`Facts::storage`](super::Facts::storage) asks for.
///
/// `repr(u8)` gives the enum a tag of its own. Left to itself the compiler hides it among the values of a variant, and each
/// match takes eight instructions more: for each value that is read.
#[repr(u8)]
pub(in crate::rows) enum Store {
    Null(usize),
    Boolean(Booleans),
    Int64(Scalars<i64>),
    UInt64(Scalars<u64>),
    Float64(Scalars<f64>),
    Utf8(Strings),
    List(Box<List>),
    Struct(Box<Fields>),
}

impl Store {
    /// `count` nulls in a storage; `shape` says what is in lists and objects.
    pub(super) fn with_nulls(storage: Storage, count: usize, shape: &Shape) -> Self {
        match storage {
            Storage::Null => Self::Null(count),
            Storage::Boolean => Self::Boolean(Booleans::with_nulls(count)),
            Storage::Int64 => Self::Int64(Scalars::with_nulls(count)),
            Storage::UInt64 => Self::UInt64(Scalars::with_nulls(count)),
            Storage::Float64 => Self::Float64(Scalars::with_nulls(count)),
            Storage::Text => Self::Utf8(Strings::with_nulls(count)),
            Storage::List => {
                let nothing = Shape::default();
                Self::List(Box::new(List::with_nulls(count, shape.element.as_deref().unwrap_or(&nothing))))
            }
            Storage::Struct => Self::Struct(Box::new(Fields::with_nulls(count, &shape.members, shape.declared))),
        }
    }

    #[inline]
    pub(super) fn push_nulls(&mut self, count: usize) {
        match self {
            Self::Null(len) => *len += count,
            Self::Boolean(values) => values.push_nulls(count),
            Self::Int64(values) => values.push_nulls(count),
            Self::UInt64(values) => values.push_nulls(count),
            Self::Float64(values) => values.push_nulls(count),
            Self::Utf8(values) => values.push_nulls(count),
            Self::List(values) => values.push_nulls(count),
            Self::Struct(values) => values.push_nulls(count),
        }
    }

    /// Puts the gaps of the objects it is a member of among its values: see [`Gapped::spread`].
    pub(super) fn spread(&mut self, objects: &Gapped<()>) {
        match self {
            Self::Null(len) => *len = objects.len(),
            Self::Boolean(values) => values.spread(objects),
            Self::Int64(values) => values.spread(objects),
            Self::UInt64(values) => values.spread(objects),
            Self::Float64(values) => values.spread(objects),
            Self::Utf8(values) => values.spread(objects),
            Self::List(values) => values.spread(objects),
            Self::Struct(values) => values.spread(objects),
        }
    }

    /// Appends the JSON text of a value to text, which it is.
    pub(super) fn push_raw(&mut self, text: &[u8]) {
        match self {
            Self::Utf8(values) => values.push_raw(text),
            _ => unreachable!("a column that mixes kinds is stored as text"),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Null(len) => *len,
            Self::Boolean(values) => values.len(),
            Self::Int64(values) => values.len(),
            Self::UInt64(values) => values.len(),
            Self::Float64(values) => values.len(),
            Self::Utf8(values) => values.len(),
            Self::List(values) => values.len(),
            Self::Struct(values) => values.len(),
        }
    }

    pub(super) fn kind(&self) -> Storage {
        match self {
            Self::Null(_) => Storage::Null,
            Self::Boolean(_) => Storage::Boolean,
            Self::Int64(_) => Storage::Int64,
            Self::UInt64(_) => Storage::UInt64,
            Self::Float64(_) => Storage::Float64,
            Self::Utf8(_) => Storage::Text,
            Self::List(_) => Storage::List,
            Self::Struct(_) => Storage::Struct,
        }
    }

    pub(super) fn is_null(&self, at: usize) -> bool {
        match self {
            Self::Null(_) => true,
            Self::Boolean(values) => values.is_null(at),
            Self::Int64(values) => values.is_null(at),
            Self::UInt64(values) => values.is_null(at),
            Self::Float64(values) => values.is_null(at),
            Self::Utf8(values) => values.is_null(at),
            Self::List(values) => values.is_null(at),
            Self::Struct(values) => values.is_null(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use proptest::prelude::*;

    use super::*;
    use crate::rows::json::cursor::Cursor;
    use crate::rows::json::escape::Unescaped;
    use crate::rows::json::text::write_string;
    use crate::rows::slab::Slab;

    /// What a column of text is asked to do.
    #[derive(Debug, Clone)]
    enum Step {
        /// A string as it stands in a body, with so many bytes behind it.
        Push(String, usize),
        PushRaw(String),
        PushNulls(usize),
        DropLast(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        let text = || prop_oneof!["[a-zé]{0,14}", "[a-z]{10,16}", "[a-z]{61,67}", "[a-zé]{0,200}"];
        prop_oneof![
            6 => (text(), prop_oneof![Just(0), 0usize..80]).prop_map(|(text, behind)| Step::Push(text, behind)),
            1 => text().prop_map(Step::PushRaw),
            2 => (0usize..9).prop_map(Step::PushNulls),
            1 => (0usize..9).prop_map(Step::DropLast),
        ]
    }

    fn take(texts: &mut Strings, step: Step) {
        match step {
            Step::PushRaw(text) => texts.push_raw(text.as_bytes()),
            Step::PushNulls(count) => texts.push_nulls(count),
            Step::DropLast(count) => texts.truncate(texts.len().saturating_sub(count)),
            Step::Push(text, behind) => {
                let body = format!("\"{text}\"{}", "x".repeat(behind));
                let mut unescaped = Unescaped::default();
                texts.push(Cursor::new(body.as_bytes(), true).text(&mut unescaped).unwrap());
            }
        }
    }

    proptest! {
        #[test]
        fn text_is_what_a_plain_vector_would_hold(
            steps in proptest::collection::vec(step(), 0..40),
            behind in 0usize..9,
        ) {
            let mut texts = Strings::with_nulls(0);
            let mut plain = Vec::new();
            for step in steps {
                take(&mut texts, step.clone());
                match step {
                    Step::Push(text, _) => plain.push(Some((text, false))),
                    Step::PushRaw(text) => plain.push(Some((text, true))),
                    Step::PushNulls(count) => plain.resize(plain.len() + count, None),
                    Step::DropLast(count) => plain.truncate(plain.len().saturating_sub(count)),
                }
                prop_assert_eq!(texts.len(), plain.len());
            }
            let store = Store::Utf8(texts);
            for (at, value) in plain.iter().enumerate() {
                prop_assert_eq!(store.is_null(at), value.is_none());
                let Some((text, is_raw)) = value else { continue };
                let (mut shown, mut written) = (Vec::new(), Vec::new());
                store.render(at, &mut shown);
                write_string(text.as_bytes(), &mut written);
                prop_assert_eq!(shown.as_slice(), if *is_raw { text.as_bytes() } else { written.as_slice() });
            }
            let Store::Utf8(mut texts) = store else { unreachable!() };
            texts.push_nulls(behind);
            let read = |texts: &Strings| -> Vec<_> {
                let one = |at| (!texts.is_null(at)).then(|| (texts.get(at).to_vec(), texts.is_raw(at)));
                (0..texts.len()).map(one).collect()
            };
            let before = read(&texts);
            texts.finish(&mut Slab::default());
            prop_assert_eq!(read(&texts), before);
            let array = texts.into_array(&mut Slab::default());
            prop_assert!(array.to_data().validate_full().is_ok());
            plain.resize(plain.len() + behind, None);
            let texts: Vec<_> = array.as_string::<i32>().iter().map(|text| text.map(str::to_owned)).collect();
            let expected: Vec<_> = plain.into_iter().map(|value| value.map(|(text, _)| text)).collect();
            prop_assert_eq!(texts, expected);
        }
    }
}

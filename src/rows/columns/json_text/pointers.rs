//! Which columns of text are JSON text throughout, without a string among it.
//!
//! The metadata of a column tells so of itself and of what is nested in it. Then what is in that text can be read
//! again (`parse_back`), and tables widen among each other as their bodies would have.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::{Field, FieldRef};

use crate::rows::columns::{Facts, Shape, StorageKind};

/// Where it stands in the metadata of a column: a JSON array of JSON pointers (RFC 6901), with `-` for the elements of
/// an array.
const JSON_TEXT_KEY: &str = "rowhaul.json";

/// Pointers of more bytes than this are left out: a hostile body could ask for any number.
const MAX_POINTER: usize = 8 << 10;

/// How many bytes the pointers of one table may still have, of those that are new in it: names stand in them far more
/// often than in its body.
pub(in crate::rows) struct PointerBudget(usize);

impl Default for PointerBudget {
    fn default() -> Self {
        Self(1 << 20)
    }
}

/// JSON pointers to all text in one column that is JSON text throughout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::rows) struct JsonTexts(BTreeSet<String>);

/// A place in a column, on the way through what is nested in it.
pub(in crate::rows) struct PointerTo<'t> {
    texts: &'t JsonTexts,
    /// `None` where nothing here or within is one of the texts.
    pointer: Option<String>,
    /// How deep values stand here: a cell of a row is at 1.
    pub(super) depth: usize,
}

impl JsonTexts {
    /// Of a column, as far as the `budget` goes.
    pub(in crate::rows) fn of_shape(shape: &Shape, budget: &mut PointerBudget) -> Self {
        let mut texts = Self::default();
        texts.add(shape, &mut Vec::new(), 0, budget);
        texts
    }

    /// Of a column that is JSON text itself.
    pub(in crate::rows) fn of_whole_column() -> Self {
        Self(BTreeSet::from([String::new()]))
    }

    pub(in crate::rows) fn of_field(field: &Field) -> Self {
        let told = field.metadata().get(JSON_TEXT_KEY);
        // Metadata can be changed by anybody.
        Self(told.and_then(|told| serde_json::from_str(told).ok()).unwrap_or_default())
    }

    /// A column whose metadata tells this, and nothing that it told before.
    pub(in crate::rows) fn noted_on(&self, field: &FieldRef) -> FieldRef {
        if self.0.is_empty() && !field.metadata().contains_key(JSON_TEXT_KEY) {
            return Arc::clone(field);
        }
        let mut metadata = field.metadata().clone();
        metadata.remove(JSON_TEXT_KEY);
        if !self.0.is_empty() {
            metadata.insert(JSON_TEXT_KEY.to_owned(), serde_json::json!(self.0).to_string());
        }
        Arc::new(field.as_ref().clone().with_metadata(metadata))
    }

    /// The texts that are in both.
    pub(in crate::rows) fn intersection(mut self, other: &Self) -> Self {
        self.0.retain(|pointer| other.0.contains(pointer));
        self
    }

    /// The column itself.
    pub(in crate::rows) fn top(&self) -> PointerTo<'_> {
        PointerTo { texts: self, pointer: Some(String::new()), depth: 1 }
    }

    /// Collects pointers to all JSON text in a shape. The path has a name for each member and `None` for each array;
    /// `bytes` is the least the pointer will take; stops when the `budget` is spent.
    fn add<'s>(&mut self, shape: &'s Shape, path: &mut Vec<Option<&'s str>>, bytes: usize, budget: &mut PointerBudget) {
        if bytes > MAX_POINTER.min(budget.0) {
            return;
        }
        match shape.storage() {
            StorageKind::Utf8 if !shape.facts.contains(Facts::TEXT) => {
                let mut pointer = String::new();
                if path.iter().all(|step| push_step(&mut pointer, *step)) {
                    budget.0 = budget.0.saturating_sub(pointer.len());
                    self.0.insert(pointer);
                }
            }
            StorageKind::List => {
                if let Some(element) = &shape.element {
                    path.push(None);
                    self.add(element, path, bytes + 2, budget);
                    path.pop();
                }
            }
            StorageKind::Struct => {
                for (name, member) in &shape.members {
                    path.push(Some(name));
                    self.add(member, path, bytes + 1 + name.len(), budget);
                    path.pop();
                }
            }
            _ => {}
        }
    }
}

impl PointerTo<'_> {
    /// Whether text here is JSON text.
    pub(in crate::rows) fn is_json(&self) -> bool {
        self.pointer.as_ref().is_some_and(|pointer| self.texts.0.contains(pointer))
    }

    /// The place of the member of this name.
    pub(in crate::rows) fn member(&self, name: &str) -> Self {
        self.then(Some(name))
    }

    pub(in crate::rows) fn element(&self) -> Self {
        self.then(None)
    }

    fn then(&self, step: Option<&str>) -> Self {
        let mut pointer = self.pointer.clone().filter(|_| !self.texts.0.is_empty());
        let pointer = pointer.take_if(|pointer| push_step(pointer, step));
        Self { texts: self.texts, pointer, depth: self.depth + 1 }
    }
}

/// Appends a step to a pointer, into the member of a name or into the elements of an array; `false` where it becomes
/// too long, and then not all of the step is there.
fn push_step(pointer: &mut String, step: Option<&str>) -> bool {
    pointer.push('/');
    match step {
        Some(name) if name.len() > MAX_POINTER => return false,
        Some(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
        None => pointer.push('-'),
    }
    pointer.len() <= MAX_POINTER
}

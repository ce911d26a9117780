//! Which columns were widened, which are text though not everything in them was, and what else there is to say of what
//! was sent: in words.

use std::sync::Arc;

use super::field_path::FieldPath;
use super::notes::{Remark, Remarks};
use crate::rows::columns::{Facts, MAX_STRUCT_KEYS, Shape, StorageKind};

/// What is said of objects that never have a member, of those that have too many, and of what is within too much.
const NO_MEMBERS: &str = "objects without members: kept as JSON text";
const IS_MAP: &str = "objects with more than 256 distinct keys: kept as JSON text";
const IS_DEEP: &str = "nested too deeply for other libraries: kept as JSON text";
const _: () = assert!(MAX_STRUCT_KEYS == 256, "a note says so");

/// What all notes say on values that are text and were not sent so.
pub(in crate::rows) const KEPT_AS: &str = "kept as ";

/// What is said of what was sent, whatever becomes of its type.
pub(in crate::rows) const DUPLICATE_KEY: &str = "a key occurs twice in one object; the last value counts";

/// Why it is no struct, which may not hold beside another table: there it may be one, or text for another reason.
pub(in crate::rows) const WHY_NO_STRUCT: [&str; 3] = [NO_MEMBERS, IS_MAP, IS_DEEP];

impl Remarks {
    /// Adds notes on the members of a table. Declared columns come first in `members`, in the order of `declared`.
    /// Notes explaining the inferred type are skipped where the requested type was applied: `converts` tells that of a
    /// column and the positions of members from there; an element is at 0.
    pub(in crate::rows) fn on_members(
        &mut self,
        declared: &[(Arc<str>, Shape)],
        members: &[(Arc<str>, Shape)],
        converts: impl Fn(usize, &[usize]) -> bool,
    ) {
        let mut visitor = NoteVisitor { remarks: self, converts };
        for (at, (name, shape)) in members.iter().enumerate() {
            let mut path = FieldPath::of_column(at, name);
            visitor.visit_name(&path, name);
            visitor.visit(&mut path, shape, declared.get(at).map(|(_, shape)| shape));
        }
    }
}

/// A look at all columns, and at what is in them.
struct NoteVisitor<'r, C> {
    remarks: &'r mut Remarks,
    converts: C,
}

impl<C: Fn(usize, &[usize]) -> bool> NoteVisitor<'_, C> {
    fn visit(&mut self, path: &mut FieldPath, shape: &Shape, declared: Option<&Shape>) {
        let declared_as = declared.filter(|declared| contradicts(declared, shape)).map(word);
        // Text takes whatever comes: that a column got the type it was declared as explains nothing.
        let is_on_type = declared.is_none_or(|declared| declared.facts.storage() != StorageKind::Utf8);
        let declared_facts = declared.map_or(Facts::NOTHING, |declared| declared.facts);
        let why = why_text(shape.facts, declared_facts);
        if let Some(declared) = declared_as {
            let holds = why.as_deref().unwrap_or_else(|| word(shape));
            let note = self.push(path, &format!("declared {declared}, but holds {holds}"), is_on_type);
            self.remarks.record_contradiction(path, note);
        } else if let Some(why) = why {
            self.push(path, &why, is_on_type);
        }
        if shape.facts.storage() == StorageKind::Struct && shape.members.is_empty() && declared.is_none() {
            self.push(path, NO_MEMBERS, true);
        }
        // What was nested in a column of text is text now and of no type of its own.
        let is_nested = matches!(shape.facts.storage(), StorageKind::List | StorageKind::Struct);
        let has_duplicate_keys = if is_nested { shape.has_duplicate_keys } else { shape.has_duplicate_keys_within() };
        if has_duplicate_keys {
            self.push(path, DUPLICATE_KEY, false);
        }
        if !is_nested {
            return;
        }
        if let Some(element) = &shape.element {
            let declared = declared.and_then(|declared| declared.element.as_deref());
            path.at_elements(|path| self.visit(path, element, declared));
        }
        for (at, (name, member)) in shape.members.iter().enumerate() {
            let known = declared.and_then(|declared| declared.members.get(at)).filter(|(known, _)| known == name);
            path.at_member(at, name, |path| {
                self.visit_name(path, name);
                self.visit(path, member, known.map(|(_, shape)| shape));
            });
        }
    }

    fn visit_name(&mut self, path: &FieldPath, name: &str) {
        if name.contains('\0') {
            let message = "its name contains a NUL, for which other libraries get U+FFFD";
            self.push(path, message, false);
        }
    }

    /// Gives the index of the note, if it was added. One `is_on_type` that was inferred is not, where another was
    /// given.
    fn push(&mut self, path: &FieldPath, message: &str, is_on_type: bool) -> Option<usize> {
        if is_on_type && (self.converts)(path.column, &path.within) {
            return None;
        }
        self.remarks.push(Remark::at(path, message))
    }
}

fn contradicts(declared: &Shape, shape: &Shape) -> bool {
    declared.facts.storage() != StorageKind::Null
        && (word(declared) != word(shape) || why_text(shape.facts, Facts::NOTHING).is_some())
}

fn word(shape: &Shape) -> &'static str {
    match shape.facts.storage() {
        StorageKind::Null => "nothing",
        StorageKind::Boolean => "booleans",
        StorageKind::Int64 | StorageKind::UInt64 => "integers",
        StorageKind::Float64 => "numbers",
        StorageKind::Utf8 => "text",
        StorageKind::List => "arrays",
        StorageKind::Struct => "objects",
    }
}

/// Why a column is text although not everything in it was, in words; what it was `declared` may never have been
/// seen.
fn why_text(seen: Facts, declared: Facts) -> Option<String> {
    if seen == Facts::TEXT || seen.storage() != StorageKind::Utf8 {
        return None;
    }
    let words = [
        (Facts::TEXT, "text"),
        (Facts::BOOLEAN, "booleans"),
        (Facts::NUMBER, "numbers"),
        (Facts::ARRAY, "arrays"),
        (Facts::OBJECT, "objects"),
    ];
    let kinds_but = |declared: Facts| -> Vec<&str> {
        let kinds = words.into_iter().filter(|(kind, _)| seen.has_any(*kind) && !declared.has_any(*kind));
        kinds.map(|(_, word)| word).collect()
    };
    Some(match kinds_but(Facts::NOTHING).as_slice() {
        _ if seen.has_any(Facts::DEEP) => IS_DEEP.to_owned(),
        ["objects"] => IS_MAP.to_owned(),
        ["numbers"] if seen.has_any(Facts::OVERFLOW) => {
            "a number outside the range of float64: numbers kept as text".to_owned()
        }
        ["numbers"] if seen.has_any(Facts::HUGE) => "an integer beyond 64 bits: numbers kept as text".to_owned(),
        ["numbers"] if seen.has_any(Facts::FLOAT) => {
            "an integer beyond 2^53, which float64 might not hold: numbers kept as text".to_owned()
        }
        ["numbers"] => "negative integers beside integers above int64: numbers kept as text".to_owned(),
        _ => {
            let told = kinds_but(declared);
            let (last, others) = told.split_last().unwrap_or((&"", &[]));
            let and = if others.is_empty() { "" } else { " and " };
            format!("{}{and}{last}: kept as text, values other than strings as JSON text", others.join(", "))
        }
    })
}

//! The path to a field of a table: a column, or what is within it.

/// A path that gets longer and shorter as one looks at what is within a column.
#[derive(Debug)]
pub(in crate::rows) struct FieldPath {
    /// The position of the column.
    pub(super) column: usize,
    /// The positions of members from there, in the order in which they have come; that of elements is 0.
    pub(super) within: Vec<usize>,
    /// As notes name it. Two fields may have the same, as names may hold dots.
    text: String,
}

impl FieldPath {
    pub(in crate::rows) fn of_column(column: usize, name: &str) -> Self {
        Self { column, within: Vec::new(), text: name.to_owned() }
    }

    pub(in crate::rows) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it leads to what is within a column.
    pub(in crate::rows) fn is_within(&self) -> bool {
        !self.within.is_empty()
    }

    /// Looks at a member of the objects that are here.
    pub(in crate::rows) fn at_member(&mut self, at: usize, name: &str, look: impl FnOnce(&mut Self)) {
        self.at(at, |text| text.extend([".", name]), look);
    }

    /// Looks at the elements of the arrays that are here.
    pub(in crate::rows) fn at_elements(&mut self, look: impl FnOnce(&mut Self)) {
        self.at(0, |text| text.push_str("[]"), look);
    }

    fn at(&mut self, position: usize, name: impl FnOnce(&mut String), look: impl FnOnce(&mut Self)) {
        let length = self.text.len();
        name(&mut self.text);
        self.within.push(position);
        look(self);
        self.within.pop();
        self.text.truncate(length);
    }
}

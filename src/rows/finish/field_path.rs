//! Where something stands in a table: in which column, or in what within it.

/// A place that moves as one looks at what is within a column.
#[derive(Debug)]
pub(in crate::rows) struct Place {
    /// The position of the column.
    pub(super) column: usize,
    /// The positions of members from there, in the order in which they have come; that of elements is 0.
    pub(super) within: Vec<usize>,
    /// As notes name it. Two places may have the same, as names may hold dots.
    path: String,
}

impl Place {
    pub(super) fn of_column(column: usize, name: &str) -> Self {
        Self { column, within: Vec::new(), path: name.to_owned() }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Looks at a member of the objects that are here.
    pub(super) fn at_member(&mut self, at: usize, name: &str, look: impl FnOnce(&mut Self)) {
        self.at(at, |path| path.extend([".", name]), look);
    }

    /// Looks at the elements of the arrays that are here.
    pub(super) fn at_elements(&mut self, look: impl FnOnce(&mut Self)) {
        self.at(0, |path| path.push_str("[]"), look);
    }

    fn at(&mut self, position: usize, name: impl FnOnce(&mut String), look: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        name(&mut self.path);
        self.within.push(position);
        look(self);
        self.within.pop();
        self.path.truncate(length);
    }
}

//! Why parameters are refused.

/// A parameter that the contract refuses: the field and the rule it breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    pub field: String,
    pub reason: String,
}

impl Invalid {
    pub fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { field: field.into(), reason: reason.into() }
    }

    pub fn missing(field: &str) -> Self {
        Self::new(field, "required")
    }

    /// The first of the given names that is not among the known ones.
    pub fn unknown<'a>(
        given: impl IntoIterator<Item = &'a String>,
        known: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<Self> {
        let name = given.into_iter().find(|name| !known.clone().any(|known| known == *name))?;
        let known: Vec<_> = known.collect();
        let known = if known.is_empty() { "it takes none".to_owned() } else { format!("known: {}", known.join(", ")) };
        Some(Self::new(name, format!("not a parameter of this agent; {known}")))
    }
}

//! Which name a misspelt one may have meant.

/// Less alike than this, from 0 to 1, are two names that have nothing to do with each other.
const ALIKE: f64 = 0.8;

/// The name that is most like `name`, if one is like it; none if it is one of them, and so not misspelt.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    if names.clone().any(|other| other == name) {
        return None;
    }
    // Whether letters are small is what is misspelt most.
    let small = name.to_lowercase();
    let close = names.map(|other| (strsim::jaro_winkler(&small, &other.to_lowercase()), other));
    let close = close.filter(|(likeness, _)| *likeness > ALIKE);
    close.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, other)| other)
}

/// A name without what is mostly misspelt of it: which letters are capitals, and what stands between words.
pub(crate) fn letters_of(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

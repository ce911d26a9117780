//! Names as they can cross to other libraries: by Arrow's C interface a NUL ends one.

use arrow_schema::Fields;
use hashbrown::{HashMap, HashSet};

/// Other names for those that hold a NUL, which becomes U+FFFD, and then a number where that is taken.
pub(super) fn without_nul(fields: &Fields) -> HashMap<&str, String> {
    let sent = || fields.iter().map(|field| field.name().as_str());
    let mut taken: HashSet<String> = sent().filter(|name| !name.contains('\0')).map(str::to_owned).collect();
    let mut names = HashMap::new();
    // The number that was last put after each.
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for name in sent().filter(|name| name.contains('\0')) {
        let replaced = name.replace('\0', "\u{FFFD}");
        let number = numbers.entry(replaced.clone()).or_insert(1);
        let mut exported = replaced.clone();
        while !taken.insert(exported.clone()) {
            *number += 1;
            exported = format!("{replaced}{number}");
        }
        names.insert(name, exported);
    }
    names
}

//! The rules of the house, read off the source: who may name whom, and who alone may name what.

use std::fs;
use std::path::{Path, PathBuf};

/// What each module may import from the others.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("wire", &[]),
    ("catalogue", &["wire"]),
    ("rows", &["catalogue", "lock", "near"]),
    ("files", &["lock"]),
    ("lock", &[]),
    ("near", &[]),
    ("inflate", &[]),
    ("allocator", &[]),
    ("ledger", &["files", "lock", "wire"]),
    ("client", &["catalogue", "files", "inflate", "ledger", "lock", "near", "rows", "wire"]),
    ("service", &["catalogue", "lock", "wire"]),
    ("cli", &["catalogue", "client", "files", "ledger", "lock", "rows", "service", "wire"]),
    (
        "bindings",
        &["catalogue", "cli", "client", "files", "inflate", "ledger", "lock", "near", "rows", "service", "wire"],
    ),
];

/// Words that only some files may hold, and why.
const ONLY_IN: &[(&str, &[&str], &str)] = &[
    ("hyper", &["client/transport/", "service/"], "the HTTP library is one folder's business"),
    ("pyo3", &["bindings/"], "only the bindings know Python"),
    ("cfg(feature", &["lib.rs"], "features are decided in one place"),
    ("block_on", &["service/"], "bindings wait by their own means, which hear a signal"),
    ("std::fs", &["files.rs", "ledger/", "client/", "cli/", "bindings/", "service/"], "decoding does no I/O"),
    ("mimalloc", &["allocator.rs"], "where memory comes from is decided in one place"),
    ("rusqlite", &["ledger/", "service/store/"], "the database is the business of those who keep one"),
    ("tokio", &["client/", "service/", "bindings/", "cli/"], "decoding is synchronous"),
    (
        "unsafe {",
        &[
            "rows/json/scan/sse2.rs",
            "rows/json/lanes.rs",
            "rows/json/escape/at_once/append.rs",
            "rows/json/utf8/at_once.rs",
            "rows/columns/strings.rs",
            "rows/columns/json_text/text_of.rs",
            "rows/columns/gapped/lay_out.rs",
            "rows/text_layout/arrays.rs",
            "rows/prefetch.rs",
            "rows/memory/",
            "rows/threads/affinity.rs",
            "bindings/capsule.rs",
            "allocator.rs",
        ],
        "unsafe code stands in named files",
    ),
];

fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    walk(&root, &mut files);
    let relative = |path: &Path| path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
    files.iter().map(|path| (relative(path), fs::read_to_string(path).unwrap())).collect()
}

/// The code of a file without its comments, and with modules named as if each was imported alone.
fn code(text: &str) -> impl Iterator<Item = String> {
    let code = |line: &str| line.split("//").next().unwrap_or_default().replace("::{fs", "::fs::{");
    text.lines().map(code)
}

#[test]
fn modules_name_only_those_they_may() {
    let mut broken = Vec::new();
    for (file, text) in sources() {
        let module = file.split(['/', '.']).next().unwrap_or_default();
        let Some((_, allowed)) = MAY_NAME.iter().find(|(name, _)| *name == module) else { continue };
        for line in code(&text) {
            for named in line.split("crate::").skip(1) {
                let named = named.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                let is_module = MAY_NAME.iter().any(|(name, _)| *name == named);
                if is_module && named != module && !allowed.contains(&named) {
                    broken.push(format!("{file}: `{module}` must not name `{named}`: {}", line.trim()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn every_module_of_the_crate_has_its_rule() {
    let library = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    for line in library.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")) {
        let name = line.trim_end_matches(';');
        assert!(MAY_NAME.iter().any(|(module, _)| *module == name), "add `{name}` to MAY_NAME in {}", file!());
    }
}

#[test]
fn a_mod_file_is_a_table_of_contents() {
    const ITEMS: &[&str] = &[
        "fn ",
        "async fn ",
        "unsafe fn ",
        "impl ",
        "impl<",
        "unsafe impl ",
        "struct ",
        "enum ",
        "trait ",
        "type ",
        "static ",
        "const ",
        "mod tests {",
    ];
    let of_its_own = |line: &str| {
        let public = line.strip_prefix("pub").map(|rest| match rest.strip_prefix('(') {
            Some(within) => within.split_once(')').map_or("", |(_, item)| item),
            None => rest,
        });
        ITEMS.iter().any(|start| public.unwrap_or(line).trim_start().starts_with(start) && !line.starts_with(' '))
    };
    for item in ["fn a() {", "pub fn a() {", "pub(in crate::rows) const A: u8 = 1;", "pub(super) struct A;", "impl A {"]
    {
        assert!(of_its_own(item), "{item}");
    }
    for other in ["mod a;", "pub(in crate::rows) mod a;", "pub use a::{A, b};", "    fn within() {", "use a::b;"] {
        assert!(!of_its_own(other), "{other}");
    }
    for (file, text) in sources() {
        if file == "lib.rs" || file.ends_with("mod.rs") {
            let item = code(&text).find(|line| of_its_own(line));
            assert_eq!(item, None, "{file} has prose, modules and what they give away; the rest has a file of its own");
        }
    }
}

#[test]
fn some_words_stand_only_where_they_belong() {
    let mut broken = Vec::new();
    for (file, text) in sources() {
        for (word, places, why) in ONLY_IN {
            let is_allowed =
                places.iter().any(|place| file == *place || (place.ends_with('/') && file.starts_with(place)));
            if !is_allowed && code(&text).any(|line| line.contains(word)) {
                broken.push(format!("{file}: `{word}` does not belong here: {why}"));
            }
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn every_place_of_a_word_is_there() {
    let sources = sources();
    for (word, places, _) in ONLY_IN {
        for place in *places {
            let has_word = |text: &str| code(text).any(|line| line.contains(word));
            let is_there = sources.iter().any(|(file, text)| file.starts_with(place) && has_word(text));
            assert!(is_there, "no `{word}` is in `{place}`, as ONLY_IN has it");
        }
    }
}

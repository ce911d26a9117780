//! An error of the client in the words of the command line.
//!
//! The client's errors name what a Python program can do: its methods and its parameters. A shell has commands and
//! options.

use crate::client::{Error, saved_by, taken_up_by, widened_by};

/// What Python calls it, and what it is here.
const NAMES: &[(&str, &str)] = &[
    ("`allow_http=True`", "`--allow-http`"),
    ("`api_key=`", "`ROWHAUL_API_KEY`"),
    ("`base_url=`", "`--base-url`"),
    ("`base_url`", "`--base-url`"),
    ("`ca_file=`", "`--ca-file`"),
    ("`client.agents()`", "`rowhaul agents`"),
    ("`client.reconcile()`", "`rowhaul reconcile`"),
    ("`ledger=False`", "`--ledger off`"),
    ("`ledger=PATH`", "`--ledger PATH`"),
    ("`max_cost_usd`", "`--max-cost`"),
];

/// The whole error, its hint included.
pub(super) fn said(error: &Error) -> String {
    let mut text = error.to_string();
    if let Some(id) = error.job_id() {
        text = text.replace(&taken_up_by(id), &format!("`{}`", fetching(id.as_str())));
        // No command does that.
        for in_python in [saved_by(id), widened_by(id)] {
            text = text.replace(&in_python, &format!("in Python, {in_python}"));
        }
    }
    NAMES.iter().fold(text, |text, (python, here)| text.replace(python, here))
}

/// The command that waits for a job and writes its rows.
pub(super) fn fetching(id: &str) -> String {
    format!("rowhaul job {} --wait -o rows.parquet", word(id))
}

/// An id as a word of a shell, whatever a service calls its jobs.
pub(super) fn word(id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.:/-".contains(c);
    if id.chars().all(is_plain) { id.to_owned() } else { format!("'{}'", id.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_word_of_a_shell() {
        for (id, shown) in [("job_1-a.b", "job_1-a.b"), ("a b;$c", "'a b;$c'"), ("it's", r"'it'\''s'")] {
            assert_eq!(word(id), shown);
        }
    }

    #[test]
    fn everything_that_errors_advise_in_pythons_words_has_its_words_here() {
        // Only where there are rows that are kept, or caps that several runs share: never here.
        let elsewhere = ["`keep_rows=True`", "`job.wait()`", "`job.refresh()`"];
        let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src/client"))];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let (inner, here): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
            folders.extend(inner);
            files.extend(here);
        }
        let (mut unknown, mut unsaid) = (Vec::new(), NAMES.iter().map(|(python, _)| *python).collect::<Vec<_>>());
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            unsaid.retain(|name| !code.contains(name));
            for line in code.lines().filter(|line| line.contains('"') && !line.trim_start().starts_with("//")) {
                let quoted = line.split('`').skip(1).step_by(2).map(|name| format!("`{name}`"));
                let is_advice = |name: &String| {
                    let is_call = name.starts_with("`client.") || name.starts_with("`job.");
                    is_call && name.ends_with(")`") || name.contains('=') && !name.contains(' ')
                };
                let is_known = |name: &String| {
                    NAMES.iter().any(|(python, _)| python == name) || elsewhere.contains(&name.as_str())
                };
                // The lines that name the job are made, and found, by `taken_up_by` and its like.
                let is_line = |name: &String| name.contains("{:?}");
                unknown.extend(quoted.filter(is_advice).filter(|name| !is_known(name) && !is_line(name)));
            }
        }
        assert!(unknown.is_empty(), "add to NAMES in {}: {unknown:?}", file!());
        assert!(unsaid.is_empty(), "take out of NAMES in {}: {unsaid:?}", file!());
    }
}

//! Instructions for a byte of each body, counted by valgrind: the same on a quiet machine and on a busy one.
//!
//! A process reads a body once, another twice; what the second takes more is one reading, warm. The baseline holds for
//! one compiler and one kind of processor, which is why both are named in it.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

use crate::{bodies, peers};

/// The argument that makes this program the one being counted.
pub(crate) const ONCE: &str = "--once";

const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/bench/instructions.json");
const BODY_BYTES: usize = 1 << 20;
/// More than this share of the baseline is a regression.
const ALLOWED: f64 = 1.05;

#[derive(Serialize, Deserialize)]
struct Baseline {
    compiler: String,
    architecture: String,
    instructions_per_byte: BTreeMap<String, f64>,
}

/// Counts, prints and compares; or writes a new baseline.
pub(crate) fn compare(is_renewed: bool) -> ExitCode {
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("counting instructions needs `valgrind`, which is not on the path (Debian: apt install valgrind)");
        return ExitCode::FAILURE;
    }
    let kinds = bodies::KINDS.iter().chain(&bodies::MORE_KINDS);
    let counted = Baseline {
        compiler: compiler(),
        architecture: std::env::consts::ARCH.to_owned(),
        instructions_per_byte: kinds.map(|&(kind, _)| (kind.to_owned(), per_byte(kind))).collect(),
    };
    if is_renewed {
        let text = serde_json::to_string_pretty(&counted).unwrap() + "\n";
        fs::write(BASELINE, text).unwrap();
    }
    let text = fs::read_to_string(BASELINE).unwrap_or_else(|error| panic!("{BASELINE}: {error}; write it by --renew"));
    report(&counted, &serde_json::from_str(&text).unwrap())
}

/// Reads a body so many times.
pub(crate) fn read_again(path: &str, times: &str) {
    let body = fs::read(path).unwrap().into();
    for _ in 0..times.parse().unwrap() {
        black_box(peers::rowhaul(&body, 1));
    }
}

fn report(counted: &Baseline, baseline: &Baseline) -> ExitCode {
    println!("instructions for a byte of the body, one thread");
    println!("{:<12}{:>8}{:>12}{:>9}", "body", "now", "baseline", "ratio");
    let mut regressed = Vec::new();
    for (kind, now) in &counted.instructions_per_byte {
        let before = baseline.instructions_per_byte.get(kind).copied().unwrap_or(f64::NAN);
        println!("{kind:<12}{now:>8.2}{before:>12.2}{:>9.3}", now / before);
        // A body without a baseline has no ratio, and so does not pass.
        if now / before <= ALLOWED {
            continue;
        }
        regressed.push(kind.as_str());
    }
    if (&counted.compiler, &counted.architecture) != (&baseline.compiler, &baseline.architecture) {
        let (compiler, architecture) = (&baseline.compiler, &baseline.architecture);
        println!("note: the baseline was taken with {compiler} on {architecture}, this with {}", counted.compiler);
    }
    if regressed.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("more than {ALLOWED} times the baseline: {}", regressed.join(", "));
    println!("where it is meant: make bench-instructions-renew");
    ExitCode::FAILURE
}

fn per_byte(kind: &str) -> f64 {
    let body = bodies::body(kind, BODY_BYTES).envelope;
    let path = std::env::temp_dir().join(format!("rowhaul-{}-{kind}.json", std::process::id()));
    fs::write(&path, &body).unwrap();
    let (once, twice) = (counted(&path, 1), counted(&path, 2));
    fs::remove_file(&path).unwrap();
    ((twice - once) as f64 / body.len() as f64 * 100.0).round() / 100.0
}

/// All instructions of a process that reads the body so many times.
fn counted(body: &Path, times: u32) -> u64 {
    let valgrind = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .args([ONCE, body.to_str().unwrap(), &times.to_string()])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&valgrind.stderr);
    let collected = told.lines().find_map(|line| line.split_once("Collected :"));
    let (_, count) = collected.unwrap_or_else(|| panic!("valgrind does not tell a count:\n{told}"));
    count.trim().parse().unwrap()
}

fn compiler() -> String {
    let told = Command::new(std::env::var("RUSTC").unwrap_or("rustc".to_owned())).arg("--version").output();
    told.map_or_else(|_| "an unknown rustc".to_owned(), |told| String::from_utf8_lossy(&told.stdout).trim().to_owned())
}

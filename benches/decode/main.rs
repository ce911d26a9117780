//! The decoder alone, without Python and without HTTP.
//!
//! `cargo bench` races it against what Rust offers ([`race`]); `cargo bench -- --instructions` counts the instructions
//! it takes for a byte of each body and holds them against a baseline ([`instructions`]), which a busy machine does not
//! disturb.

#![allow(clippy::unwrap_used, reason = "a bench that cannot go on has to stop")]

mod bodies;
mod instructions;
mod peers;
mod race;

use std::process::ExitCode;

const USAGE: &str = "\
cargo bench --bench decode [-- OPTION...]
  --megabytes N     about the size of each body of the race (default: 4)
  --rounds N        how often each peer reads each body in the race (default: 15)
  --instructions    count instructions instead, and fail above 105 % of the baseline
  --renew           with it: write what was counted as the new baseline";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let number = |name: &str, default: usize| {
        let given = arguments.iter().position(|argument| argument == name).and_then(|at| arguments.get(at + 1));
        given.map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} takes a number\n{USAGE}")))
    };
    if has("--help") {
        println!("{USAGE}");
        ExitCode::SUCCESS
    } else if let [first, path, times, ..] = arguments.as_slice()
        && first == instructions::ONCE
    {
        instructions::read_again(path, times);
        ExitCode::SUCCESS
    } else if has("--instructions") {
        instructions::compare(has("--renew"))
    } else {
        race::run(number("--megabytes", 4) * 1_000_000, number("--rounds", 15));
        ExitCode::SUCCESS
    }
}

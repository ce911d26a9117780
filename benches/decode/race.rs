//! Peers in turn, again and again, so that a busy moment of the machine hits all of them alike; ratios are taken in a
//! round.

use std::hint::black_box;
use std::time::Instant;

use crate::bodies::{self, Body};
use crate::peers;

/// Prints a table in Markdown for each body.
pub(crate) fn run(bytes: usize, rounds: usize) {
    println!("| body | peer | MB/s | time, relative (spread) | result |\n| --- | --- | --- | --- | --- |");
    for (kind, _) in bodies::KINDS {
        let body = bodies::body(kind, bytes);
        let verdict = peers::verdict(&body);
        let schema = peers::schema(&peers::rowhaul(&body.envelope, 1));
        let arrow_json = || drop(black_box(peers::arrow_json(&body.lines, &schema)));
        let ways: [(&str, &str, &dyn Fn()); 4] = [
            ("**rowhaul ×1**", "", &|| drop(black_box(peers::rowhaul(&body.envelope, 1)))),
            ("rowhaul ×2", "", &|| drop(black_box(peers::rowhaul(&body.envelope, 2)))),
            ("serde_json to `Value`", "no table", &|| drop(black_box(peers::serde_json(&body.envelope)))),
            ("arrow-json, schema given", &verdict, &arrow_json),
        ];
        let times: Vec<[f64; 4]> = (0..rounds).map(|_| ways.map(|(.., read)| seconds(read))).collect();
        for (at, (name, result, _)) in ways.iter().enumerate() {
            println!("{}", line(&body, name, result, at, &times));
        }
    }
}

fn seconds(read: &dyn Fn()) -> f64 {
    let start = Instant::now();
    read();
    start.elapsed().as_secs_f64()
}

fn line(body: &Body, name: &str, result: &str, at: usize, times: &[[f64; 4]]) -> String {
    if result.starts_with("fails") {
        return format!("| {} | {name} | – | – | {} |", body.name, result.replace('|', "\\|"));
    }
    let mut taken: Vec<f64> = times.iter().map(|round| round[at]).collect();
    let mut ratios: Vec<f64> = times.iter().map(|round| round[at] / round[0]).collect();
    taken.sort_by(f64::total_cmp);
    ratios.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    let speed = body.envelope.len() as f64 / 1e6 / taken[middle];
    let ratio = match at {
        0 => "1".to_owned(),
        _ => format!("{:.1} × ({:.1}–{:.1})", ratios[middle], ratios[0], ratios[times.len() - 1]),
    };
    format!("| {} | {name} | {speed:.0} | {ratio} | {result} |", body.name)
}

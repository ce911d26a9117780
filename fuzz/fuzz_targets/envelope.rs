//! Any bytes as a body: accepted exactly where serde_json and the rules of the envelope accept them, with the same
//! rows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rowhaul::rows::Form;
use rowhaul_fuzz::check;

fuzz_target!(|body: &[u8]| {
    // The seeds are bodies as they are, so how a body is cut has to follow from it.
    let (piece, batch_rows) = (1 + body.len() % 13, 1 + body.len() % 5);
    let records = |names: &[&str]| Form::Records(names.iter().map(|name| (*name).to_owned()).collect());
    let records = [records(&["data"]), records(&["data", "data"])];
    for form in [Form::Answer, Form::Results, Form::Any, Form::Lines].into_iter().chain(records) {
        check(body, form, piece, batch_rows);
    }
});

//! Rows that are mostly valid, into Arrow: the columns, their types and every cell are those of the model.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rowhaul_fuzz::check;
use rowhaul_fuzz::made_up::MadeUp;

fuzz_target!(|made_up: MadeUp| {
    check(&made_up.body, made_up.form, made_up.piece, made_up.batch_rows);
});

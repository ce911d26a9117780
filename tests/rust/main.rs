//! The Rust core, tested through its public door. What Python users see is tested in `tests/*.py`.

#[cfg(feature = "client")]
mod rows;

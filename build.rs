//! Points test binaries at the interpreter's own libpython; without it cargo tests may load another one.

fn main() {
    if std::env::var_os("CARGO_FEATURE_PYTHON").is_some() {
        pyo3_build_config::add_libpython_rpath_link_args();
    }
}

//! What the tests of more than one module stand on.

pub(crate) mod script_server;

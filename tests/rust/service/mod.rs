//! The local service as a stranger meets it: over a socket, with an HTTP client of a few lines.

mod http;

mod auth;
mod connections;
mod contract;
mod csv;
mod extras;
mod faults;
mod forgetting;
mod keeping;
mod life;
mod money;
mod openapi;
mod order;
mod own;
mod refusals;
mod rows;
mod time;

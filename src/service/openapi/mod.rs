//! The service described by itself: an OpenAPI 3.1 document, made from the agents on offer and from what the service
//! was started with when it is asked for, so that it says neither more nor less than what is answered.
//!
//! A run has a path for each agent, as each has parameters of its own. What a deployment adds is in the document while
//! it is switched on. The schemas are as strict as the service: what they allow is accepted, what they do not is
//! refused with 422. One thing they cannot say: JSON Schema counts 1.0 as an integer, and the service refuses it.

mod document;
mod own;
mod params;
mod paths;
mod patterns;
mod responses;
mod schemas;

pub(super) use document::show;

//! The Kubernetes client against a stand-in that misbehaves, and against the real API server.

mod authority;
mod bad_answers;
mod connection;
mod one_put;
mod real;
mod real_reviews;

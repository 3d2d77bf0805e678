//! What stores and execution share of Bazel's protocols (REAPI 2) over gRPC: the connection, and blobs.
mod blobs;
mod connection;
mod failure;

pub(crate) use blobs::{Blob, digest};
pub(crate) use connection::{GrpcConnection, ONE_MESSAGE};
pub(crate) use failure::{Failure, first_words};

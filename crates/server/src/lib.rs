//! The pipeline over HTTP.

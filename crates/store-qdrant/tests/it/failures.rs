//! What becomes of a server that fails, and of writers that are not alone.

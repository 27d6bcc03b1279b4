//! `queries draft` through the binary: passages without a language model, drafts by a fake server, answers to given questions.

mod drafts;
mod given;
mod unfinished;
mod world;

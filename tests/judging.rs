//! `agon judge` on files, from the outside.

//! Reads, fetches and checks the solvers that enter a competition.
//!
//! An entrant is a directory with a description (`entrant.toml`) or in StarExec's layout, or a bare program. It is
//! opened from a directory, an archive or a program ([`open`]), fetched from the [catalogue](Catalogue) of public
//! solvers ([`fetch`]), entered by a [recipe](Release) for its published archive, or found on this machine
//! ([`installed`]). [`check`] tries it on trivial files.

mod catalogue;
mod check;
mod describe;
mod fetch;
mod installed;
mod program;
mod reference;
mod release;
mod tree;
mod unpack;
mod upload;

pub use catalogue::{Catalogue, Recipe};
pub use check::{Language, Trial, check};
pub use describe::{DESCRIPTION, DescribeError, Details, open};
pub use fetch::{FetchError, fetch, fetched, home};
pub use installed::{Installed, installed};
pub use program::GivenCommand;
pub use reference::{REFERENCE, write_reference};
pub use release::{Release, releases};
pub use tree::{copy_tree, make_readable, tree_digest};
pub use unpack::{UnpackError, unpack};
pub use upload::{is_upload, keep_upload};

//! SMT-LIB 1.2, in which benchmarks were written until 2010.
//!
//! A benchmark of version 1.2 is read into the same commands, terms and sorts as one of version 2, so it can be checked
//! and printed like one. [`V1Printer`] does the reverse.

mod print;
mod read;
mod token;

pub use print::{V1Error, V1Printer};
pub(crate) use read::read;
pub use token::{Lexer as V1Lexer, Token as V1Token};

/// Whether a script is in version 1.2: it begins with `(benchmark`.
pub fn is_version_1(script: &[u8]) -> bool {
    let mut lexer = V1Lexer::new(script);
    let mut next = || lexer.next_token().map(|(_, token)| token);
    next() == Some(V1Token::Open) && next() == Some(V1Token::Word(b"benchmark"))
}

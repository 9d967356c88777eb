//! Parses a file with another crate: `peers NAME FILE`. The caller measures the time.

use smtlib_lowlevel::Storage;
use smtlib_lowlevel::ast::Script;

fn main() {
    let mut words = std::env::args().skip(1);
    let (name, file) = (words.next().expect("a name"), words.next().expect("a file"));
    let text = std::fs::read_to_string(&file).expect("a readable file");
    let read = match name.as_str() {
        "yaspar" => yaspar::Parser::new().parse(&text).is_ok(),
        "smt2parser" => {
            let commands = smt2parser::CommandStream::new(text.as_bytes(), smt2parser::concrete::SyntaxBuilder, None);
            commands.into_iter().all(|command| command.is_ok())
        }
        "smtlib-lowlevel" => {
            // Its parser recurses, so it needs a stack for the depth of the benchmark files.
            let parse = move || Script::parse(&Storage::new(), &text).is_ok();
            let thread = std::thread::Builder::new().stack_size(4 << 30).spawn(parse);
            thread.expect("a thread").join().expect("no panic")
        }
        other => panic!("unknown parser {other}"),
    };
    assert!(read, "{name} rejects {file}");
}

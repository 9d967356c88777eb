//! `agon translate`

use crate::cli::{Target, TranslateOptions};
use crate::failure::NO;
use agon_smtlib::{Checker, KeptTerms, Printer, Rules, V1Error, V1Printer, read_script};
use anyhow::Context;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;

/// The size of the output buffer.
const BLOCK: usize = 1 << 16;

pub fn run(options: &TranslateOptions) -> anyhow::Result<ExitCode> {
    let name = options.file.display();
    let opened: Box<dyn Read> = if options.file == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(&options.file).with_context(|| name.to_string())?)
    };
    let mut checker = Checker::new(Rules { strict: false, dialect: options.dialect.into() });
    let mut out = Output { text: vec![], failed: None };
    let mut old = V1Printer::default();
    let mut refused: Option<(V1Error, u64)> = None;
    let summary = read_script(opened, &mut checker, KeptTerms::OfCommand, |checker, command, at| match options.to {
        Target::V2 => {
            Printer::new(checker).command(command, &mut out.text);
            out.flush_above(BLOCK);
        }
        Target::V1 if refused.is_none() => refused = old.see(checker, command).err().map(|error| (error, at.line)),
        Target::V1 => {}
    })
    .with_context(|| name.to_string())?;
    for error in &summary.errors {
        say!("{name}:{error}");
    }
    if !summary.is_right() {
        say!("agon: {name} is not well-formed; its translation is incomplete and must not be used");
        return Ok(ExitCode::from(NO));
    }
    if let Some((error, line)) = refused {
        say!("agon: {name}:{line}: {error}");
        return Ok(ExitCode::from(NO));
    }
    if options.to == Target::V1 {
        let stem = options.file.file_stem().unwrap_or_default().to_string_lossy();
        out.text = old.finish(&stem);
    }
    out.flush_above(0);
    match out.failed {
        Some(error) => Err(error.into()),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// Stdout, remembering the first error.
struct Output {
    text: Vec<u8>,
    failed: Option<io::Error>,
}

impl Output {
    fn flush_above(&mut self, most: usize) {
        if self.text.len() > most {
            if self.failed.is_none() {
                self.failed = io::stdout().write_all(&self.text).err();
            }
            self.text.clear();
        }
    }
}

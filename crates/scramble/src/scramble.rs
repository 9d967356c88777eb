//! Scrambles a whole script.

use crate::error::ScrambleError;
use crate::name_map::NameMap;
use crate::options::Options;
use crate::reader::{ScriptReader, UsedLabels};
use crate::status_header::official_header;
use crate::tokens::Token;
use crate::tree::LONGEST;
use agon_domain::{BENCHMARK_BEGINS, Status};
use agon_smtlib::QueryStatuses;
use std::io::Write;

/// Facts about a scrambled script, in addition to its text.
#[derive(Clone, Debug)]
pub struct Scrambled {
    /// The original names of renamed symbols and assertions.
    pub names: NameMap,
    /// The number of assertions in the script.
    pub asserts: u64,
    /// The statuses of the script's queries.
    pub statuses: Vec<Status>,
}

impl Scrambled {
    /// The header of an incremental benchmark: one line with the status of each `check-sat`, and an end marker.
    pub(crate) fn header(&self) -> Vec<u8> {
        let lines = self.statuses.iter().map(|status| format!("{status}\n"));
        lines.chain([format!("{BENCHMARK_BEGINS}\n")]).collect::<String>().into_bytes()
    }
}

/// Scrambles a script: replaces names, and permutes assertions, declarations, arguments and bindings. The result is
/// determined by the seed, and has the same meaning.
///
/// Writes nothing to `out` if the script is rejected, unless [`Options::official`] is set: like the official tool, that
/// mode writes each part as soon as it is complete.
pub fn scramble(script: &[u8], options: &Options, out: &mut impl Write) -> Result<Scrambled, ScrambleError> {
    check_length(script)?;
    if options.official {
        return scramble_officially(script, options, out);
    }
    let mut reader = ScriptReader::new(script, options, UsedLabels::default());
    read_all(&mut reader)?;
    if reader.found_label {
        // The first pass drops an annotation when it closes, but its label may be used later. The second pass knows all
        // labels that are used, and keeps them.
        reader = ScriptReader::new(script, options, reader.labels);
        read_all(&mut reader)?;
    }
    out.write_all(&reader.out)?;
    Ok(scrambled(reader))
}

/// Scrambles a script for the trace executor, which expects the statuses before the script.
pub fn scramble_with_statuses(
    script: &[u8],
    options: &Options,
    out: &mut impl Write,
) -> Result<Scrambled, ScrambleError> {
    if options.official {
        out.write_all(&official_header(script))?;
        return scramble(script, options, out);
    }
    let mut text = vec![];
    let scrambled = scramble(script, options, &mut text)?;
    out.write_all(&scrambled.header())?;
    out.write_all(&text)?;
    Ok(scrambled)
}

/// Rejects a script that is too long, since a node has 32 bits for an offset and 29 bits for a length.
pub(crate) fn check_length(script: &[u8]) -> Result<(), ScrambleError> {
    if script.len() > 2 * LONGEST { Err(ScrambleError::TooLong) } else { Ok(()) }
}

fn read_all(reader: &mut ScriptReader<'_>) -> Result<(), ScrambleError> {
    reader.print_header();
    loop {
        match reader.next_token()? {
            Token::End => break,
            Token::Open => {
                if reader.command()? {
                    reader.end_segment();
                }
            }
            _ => return reader.error("expected a command, which starts with ("),
        }
    }
    reader.end_segment();
    Ok(())
}

fn scramble_officially(script: &[u8], options: &Options, out: &mut impl Write) -> Result<Scrambled, ScrambleError> {
    let mut reader = ScriptReader::new(script, options, UsedLabels::default());
    if let Some(core) = &options.core {
        let names = core.iter().flat_map(|name| [b" ", name.as_slice()].concat()).collect::<Vec<u8>>();
        write!(out, ";; parsed {} names:", core.len())?;
        out.write_all(&names)?;
        out.write_all(b"\n")?;
    }
    reader.print_header();
    let mut flush = |reader: &mut ScriptReader<'_>| {
        let written = out.write_all(&reader.out);
        reader.out.clear();
        written
    };
    flush(&mut reader)?;
    while !reader.tokens.seen_end() {
        let ended = match reader.next_token() {
            Ok(Token::Open) => reader.command(),
            Ok(_) => Ok(false),
            Err(error) => Err(error),
        };
        // The official tool copies bytes outside of tokens to the output as it reads them, before pending commands.
        let junk = reader.tokens.take_junk();
        reader.out.extend_from_slice(&junk);
        if ended.as_ref().is_ok_and(|ended| *ended) {
            reader.end_segment();
        }
        flush(&mut reader)?;
        ended?;
    }
    reader.end_segment();
    flush(&mut reader)?;
    Ok(scrambled(reader))
}

fn scrambled(reader: ScriptReader<'_>) -> Scrambled {
    let mut names = match reader.random {
        Some(_) => NameMap::of_symbols(&reader.names, &reader.tokens.symbols, |_| &[]),
        None => NameMap::default(),
    };
    names.names.extend(reader.assertions);
    Scrambled { names, asserts: reader.asserts, statuses: statuses(&reader.statuses) }
}

/// The statuses of queries; unknown if they are not declared or invalid.
pub(crate) fn statuses(of_queries: &QueryStatuses) -> Vec<Status> {
    let status = |value: &Option<Vec<u8>>| value.as_deref().and_then(Status::read).unwrap_or_default();
    of_queries.of_queries().iter().map(status).collect()
}

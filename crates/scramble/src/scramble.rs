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

/// Facts about a scrambled script besides its text.
#[derive(Clone, Debug)]
pub struct Scrambled {
    /// The original names.
    pub names: NameMap,
    /// How many assertions the script has.
    pub asserts: u64,
    /// The statuses of its queries.
    pub statuses: Vec<Status>,
}

impl Scrambled {
    /// The header of an incremental benchmark: a line for each `check-sat`, and one that ends them.
    pub(crate) fn header(&self) -> Vec<u8> {
        let lines = self.statuses.iter().map(|status| format!("{status}\n"));
        lines.chain([format!("{BENCHMARK_BEGINS}\n")]).collect::<String>().into_bytes()
    }
}

/// Scrambles a script. Names are replaced, and assertions, declarations, arguments and bindings are permuted, all
/// determined by the seed; the meaning of the script does not change.
///
/// A script that is rejected leaves `out` untouched, unless [`Options::official`] is set: the official tool writes each
/// part as it gets to it.
pub fn scramble(script: &[u8], options: &Options, out: &mut impl Write) -> Result<Scrambled, ScrambleError> {
    check_length(script)?;
    if options.official {
        return scramble_officially(script, options, out);
    }
    let mut reader = ScriptReader::new(script, options, UsedLabels::default());
    read_all(&mut reader)?;
    if reader.found_label {
        // Only now it is known which labels have to stay.
        reader = ScriptReader::new(script, options, reader.labels);
        read_all(&mut reader)?;
    }
    out.write_all(&reader.out)?;
    Ok(scrambled(reader))
}

/// Scrambles a script for the trace executor: the statuses come first.
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

/// Offsets in a script and lengths of lists are stored in few bits.
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
            _ => return reader.error("a command is missing here: it begins with ("),
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
        // Bytes outside of tokens are copied to the output as they are read, before the pending commands.
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

/// The statuses of queries. Those that are not stated, or misspelled, are unknown.
pub(crate) fn statuses(of_queries: &QueryStatuses) -> Vec<Status> {
    let status = |value: &Option<Vec<u8>>| value.as_deref().and_then(Status::read).unwrap_or_default();
    of_queries.of_queries().iter().map(status).collect()
}

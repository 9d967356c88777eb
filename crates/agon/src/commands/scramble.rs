//! `agon scramble`

use crate::cli::{Compat, DialectName, ScrambleOptions, TermAnnot};
use crate::failure::{NO, Usage};
use agon_domain::Track;
use agon_scramble::{
    Annotations, NameMap, Options, Recipe, ScrambleError, core_names, core_symbols, scramble, scramble_v1,
    scramble_with_statuses,
};
use agon_smtlib::is_version_1;
use anyhow::Context;
use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(command: &ScrambleOptions) -> anyhow::Result<ExitCode> {
    let name = command.file.display();
    if let Some(map) = &command.restore {
        let table = fs::read(map).with_context(|| map.display().to_string())?;
        let names = NameMap::from_table(&table).map_err(|error| Usage(format!("{}: {error}", map.display())))?;
        io::stdout().write_all(&names.restore(&read(&command.file)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = match options(command)? {
        Ok(options) => options,
        Err(refusal) => {
            say!("{refusal}");
            return Ok(ExitCode::from(NO));
        }
    };
    let script = read(&command.file)?;
    let is_old = match command.dialect {
        DialectName::V1 => true,
        DialectName::Auto => !options.official && is_version_1(&script),
        DialectName::V2 | DialectName::Sl => false,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let scrambled = if is_old {
        scramble_v1(&script, &options, &mut out)
    } else if command.track == Some(Recipe::Track(Track::Incremental)) {
        scramble_with_statuses(&script, &options, &mut out)
    } else {
        scramble(&script, &options, &mut out)
    };
    out.flush()?;
    match scrambled {
        Ok(scrambled) => {
            if options.count_asserts {
                say!("; Number of assertions: {}", scrambled.asserts);
            }
            if let Some(file) = &command.names {
                fs::write(file, scrambled.names.to_table()).with_context(|| file.display().to_string())?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(ScrambleError::Io(error)) => Err(error.into()),
        Err(error @ ScrambleError::Official(_)) => {
            say!("{error}");
            Ok(ExitCode::from(NO))
        }
        Err(ScrambleError::At { position, message }) => {
            say!("{name}:{}:{}: error: {message}", position.line, position.column);
            Ok(ExitCode::from(NO))
        }
        Err(error) => Err(anyhow::Error::new(error).context(name.to_string())),
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = vec![];
    if file == Path::new("-") {
        io::stdin().read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    fs::read(file).with_context(|| file.display().to_string())
}

/// The options, or the message with which the official tool rejects its arguments.
fn options(command: &ScrambleOptions) -> anyhow::Result<Result<Options, String>> {
    let official = command.compat == Some(Compat::Smtcomp);
    let mut options = match &command.track {
        None => Options::default(),
        Some(recipe) => Options::recipe(*recipe),
    };
    options.official = official;
    options.seed = if official {
        match official_seed(&command.seed) {
            Ok(seed) => seed,
            Err(refusal) => return Ok(Err(refusal)),
        }
    } else {
        match command.seed.last() {
            Some(word) => {
                word.parse().map_err(|_| Usage(format!("--seed must be a number below 2^32, not '{word}'")))?
            }
            None => {
                let seed = time();
                say!("seed {seed}");
                seed
            }
        }
    };
    match command.term_annot {
        Some(TermAnnot::True) => options.annotations = Annotations::All,
        Some(TermAnnot::Pattern) => options.annotations = Annotations::Patterns,
        Some(TermAnnot::False) => options.annotations = Annotations::None,
        None => {}
    }
    for (flag, value) in [
        (&mut options.incremental, command.incremental),
        (&mut options.unsat_core, command.gen_unsat_core),
        (&mut options.model, command.gen_model_val),
        (&mut options.proof, command.gen_proof),
        (&mut options.non_smtcomp, command.support_non_smtcomp),
        (&mut options.z3, command.support_z3),
        (&mut options.count_asserts, command.count_asserts),
    ] {
        *flag = value.unwrap_or(*flag);
    }
    if let Some(file) = &command.core {
        let text = fs::read(file);
        let names = match &text {
            Ok(text) if official => core_names(text),
            Ok(text) => core_symbols(text),
            Err(_) if official => None,
            Err(error) => anyhow::bail!("{}: {error}", file.display()),
        };
        match names {
            Some(names) => options.core = Some(names),
            None if official => return Ok(Err(format!("ERROR parsing core names from {}", file.display()))),
            None => return Ok(Err(format!("{}: this is not 'unsat' followed by a list of names", file.display()))),
        }
    }
    Ok(Ok(options))
}

/// The seed as the official tool reads it: the last one, except that a 0 is never replaced. Text after the number is
/// ignored.
fn official_seed(words: &[String]) -> Result<u32, String> {
    let mut seed = None;
    for word in words {
        let text = word.trim_start();
        let (digits, sign) =
            text.strip_prefix('-').map_or((text.strip_prefix('+').unwrap_or(text), 1), |rest| (rest, -1));
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let number = digits[..end].parse::<i32>().ok().and_then(|number| u32::try_from(sign * number).ok());
        let number = number.ok_or_else(|| format!("Invalid value for -seed: {word}"))?;
        if seed != Some(0) {
            seed = Some(number);
        }
    }
    Ok(seed.unwrap_or_else(time))
}

fn time() -> u32 {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    // Below 2^31, for the official tool, and not 0, which would disable scrambling.
    (seconds % 0x7fff_ffff) as u32 | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_as_the_official_tool_reads_them() {
        let seed =
            |words: &[&str]| official_seed(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).ok();
        assert_eq!(seed(&["12abc"]), Some(12));
        assert_eq!(seed(&[" +7"]), Some(7));
        assert_eq!(seed(&["0x10"]), Some(0));
        assert_eq!(seed(&["0", "5"]), Some(0));
        assert_eq!(seed(&["-0"]), Some(0));
        assert_eq!(seed(&["3", "5"]), Some(5));
        assert_eq!(seed(&["2147483647"]), Some(2_147_483_647));
        for wrong in ["2147483648", "-1", "x", ""] {
            assert_eq!(seed(&[wrong]), None, "{wrong}");
        }
    }
}

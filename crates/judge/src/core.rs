//! The unsat-core track: reads cores, and judges them by the votes of the validation solvers.

use crate::output::{Completeness, answer_and_rest, is_refusal, lines};
use agon_domain::Answer;
use agon_smtlib::{Checker, Command, Diagnostic, KeptTerms, Lexer, Rules, Token, read_script};
use std::collections::BTreeSet;
use std::io::{self, Read};

/// Why an unsat core is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoreFault {
    /// The core is cut off.
    #[error("the core is cut off")]
    Cut,
    /// The core is not a list of names.
    #[error("the core is malformed: {0}")]
    Malformed(String),
    /// The core contains a name that no assertion has.
    #[error("the core contains '{0}', which does not name an assertion")]
    UnknownName(String),
    /// The core contains a name more than once.
    #[error("the core contains '{0}' twice")]
    Twice(String),
}

/// A solver's response in the unsat-core track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoreClaim {
    /// An answer other than `unsat`, or no answer.
    NotUnsat(Option<Answer>),
    /// `unsat` without a core, which counts as no reduction (R19-5.26).
    NoCore,
    /// `unsat` and an invalid core.
    Faulty(CoreFault),
    /// `unsat` and a core, by the names of its assertions.
    Core(BTreeSet<Vec<u8>>),
}

/// The assertions of a benchmark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assertions {
    /// The names of the assertions.
    pub names: BTreeSet<Vec<u8>>,
    /// The number of assertions with a name.
    pub named: u64,
    /// The number of all assertions.
    pub all: u64,
}

/// Why a benchmark's assertions cannot be determined.
#[derive(Debug, thiserror::Error)]
pub enum AssertionsError {
    /// The benchmark cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The benchmark is not well-formed.
    #[error("{0}")]
    IllFormed(Box<Diagnostic>),
}

impl Assertions {
    /// Reads the assertions of a benchmark.
    pub fn read(benchmark: impl Read) -> Result<Self, AssertionsError> {
        let mut assertions = Self::default();
        let mut checker = Checker::new(Rules::default());
        let summary = read_script(benchmark, &mut checker, KeptTerms::OfCommand, |checker, command, _| {
            let Command::Assert(term) = command else { return };
            let mut names = checker.terms.labels(*term).map(|name| checker.symbols.text(name).to_vec()).peekable();
            assertions.named += u64::from(names.peek().is_some());
            assertions.names.extend(names);
        })?;
        assertions.all = summary.asserts;
        match summary.errors.into_iter().find(|error| !error.code.is_harmless()) {
            Some(error) => Err(AssertionsError::IllFormed(Box::new(error))),
            None => Ok(assertions),
        }
    }
}

/// Reads a solver's response to a benchmark whose assertions have these names (R19-5.25, R19-5.26).
pub fn core_claim(output: &[u8], names: &BTreeSet<Vec<u8>>) -> CoreClaim {
    let (answer, rest) = answer_and_rest(output);
    let answer = answer.and_then(Answer::read);
    if answer != Some(Answer::Unsat) {
        return CoreClaim::NotUnsat(answer);
    }
    // `timeout`, `Killed` or a warning is not a response to `get-unsat-core`.
    let text = rest.trim_ascii();
    if !text.starts_with(b"(") || is_refusal(text) {
        return CoreClaim::NoCore;
    }
    match read_core(text, names) {
        Ok(core) => CoreClaim::Core(core),
        Err(fault) => CoreClaim::Faulty(fault),
    }
}

/// Whether the list at the start of a text is complete.
fn is_closed(text: &[u8]) -> bool {
    let mut lexer = Lexer::new(text);
    let mut depth = 0_u64;
    loop {
        match lexer.next_token() {
            Ok(None) => return false,
            Ok(Some((_, Token::Open))) => depth += 1,
            Ok(Some((_, Token::Close))) if depth <= 1 => return true,
            Ok(Some((_, Token::Close))) => depth -= 1,
            Ok(Some(_)) | Err(_) => {}
        }
    }
}

fn read_core(text: &[u8], names: &BTreeSet<Vec<u8>>) -> Result<BTreeSet<Vec<u8>>, CoreFault> {
    // Checked first: if the core is cut off in the middle of a name, it would seem to contain an unknown name.
    if !is_closed(text) {
        return Err(CoreFault::Cut);
    }
    let malformed = |message: &str| CoreFault::Malformed(message.to_owned());
    let mut lexer = Lexer::new(text);
    let mut next = || lexer.next_token().map_err(|fault| CoreFault::Malformed(fault.kind.to_string()));
    if !matches!(next()?, Some((_, Token::Open))) {
        return Err(malformed("it does not begin with a parenthesis"));
    }
    let mut core = BTreeSet::new();
    loop {
        match next()?.ok_or(CoreFault::Cut)?.1 {
            Token::Symbol(name) | Token::Quoted(name) => {
                let shown = || String::from_utf8_lossy(name).into_owned();
                if !names.contains(name) {
                    return Err(CoreFault::UnknownName(shown()));
                }
                if !core.insert(name.to_vec()) {
                    return Err(CoreFault::Twice(shown()));
                }
            }
            Token::Close => break,
            _ => return Err(malformed("it contains something that is not a name")),
        }
    }
    match next()? {
        None => Ok(core),
        Some(_) => Err(malformed("there is text after it")),
    }
}

/// The validation solvers' votes on a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Votes {
    /// The number of solvers that answered `sat`.
    pub rejections: usize,
    /// The number of solvers that answered `unsat`.
    pub confirmations: usize,
}

impl Votes {
    /// Counts the answers of validation solvers.
    pub fn count(answers: impl IntoIterator<Item = Option<Answer>>) -> Self {
        let mut votes = Self::default();
        for answer in answers.into_iter().flatten() {
            match answer {
                Answer::Sat => votes.rejections += 1,
                Answer::Unsat => votes.confirmations += 1,
                Answer::Unknown => {}
            }
        }
        votes
    }

    /// Whether more solvers answered `sat` than `unsat` (R19-5.27).
    pub fn refute(self) -> bool {
        self.rejections > self.confirmations
    }
}

/// The judgement of a core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreJudgement {
    /// Whether the response counts as an error.
    pub erroneous: bool,
    /// The number of named assertions that are not in the core (R19-7.5).
    pub reduction: u64,
    /// The reason as text.
    pub detail: String,
}

/// Judges a claim. `votes` are the validation solvers' votes on the core, if they were run.
///
/// R19-5.26: `sat`, an ill-formed core and a satisfiable core are errors; without a core there is no reduction.
/// R19-5.27: a core is refuted if more validation solvers answer `sat` than `unsat`.
pub fn judge_core(claim: &CoreClaim, named: u64, votes: Option<Votes>, completeness: Completeness) -> CoreJudgement {
    let judgement = |erroneous, reduction, detail: String| CoreJudgement { erroneous, reduction, detail };
    match claim {
        CoreClaim::NotUnsat(Some(Answer::Sat)) => judgement(true, 0, "the solver answered 'sat'".into()),
        CoreClaim::NotUnsat(_) => judgement(false, 0, "the solver did not answer 'unsat'".into()),
        CoreClaim::NoCore => judgement(false, 0, "the solver printed no core".into()),
        CoreClaim::Faulty(CoreFault::Cut) if completeness == Completeness::MayBeCut => {
            judgement(false, 0, "the core was cut off by a limit".into())
        }
        CoreClaim::Faulty(fault) => judgement(true, 0, fault.to_string()),
        CoreClaim::Core(core) => {
            let reduction = named.saturating_sub(core.len() as u64);
            match votes {
                Some(votes) if votes.refute() => {
                    let Votes { rejections, confirmations } = votes;
                    let detail = format!("validation solvers: {rejections} answered sat, {confirmations} unsat");
                    judgement(true, 0, detail)
                }
                Some(votes) => {
                    let Votes { rejections, confirmations } = votes;
                    let detail = format!("validation solvers: {confirmations} answered unsat, {rejections} sat");
                    judgement(false, reduction, detail)
                }
                None => judgement(false, reduction, "no validation solver was run".into()),
            }
        }
    }
}

/// Whether the official post-processor regards a solver's output as a parsable core. It makes this test before it runs
/// the validation solvers: it drops every line that contains `success`, and looks only at the first two of the others.
pub fn official_core_is_parsable(output: &[u8]) -> bool {
    let is_kept = |line: &&[u8]| !line.windows(7).any(|part| part == b"success");
    let is_refusal = |line: &[u8]| {
        let line = line.trim_ascii();
        line == b"unsupported" || line.starts_with(b"(error \"") && line.ends_with(b"\")")
    };
    !lines(output).filter(is_kept).take(2).any(is_refusal)
}

/// The number of lines that contain `assert`, which is how the official post-processor counts assertions.
pub fn official_assert_count(benchmark: &[u8]) -> usize {
    benchmark.split(|byte| *byte == b'\n').filter(|line| line.windows(6).any(|part| part == b"assert")).count()
}

/// The solver's output as the official post-processor passes it on: without stamps and lines that contain `success`.
pub fn official_core_text(output: &[u8]) -> Vec<u8> {
    let kept = output.split(|byte| *byte == b'\n').filter(|line| !line.windows(7).any(|part| part == b"success"));
    let kept: Vec<&[u8]> = kept.map(crate::output::unstamped).collect();
    kept.join(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> BTreeSet<Vec<u8>> {
        [&b"a"[..], b"b c", b"d"].map(<[u8]>::to_vec).into()
    }

    #[test]
    fn r19_5_26_malformed_cores_are_errors() {
        let claim = |text: &str| core_claim(text.as_bytes(), &names());
        let judged = |text: &str| judge_core(&claim(text), 3, None, Completeness::Complete);
        assert_eq!(claim("unsat\n(a |b c|)\n"), CoreClaim::Core([b"a".to_vec(), b"b c".to_vec()].into()));
        assert_eq!(judged("unsat\n(a |b c|)\n").reduction, 1);
        assert_eq!(judged("success\nunsat\n()\n").reduction, 3);
        for wrong in
            ["sat\n", "unsat\n(a x)", "unsat\n(a a)", "unsat\n(a (b))", "unsat\n(a)(d)", "unsat\n(a", "unsat\n(a #)"]
        {
            assert!(judged(wrong).erroneous, "{wrong}");
            assert_eq!(judged(wrong).reduction, 0);
        }
        for harmless in [
            "",
            "unknown\n(error \"x\")",
            "unsat",
            "unsat\n(error \"no\")\n",
            "unsat\nunsupported\n",
            "timeout",
            "unsat\ntimeout",
        ] {
            assert_eq!((judged(harmless).erroneous, judged(harmless).reduction), (false, 0), "{harmless}");
        }
        // A limit may cut off a core at any point.
        for cut in ["(", "(a", "(a nob", "(a a", "(a |b", "(a #", "(a (b)"] {
            assert!(!judge_core(&claim(&format!("unsat\n{cut}")), 3, None, Completeness::MayBeCut).erroneous, "{cut}");
            assert!(judged(&format!("unsat\n{cut}")).erroneous, "{cut}");
        }
        assert!(judge_core(&claim("unsat\n(a nob)"), 3, None, Completeness::MayBeCut).erroneous);
    }

    #[test]
    fn r19_5_27_a_core_is_refuted_by_a_majority() {
        let claim = core_claim(b"unsat\n(a)", &names());
        let judged = |rejections, confirmations| {
            judge_core(&claim, 3, Some(Votes { rejections, confirmations }), Completeness::Complete)
        };
        assert!(judged(2, 1).erroneous);
        assert!(!judged(1, 1).erroneous);
        assert!(!judged(0, 0).erroneous);
        assert_eq!(judged(0, 0).reduction, 2);
        let count = Votes::count([Some(Answer::Sat), None, Some(Answer::Unknown), Some(Answer::Unsat)]);
        assert_eq!(count, Votes { rejections: 1, confirmations: 1 });
    }
}

//! One session with a solver.

use crate::policy::Policy;
use crate::response::Responses;
use crate::trace::{Command, CommandKind, Trace};
use agon_contain::{EndedBy, Partner, Times};
use agon_domain::{Answer, LoggedAnswer, SessionEnd, Stamp, Status, TraceLog};
use agon_smtlib::SyntaxError;
use std::time::Duration;

/// The kind of answer that a command expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// `success`, to the option that the executor sets before the script.
    Option,
    /// `sat`, `unsat` or `unknown`, to a query.
    Query,
    /// `success`, to any other command.
    Other,
}

impl Request {
    /// The name of the kind in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Option => "option",
            Self::Query => "query",
            Self::Other => "command",
        }
    }
}

/// A command and its answer (A11-4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The kind of answer that the command expects.
    pub kind: Request,
    /// When the command was sent, since the start of the solver.
    pub sent: Duration,
    /// When the answer was complete, since the start of the solver.
    pub answered: Duration,
    /// The answer, truncated if it is long.
    pub answer: Vec<u8>,
}

/// How a session ended. Whatever a solver does, it ends only its own session (A11-6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The executor sent `(exit)`: after the last query that the policy runs, or at the end of the script.
    Done,
    /// An answer contradicts the status of its query (A11-12, R19-7.4).
    Wrong {
        /// The solver's answer.
        got: Answer,
        /// The status of the query.
        expected: Status,
    },
    /// The solver answered `unknown`, and the policy stops there (A11-11).
    Unknown,
    /// The solver's output is not an answer to the command.
    BadResponse(Request, Vec<u8>),
    /// The solver wrote an answer that no command asked for.
    Unasked(Vec<u8>),
    /// The solver's output ended before the answer to this command.
    Closed(Request),
    /// The script is malformed, or has fewer queries than statuses.
    BadScript(Option<SyntaxError>),
    /// A limit stopped the solver before the session ended by itself.
    Stopped,
}

impl Ended {
    /// The message that the official executor of these years prints about the end; `None` if it prints nothing.
    pub fn message(&self, policy: Policy) -> Option<Vec<u8>> {
        match self {
            Self::Wrong { got, expected } if policy == Policy::Y2011 => {
                Some(format!("ERROR in solver response: got {got}, expected {expected}").into_bytes())
            }
            ended => SessionEnd::from(ended).message(),
        }
    }
}

impl From<&Ended> for SessionEnd {
    fn from(ended: &Ended) -> Self {
        let quoted = |what: &str, text: &[u8]| Self::Failed([what.as_bytes(), b": '", text, b"\n'"].concat());
        let failed = |what: &str| Self::Failed(what.as_bytes().to_vec());
        match ended {
            Ended::Done | Ended::Stopped => Self::Regular,
            Ended::Wrong { got, expected } => Self::Wrong { got: *got, expected: *expected },
            Ended::Unknown => Self::Unknown,
            Ended::BadResponse(Request::Option, text) => quoted("response to set-option command", text),
            Ended::BadResponse(Request::Query, text) => quoted("response to check command", text),
            Ended::BadResponse(Request::Other, text) => quoted("response to status command", text),
            Ended::Unasked(text) => quoted("response: more than was asked for", text),
            Ended::Closed(Request::Option) => failed("response to set-option command: unexpected EOF"),
            Ended::Closed(Request::Query | Request::Other) => failed("response: unexpected EOF"),
            Ended::BadScript(Some(error)) if !error.is_unfinished() => failed(&format!("benchmark: {error}")),
            Ended::BadScript(_) => failed("benchmark: unexpected EOF"),
        }
    }
}

/// The length limit of a recorded answer, in bytes.
const MOST_OF_ANSWER: usize = 4096;

/// Which commands of a session are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptRecords {
    /// Queries, and other commands that were not answered by `success`.
    Queries,
    /// All commands.
    All,
}

/// A session with one solver: the executor's side of the conversation.
pub struct Session<'a> {
    trace: &'a Trace<'a>,
    /// How many commands of the trace were sent.
    sent: usize,
    policy: Policy,
    /// The maximum number of queries.
    budget: usize,
    /// The number of queries that were answered.
    asked: usize,
    responses: Responses,
    /// The command that has no answer yet, and when it was sent.
    waiting: Option<(Request, Duration)>,
    /// Whether the first command was sent.
    begun: bool,
    kept: KeptRecords,
    /// The recorded commands and their answers; `kept` determines which commands are recorded.
    pub records: Vec<Record>,
    /// The answers to the queries, and their times.
    pub answers: Vec<(Answer, Times)>,
    /// The total time that the solver took for its answers.
    busy: Duration,
    /// The number of correct answers, and the value of `busy` at the last of them.
    solved: (usize, Duration),
    /// Called for each answer as it arrives.
    listener: Option<Box<dyn FnMut(Answer) + 'a>>,
    ended: Option<Ended>,
}

impl std::fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("answers", &self.answers.len())
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

impl<'a> Session<'a> {
    /// A session that has not started yet.
    pub fn new(trace: &'a Trace<'a>, policy: Policy, kept: KeptRecords) -> Self {
        let all = trace.statuses.len();
        let budget = match policy {
            Policy::Y2011 => usize::MAX,
            Policy::Y2014 | Policy::Y2015 => {
                trace.statuses.iter().position(|status| *status == Status::Unknown).unwrap_or(all)
            }
            Policy::Y2019 => all,
        };
        Self {
            trace,
            sent: 0,
            policy,
            budget,
            asked: 0,
            responses: Responses::default(),
            waiting: None,
            begun: false,
            kept,
            records: vec![],
            answers: vec![],
            busy: Duration::ZERO,
            solved: (0, Duration::ZERO),
            listener: None,
            ended: None,
        }
    }

    /// Calls a listener for each answer to a query as it arrives.
    #[must_use]
    pub fn with_listener(mut self, listener: impl FnMut(Answer) + 'a) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// The answers with their times, and how the session ended.
    pub fn log(&self) -> TraceLog {
        let logged = |(answer, at): &(Answer, Times)| LoggedAnswer {
            answer: *answer,
            stamp: Some(Stamp { cpu: at.cpu.into(), wall: at.wall.into() }),
        };
        TraceLog { answers: self.answers.iter().map(logged).collect(), end: self.ended().into() }
    }

    /// How the session ended. If it has not ended by itself, a limit stopped it.
    pub fn ended(&self) -> &Ended {
        self.ended.as_ref().unwrap_or(&Ended::Stopped)
    }

    /// The score of 2011: the number of correct answers, and the time that the solver took up to the last of them; zero
    /// if one is wrong (A11-8, A11-10, A11-12).
    pub fn score(&self) -> (usize, Duration) {
        if matches!(self.ended(), Ended::Wrong { .. }) { (0, Duration::ZERO) } else { self.solved }
    }

    /// The line that the executors of 2011 to 2014 print at the end, however the session ended; `None` for later years.
    pub fn summary(&self) -> Option<String> {
        let (count, time) = self.score();
        self.policy.counts().then(|| format!("SOLVED {count} PROBLEMS IN {:.3} SECONDS", time.as_secs_f64()))
    }

    /// Ends the session. Returns false, for callers that return whether it continues.
    fn stop(&mut self, ended: Ended) -> bool {
        self.ended.get_or_insert(ended);
        false
    }

    /// Sends the next command, or ends the session. Returns whether it continues.
    fn say_next(&mut self, elapsed: Times, say: &mut Vec<u8>) -> bool {
        if self.asked >= self.budget {
            say.extend_from_slice(b"(exit)\n");
            return self.stop(Ended::Done);
        }
        let next = self.trace.commands().get(self.sent);
        self.sent += 1;
        match next {
            // In 2011 a script may end without `(exit)`.
            None if self.policy == Policy::Y2011 => {
                say.extend_from_slice(b"(exit)\n");
                self.stop(Ended::Done)
            }
            None => self.stop(Ended::BadScript(None)),
            Some(Err(error)) => self.stop(Ended::BadScript(Some(error.clone()))),
            Some(Ok(Command { kind: CommandKind::Exit, .. })) => {
                say.extend_from_slice(b"(exit)\n");
                self.stop(Ended::Done)
            }
            Some(Ok(command)) => {
                say.extend_from_slice(command.text);
                say.push(b'\n');
                let kind = if command.kind == CommandKind::Query { Request::Query } else { Request::Other };
                self.waiting = Some((kind, elapsed.wall));
                true
            }
        }
    }

    /// Checks the output after the end of the session. One line may answer `(exit)`. Any further answer means that an
    /// earlier command was answered twice. The answers then cannot be matched to their queries, so none of them counts.
    fn look_back(&mut self, rest: &[u8]) {
        self.responses.add(rest);
        self.responses.add(b"\n");
        let mut is_first = true;
        while let Some(line) = self.responses.next() {
            let is_answer = matches!(&line[..], b"sat" | b"unsat" | b"unknown" | b"success");
            if is_answer && !is_first {
                self.ended = Some(Ended::Unasked(line));
                self.answers.clear();
                self.solved = (0, Duration::ZERO);
                return;
            }
            is_first = false;
        }
    }

    /// Records an answer, and checks it against the status of its query. Returns whether the session continues.
    fn take_answer(&mut self, (kind, sent): (Request, Duration), answer: &[u8], elapsed: Times) -> bool {
        let shown = || answer[..answer.len().min(MOST_OF_ANSWER)].to_vec();
        self.busy += elapsed.wall.saturating_sub(sent);
        if self.kept == KeptRecords::All || kind == Request::Query || answer != b"success" {
            self.records.push(Record { kind, sent, answered: elapsed.wall, answer: shown() });
        }
        let answer = match (kind, answer) {
            (Request::Option | Request::Other, b"success") => return true,
            (Request::Query, b"sat") => Answer::Sat,
            (Request::Query, b"unsat") => Answer::Unsat,
            (Request::Query, b"unknown") => Answer::Unknown,
            _ => return self.stop(Ended::BadResponse(kind, shown())),
        };
        let expected = self.trace.statuses.get(self.asked).copied().unwrap_or(Status::Unknown);
        self.asked += 1;
        if answer.contradicts(expected) {
            return self.stop(Ended::Wrong { got: answer, expected });
        }
        if answer == Answer::Unknown && self.policy.stops_at_unknown() {
            return self.stop(Ended::Unknown);
        }
        if answer.is_definite() {
            self.solved = (self.solved.0 + 1, self.busy);
        }
        self.answers.push((answer, elapsed));
        if let Some(listener) = &mut self.listener {
            listener(answer);
        }
        true
    }
}

impl Partner for Session<'_> {
    fn hear(&mut self, new: &[u8], elapsed: Times, say: &mut Vec<u8>) -> bool {
        if !self.begun {
            self.responses.add(new);
            self.begun = true;
            // The solver has to confirm each command with `success` (R19-5.10).
            say.extend_from_slice(b"(set-option :print-success true)\n");
            self.waiting = Some((Request::Option, elapsed.wall));
            return true;
        }
        // The common case: exactly one line arrives, which is the answer.
        if let Some(line) = self.responses.only_line(new)
            && let Some(waiting) = self.waiting.take()
        {
            return self.take_answer(waiting, line, elapsed) && self.say_next(elapsed, say);
        }
        self.responses.add(new);
        while let Some(answer) = self.responses.next() {
            let Some(waiting) = self.waiting.take() else {
                return self.stop(Ended::Unasked(answer));
            };
            if !self.take_answer(waiting, &answer, elapsed) {
                return false;
            }
            // Further output that arrives before the next command is sent cannot be its answer.
            if let Some(more) = self.responses.next() {
                return self.stop(Ended::Unasked(more));
            }
            if !self.say_next(elapsed, say) {
                return false;
            }
        }
        true
    }

    fn end(&mut self, rest: &[u8], by: EndedBy) {
        if self.ended == Some(Ended::Done) {
            self.look_back(rest);
        } else if by == EndedBy::Program && self.begun {
            self.stop(Ended::Closed(self.waiting.map_or(Request::Other, |(kind, _)| kind)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a session with a fake solver that sends these answers. Returns the commands it received, the answers that
    /// count, and how the session ended.
    fn play(script: &str, policy: Policy, answers: &[&str]) -> (Vec<String>, Vec<Answer>, Ended) {
        let trace = Trace::read(script.as_bytes()).unwrap();
        let mut session = Session::new(&trace, policy, KeptRecords::All);
        let mut sent = vec![];
        let mut answers = answers.iter();
        let mut say = vec![];
        let mut goes_on = session.hear(b"", Times::default(), &mut say);
        loop {
            sent.push(String::from_utf8(std::mem::take(&mut say)).unwrap().trim_end().to_owned());
            let Some(answer) = goes_on.then(|| answers.next()).flatten() else { break };
            goes_on = session.hear(answer.as_bytes(), Times::default(), &mut say);
        }
        if goes_on {
            session.end(b"", EndedBy::Program);
        } else {
            session.end(&answers.flat_map(|answer| answer.bytes()).collect::<Vec<u8>>(), EndedBy::Program);
        }
        let said = session.answers.iter().map(|(answer, _)| *answer).collect();
        (sent, said, session.ended().clone())
    }

    const SCRIPT: &str = "(set-logic QF_UF)(set-info :status sat)(check-sat)(check-sat)(set-info :status unsat)\
        (check-sat)(exit)";

    #[test]
    fn a11_3_the_next_command_is_sent_after_the_answer_to_the_last() {
        let (sent, ..) = play(SCRIPT, Policy::Y2019, &["suc", "cess\n", "\n", "success\n", "s", "at\n"]);
        assert_eq!(
            sent,
            ["(set-option :print-success true)", "", "(set-logic QF_UF)", "", "(check-sat)", "", "(check-sat)"]
        );
    }

    #[test]
    fn r19_3_8_and_r19_5_23_unknown_does_not_stop_a_session_and_wrong_answers_do() {
        let go = |answers: &[&str]| play(SCRIPT, Policy::Y2019, answers);
        let (sent, said, ended) = go(&["success\n", "success\n", "sat\n", "unknown\n", "unsat\n"]);
        assert_eq!((said, ended), (vec![Answer::Sat, Answer::Unknown, Answer::Unsat], Ended::Done));
        assert_eq!(sent.last().unwrap(), "(exit)");
        let (_, _, ended) = go(&["success\n", "success\n", "sat\n", "unsat\n", "sat\r\n"]);
        assert_eq!(ended, Ended::Wrong { got: Answer::Sat, expected: Status::Unsat });
    }

    #[test]
    fn a11_5_a11_8_a11_11_and_a11_12_the_session_of_2011_stops_at_unknown_and_at_wrong_answers() {
        let (_, said, ended) = play(SCRIPT, Policy::Y2011, &["success\n", "success\n", "sat\n", "unknown\n"]);
        assert_eq!((said, ended), (vec![Answer::Sat], Ended::Unknown));
        let (_, _, ended) = play(SCRIPT, Policy::Y2011, &["success\n", "success\n", "unsat\n"]);
        assert_eq!(ended, Ended::Wrong { got: Answer::Unsat, expected: Status::Sat });
    }

    #[test]
    fn the_session_of_2014_stops_before_a_query_of_unknown_status() {
        let (sent, said, ended) = play(SCRIPT, Policy::Y2014, &["success\n", "success\n", "sat\n"]);
        assert_eq!((said, ended), (vec![Answer::Sat], Ended::Done));
        assert_eq!(sent.last().unwrap(), "(exit)");
    }

    #[test]
    fn too_many_or_too_few_answers_end_a_session() {
        let go = |answers: &[&str]| play(SCRIPT, Policy::Y2019, answers).2;
        assert_eq!(go(&["success\nsuccess\n"]), Ended::Unasked(b"success".to_vec()));
        assert_eq!(
            go(&["success\n", "(error \"a\nb\")\n"]),
            Ended::BadResponse(Request::Other, b"(error \"a".to_vec())
        );
        assert_eq!(go(&["success\n", "succ"]), Ended::Closed(Request::Other));
        assert_eq!(go(&[]), Ended::Closed(Request::Option));
        // A late second answer is taken as the answer to the next command, so that one answer is left over at the end.
        let all = ["success\n", "success\n", "sat\n", "sat\n", "unsat\n"];
        assert_eq!(go(&[&all[..], &["success\n"]].concat()), Ended::Done);
        assert_eq!(go(&[&all[..], &["unsat\n", "sat\n"]].concat()), Ended::Unasked(b"sat".to_vec()));
        let (_, said, _) = play(SCRIPT, Policy::Y2019, &[&all[..], &["success\n", "success\n"]].concat());
        assert_eq!(said, []);
        assert_eq!(go(&["unsupported\n"]), Ended::BadResponse(Request::Option, b"unsupported".to_vec()));
    }
}

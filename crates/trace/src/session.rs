//! One session with a solver.

use crate::policy::Policy;
use crate::response::Responses;
use crate::trace::{Command, CommandKind, Trace};
use agon_contain::{Partner, Times};
use agon_domain::{Answer, Status};
use std::time::Duration;

/// What a command asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `success`, before the script.
    Option,
    /// `sat`, `unsat` or `unknown`.
    Query,
    /// `success`.
    Other,
}

impl Kind {
    /// The word for it.
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
    /// What it asked for.
    pub kind: Kind,
    /// When it was sent, after the start of the solver.
    pub sent: Duration,
    /// When its answer was complete.
    pub answered: Duration,
    /// The answer, cut where it gets long.
    pub answer: Vec<u8>,
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All that was to be asked was answered.
    Done,
    /// An answer contradicts its status (A11-12, R19-7.4).
    Wrong {
        /// What the solver said.
        got: Answer,
        /// What the status is.
        expected: Status,
    },
    /// The solver said `unknown`, and the policy stops there (A11-11).
    Unknown,
    /// The solver said something that is no answer to what it was asked.
    BadResponse(Kind, Vec<u8>),
    /// The solver said more than it was asked for.
    Unasked(Vec<u8>),
    /// The solver's output ended.
    Closed,
    /// The script is broken, or ends before its statuses do.
    BadScript(String),
    /// A limit ended the solver while it was asked.
    Stopped,
}

impl Ended {
    /// What the official executor prints about it, where it prints something.
    pub fn message(&self) -> Option<Vec<u8>> {
        let quoted = |what: &str, text: &[u8]| [what.as_bytes(), b": '", text, b"\n'"].concat();
        match self {
            Self::Done | Self::Stopped => None,
            Self::Wrong { got, expected } => {
                Some(format!("WRONG solver response: got {got}, expected {expected}").into_bytes())
            }
            Self::Unknown => Some(b"BAD output from solver: unknown".to_vec()),
            Self::BadResponse(Kind::Option, text) => Some(quoted("BAD response to set-option command", text)),
            Self::BadResponse(Kind::Query, text) => Some(quoted("BAD response to check command", text)),
            Self::BadResponse(Kind::Other, text) => Some(quoted("BAD response to status command", text)),
            Self::Unasked(text) => Some(quoted("BAD response: more than was asked for", text)),
            Self::Closed => Some(b"BAD response: unexpected EOF".to_vec()),
            Self::BadScript(message) => Some(format!("BAD benchmark: {message}").into_bytes()),
        }
    }
}

/// Answers are kept up to this length.
const MOST_OF_ANSWER: usize = 4096;

/// Talks to one solver.
pub struct Session<'a> {
    trace: &'a Trace<'a>,
    /// How many of its commands were sent.
    sent: usize,
    policy: Policy,
    /// How many queries are asked, at most.
    budget: usize,
    asked: usize,
    responses: Responses,
    /// What waits for an answer, and when it was sent.
    waiting: Option<(Kind, Duration)>,
    begun: bool,
    keeps_all: bool,
    /// Commands and their answers; without those that only succeeded, unless all are to be kept.
    pub records: Vec<Record>,
    /// The answers of the queries, and when they came.
    pub answers: Vec<(Answer, Times)>,
    /// Told of each answer as it comes.
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
    /// A session over this trace. `keeps_all` keeps the record of every command.
    pub fn new(trace: &'a Trace<'a>, policy: Policy, keeps_all: bool) -> Self {
        let known = trace.statuses.iter().position(|status| *status == Status::Unknown);
        let all = trace.statuses.len();
        let budget = if policy.asks_the_unknown() { all } else { known.unwrap_or(all) };
        Self {
            trace,
            sent: 0,
            policy,
            budget,
            asked: 0,
            responses: Responses::default(),
            waiting: None,
            begun: false,
            keeps_all,
            records: vec![],
            answers: vec![],
            listener: None,
            ended: None,
        }
    }

    /// Tells somebody of each answer as it comes.
    #[must_use]
    pub fn with_listener(mut self, listener: impl FnMut(Answer) + 'a) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// The answers and the end as the official executor prints them, with StarExec's stamps.
    pub fn log(&self) -> Vec<u8> {
        let mut log = vec![];
        for (answer, at) in &self.answers {
            let Times { wall, cpu } = at;
            log.extend_from_slice(format!("{:.3}/{:.3}\t{answer}\n", cpu.as_secs_f64(), wall.as_secs_f64()).as_bytes());
        }
        if let Some(message) = self.ended().message() {
            log.extend_from_slice(&message);
            log.push(b'\n');
        }
        log
    }

    /// How it ended; while it has not, it was stopped from outside.
    pub fn ended(&self) -> &Ended {
        self.ended.as_ref().unwrap_or(&Ended::Stopped)
    }

    /// The score of 2011: how many answers are right, and the seconds up to the last of them; nothing for a wrong one
    /// (A11-8, A11-10, A11-12).
    pub fn score(&self) -> (usize, Duration) {
        if matches!(self.ended(), Ended::Wrong { .. }) {
            return (0, Duration::ZERO);
        }
        let right = self.answers.iter().filter(|(answer, _)| answer.is_definite());
        (right.clone().count(), right.map(|(_, at)| at.wall).next_back().unwrap_or_default())
    }

    fn stop(&mut self, ended: Ended) -> bool {
        self.ended.get_or_insert(ended);
        false
    }

    /// Sends the next command, or ends the session.
    fn say_next(&mut self, elapsed: Times, say: &mut Vec<u8>) -> bool {
        if self.asked >= self.budget {
            say.extend_from_slice(b"(exit)\n");
            return self.stop(Ended::Done);
        }
        let next = self.trace.commands().get(self.sent);
        self.sent += 1;
        match next {
            None => self.stop(Ended::BadScript("unexpected EOF".into())),
            Some(Err(error)) => self.stop(Ended::BadScript(error.to_string())),
            Some(Ok(Command { kind: CommandKind::Exit, .. })) => {
                say.extend_from_slice(b"(exit)\n");
                self.stop(Ended::Done)
            }
            Some(Ok(command)) => {
                say.extend_from_slice(command.text);
                say.push(b'\n');
                let kind = if command.kind == CommandKind::Query { Kind::Query } else { Kind::Other };
                self.waiting = Some((kind, elapsed.wall));
                true
            }
        }
    }

    fn take_answer(&mut self, (kind, sent): (Kind, Duration), answer: &[u8], elapsed: Times) -> bool {
        let shown = answer[..answer.len().min(MOST_OF_ANSWER)].to_vec();
        if self.keeps_all || kind == Kind::Query || answer != b"success" {
            self.records.push(Record { kind, sent, answered: elapsed.wall, answer: shown.clone() });
        }
        let answer = match (kind, answer) {
            (Kind::Option | Kind::Other, b"success") => return true,
            (Kind::Query, b"sat") => Answer::Sat,
            (Kind::Query, b"unsat") => Answer::Unsat,
            (Kind::Query, b"unknown") => Answer::Unknown,
            _ => return self.stop(Ended::BadResponse(kind, shown)),
        };
        let expected = self.trace.statuses.get(self.asked).copied().unwrap_or(Status::Unknown);
        self.asked += 1;
        if answer.contradicts(expected) {
            return self.stop(Ended::Wrong { got: answer, expected });
        }
        if answer == Answer::Unknown && self.policy.stops_at_unknown() {
            return self.stop(Ended::Unknown);
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
            // R19-5.10: the executor asks for `success`.
            say.extend_from_slice(b"(set-option :print-success true)\n");
            self.waiting = Some((Kind::Option, elapsed.wall));
            return true;
        }
        // Most of the time one line is one answer.
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
            // Whoever has more to say before the next command is sent answers what was not asked.
            if let Some(more) = self.responses.next() {
                return self.stop(Ended::Unasked(more));
            }
            if !self.say_next(elapsed, say) {
                return false;
            }
        }
        true
    }

    fn end(&mut self, was_stopped: bool) {
        if !was_stopped && self.begun {
            self.stop(Ended::Closed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a solver that gives these answers, and tells what it was sent.
    fn play(script: &str, policy: Policy, answers: &[&str]) -> (Vec<String>, Vec<Answer>, Ended) {
        let trace = Trace::read(script.as_bytes()).unwrap();
        let mut session = Session::new(&trace, policy, true);
        let mut sent = vec![];
        let mut answers = answers.iter();
        let mut say = vec![];
        let mut goes_on = session.hear(b"", Times::default(), &mut say);
        loop {
            sent.push(String::from_utf8(std::mem::take(&mut say)).unwrap().trim_end().to_owned());
            let Some(answer) = answers.next().filter(|_| goes_on) else { break };
            goes_on = session.hear(answer.as_bytes(), Times::default(), &mut say);
        }
        if goes_on {
            session.end(false);
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
    fn r19_5_23_unknown_does_not_stop_a_session_and_wrong_answers_do() {
        let go = |answers: &[&str]| play(SCRIPT, Policy::Y2019, answers);
        let (sent, said, ended) = go(&["success\n", "success\n", "sat\n", "unknown\n", "unsat\n"]);
        assert_eq!((said, ended), (vec![Answer::Sat, Answer::Unknown, Answer::Unsat], Ended::Done));
        assert_eq!(sent.last().unwrap(), "(exit)");
        let (_, _, ended) = go(&["success\n", "success\n", "sat\n", "unsat\n", "sat\r\n"]);
        assert_eq!(ended, Ended::Wrong { got: Answer::Sat, expected: Status::Unsat });
    }

    #[test]
    fn a11_11_and_a11_12_the_session_of_2011_stops_at_the_first_trouble() {
        let (_, said, ended) = play(SCRIPT, Policy::Y2011, &["success\n", "success\n", "sat\n", "unknown\n"]);
        assert_eq!((said, ended), (vec![Answer::Sat], Ended::Unknown));
        let (_, _, ended) = play(SCRIPT, Policy::Y2011, &["success\n", "success\n", "unsat\n"]);
        assert_eq!(ended, Ended::Wrong { got: Answer::Unsat, expected: Status::Sat });
    }

    #[test]
    fn the_session_of_2014_goes_as_far_as_statuses_are_known() {
        let (sent, said, ended) = play(SCRIPT, Policy::Y2014, &["success\n", "success\n", "sat\n"]);
        assert_eq!((said, ended), (vec![Answer::Sat], Ended::Done));
        assert_eq!(sent.last().unwrap(), "(exit)");
    }

    #[test]
    fn more_than_was_asked_for_and_less_end_a_session() {
        let go = |answers: &[&str]| play(SCRIPT, Policy::Y2019, answers).2;
        assert_eq!(go(&["success\nsuccess\n"]), Ended::Unasked(b"success".to_vec()));
        assert_eq!(
            go(&["success\n", "(error \"a\nb\")\n"]),
            Ended::BadResponse(Kind::Other, b"(error \"a\nb\")".to_vec())
        );
        assert_eq!(go(&["success\n", "succ"]), Ended::Closed);
        assert_eq!(go(&[]), Ended::Closed);
        assert_eq!(go(&["unsupported\n"]), Ended::BadResponse(Kind::Option, b"unsupported".to_vec()));
    }
}

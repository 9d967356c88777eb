//! Reads and checks the commands.

use super::cursor::Cursor;
use super::functions::{FunctionInfo, FunctionKind};
use super::sorts::SortMeaning;
use super::{Checked, Checker, DefinitionForm, Dialect, Meaning, Mode, Repeated, Stop};
use crate::command::{Command, Definition, Plain};
use crate::diagnostic::{Code, nearest};
use crate::logic;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, Function, Head, Shape, Term};
use crate::theory::{Theories, Theory};
use crate::token::Token;

/// The commands of SMT-LIB, for suggestions.
const COMMANDS: &[&str] = &[
    "assert",
    "check-sat",
    "check-sat-assuming",
    "declare-const",
    "declare-datatype",
    "declare-datatypes",
    "declare-fun",
    "declare-sort",
    "declare-sort-parameter",
    "define-const",
    "define-fun",
    "define-fun-rec",
    "define-funs-rec",
    "define-sort",
    "echo",
    "exit",
    "get-assertions",
    "get-assignment",
    "get-info",
    "get-model",
    "get-option",
    "get-proof",
    "get-unsat-assumptions",
    "get-unsat-core",
    "get-value",
    "pop",
    "push",
    "reset",
    "reset-assertions",
    "set-info",
    "set-logic",
    "set-option",
];

/// The maximum number of levels that `push` may create.
const MOST_LEVELS: u64 = 1 << 20;

/// Solver-specific commands that do not change the assertions. All others are rejected.
const EXTENSIONS: &[&str] = &[
    "apply",
    "block-model",
    "block-model-values",
    "check-sat-using",
    "display",
    "eval",
    "get-abduct",
    "get-abduct-next",
    "get-difficulty",
    "get-interpolant",
    "get-interpolant-next",
    "get-interpolants",
    "get-learned-literals",
    "get-objectives",
    "get-qe",
    "get-qe-disjunct",
    "get-timeout-core",
    "help",
    "include",
    "labels",
    "maximize",
    "minimize",
    "simplify",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum OptionKind {
    Flag,
    Number,
    Text,
}

/// Options whose values have a known kind.
const OPTIONS: &[(&str, OptionKind)] = &[
    (":diagnostic-output-channel", OptionKind::Text),
    (":expand-definitions", OptionKind::Flag),
    (":global-declarations", OptionKind::Flag),
    (":interactive-mode", OptionKind::Flag),
    (":print-success", OptionKind::Flag),
    (":produce-assertions", OptionKind::Flag),
    (":produce-assignments", OptionKind::Flag),
    (":produce-models", OptionKind::Flag),
    (":produce-proofs", OptionKind::Flag),
    (":produce-unsat-assumptions", OptionKind::Flag),
    (":produce-unsat-cores", OptionKind::Flag),
    (":random-seed", OptionKind::Number),
    (":regular-output-channel", OptionKind::Text),
    (":reproducible-resource-limit", OptionKind::Number),
    (":verbosity", OptionKind::Number),
];

/// Attributes that only solvers report, so that a script cannot set them.
const ANSWERS: &[&str] = &[
    ":all-statistics",
    ":assertion-stack-levels",
    ":authors",
    ":error-behavior",
    ":name",
    ":reason-unknown",
    ":version",
];

impl Checker {
    /// Reads one command, from its opening parenthesis to its end.
    pub(super) fn command(&mut self, cursor: &mut Cursor<'_>) -> Checked<Command> {
        self.next(cursor)?;
        let name = match self.next(cursor)? {
            Token::Symbol(name) => name,
            other => {
                let message = format!("expected the name of a command, found {}", super::cursor::shown(other));
                self.report(cursor.text, cursor.place, Code::NoName, message);
                return Err(Stop);
            }
        };
        let place = cursor.place;
        let command = self.arguments(cursor, name, place)?;
        if !matches!(command, Command::Extension(..)) && !cursor.is_at_end() {
            // The splitter matched the parentheses, so the parser stopped before the last one.
            self.report(cursor.text, cursor.place, Code::Unexpected, "the command ends here, but its text continues");
            return Err(Stop);
        }
        Ok(command)
    }

    fn arguments(&mut self, cursor: &mut Cursor<'_>, name: &[u8], place: usize) -> Checked<Command> {
        if let Some(plain) = Plain::ALL.into_iter().find(|plain| plain.name().as_bytes() == name) {
            self.end(cursor)?;
            return self.plain(cursor, plain, place);
        }
        let command = match name {
            b"assert" => {
                self.need_logic(cursor, place);
                let term = self.read_formula(cursor, "an assertion")?;
                self.end(cursor)?;
                self.mode = Mode::Assert;
                match self.truth(term) {
                    Some(false) => self.plain[1] = true,
                    Some(true) => {}
                    None => self.plain[0] = false,
                }
                return Ok(Command::Assert(term));
            }
            b"declare-fun" => {
                self.need_logic(cursor, place);
                self.declare_fun(cursor, DefinitionForm::Function)?
            }
            b"declare-const" => {
                self.need_logic(cursor, place);
                self.declare_fun(cursor, DefinitionForm::Constant)?
            }
            b"define-fun" => {
                self.need_logic(cursor, place);
                self.define_fun(cursor, DefinitionForm::Function)?
            }
            b"define-const" => {
                self.need_logic(cursor, place);
                self.define_fun(cursor, DefinitionForm::Constant)?
            }
            b"define-fun-rec" => {
                self.need_logic(cursor, place);
                self.define_fun_rec(cursor)?
            }
            b"define-funs-rec" => {
                self.need_logic(cursor, place);
                self.define_funs_rec(cursor)?
            }
            b"declare-sort" => {
                self.need_logic(cursor, place);
                self.declare_sort(cursor)?
            }
            b"define-sort" => {
                self.need_logic(cursor, place);
                self.define_sort(cursor)?
            }
            b"declare-sort-parameter" => {
                self.need_logic(cursor, place);
                let name = self.expect_name(cursor, "the name of a sort parameter")?;
                let name = self.symbols.intern(name);
                self.declare_sort_name(cursor, cursor.place, name, SortMeaning::Parameter);
                Command::DeclareSortParameter(name)
            }
            b"declare-datatype" => {
                self.need_logic(cursor, place);
                return self.read_datatype(cursor).map(Command::DeclareDatatypes);
            }
            b"declare-datatypes" => {
                self.need_logic(cursor, place);
                return self.read_datatypes(cursor).map(Command::DeclareDatatypes);
            }
            b"check-sat" => {
                self.need_logic(cursor, place);
                self.mode = Mode::Answered(self.plain_answer());
                Command::CheckSat
            }
            b"check-sat-assuming" => {
                self.need_logic(cursor, place);
                let terms = self.assumptions(cursor)?;
                self.mode = Mode::Answered(self.plain_answer().filter(|is_sat| !is_sat));
                Command::CheckSatAssuming(terms)
            }
            b"check-unsat" if self.separation => {
                self.mode = Mode::Answered(self.plain_answer().filter(|is_sat| !is_sat));
                Command::CheckUnsat
            }
            b"declare-heap" if self.separation || self.rules.dialect == Dialect::Auto => {
                self.start_separation();
                return self.read_heap(cursor).map(|pairs| Command::DeclareHeap(pairs.into()));
            }
            b"push" => self.push(cursor, place)?,
            b"pop" => self.pop(cursor, place)?,
            b"set-logic" => self.set_logic(cursor, place)?,
            b"set-option" => self.set_option(cursor)?,
            b"set-info" => self.set_info(cursor)?,
            b"get-info" | b"get-option" => {
                let Token::Keyword(key) = self.next(cursor)? else {
                    self.report(cursor.text, cursor.place, Code::Unexpected, "expected a keyword, such as :name");
                    return Err(Stop);
                };
                let key = self.symbols.intern(key);
                if name == b"get-info" { Command::GetInfo(key) } else { Command::GetOption(key) }
            }
            b"get-value" => {
                self.need_answer(cursor, place, "get-value", Some(":produce-models"), None);
                let terms = self.terms_in_list(cursor)?;
                if terms.is_empty() {
                    self.report(cursor.text, cursor.place, Code::Unexpected, "expected at least one term, found none");
                    return Err(Stop);
                }
                Command::GetValue(terms)
            }
            b"echo" => {
                let Token::String(text) = self.next(cursor)? else {
                    self.report(cursor.text, cursor.place, Code::Unexpected, "expected a string");
                    return Err(Stop);
                };
                Command::Echo(self.symbols.intern(text))
            }
            _ => return self.unknown_command(cursor, name, place),
        };
        self.end(cursor)?;
        Ok(command)
    }

    /// Expects the closing parenthesis of the command.
    fn end(&mut self, cursor: &mut Cursor<'_>) -> Checked<()> {
        self.expect_close(cursor, "the command")
    }

    fn unknown_command(&mut self, cursor: &mut Cursor<'_>, name: &[u8], place: usize) -> Checked<Command> {
        let known = |list: &[&str]| list.iter().any(|known| known.as_bytes() == name);
        if known(EXTENSIONS) && !self.rules.strict {
            if name == b"simplify" || name == b"eval" {
                self.read_term(cursor)?;
            }
            let name = self.symbols.intern(name);
            return Ok(Command::Extension(name, cursor.text.into()));
        }
        if matches!(name, b"check-unsat" | b"declare-heap") {
            let message = format!("'{}' is a command of separation logic", String::from_utf8_lossy(name));
            let help = Some("set a logic of separation logic, or read the file with --dialect sl".to_owned());
            self.report_with(cursor.text, place, Code::UnknownCommand, message, help);
            return Err(Stop);
        }
        let shown = String::from_utf8_lossy(&name[..name.len().min(60)]).into_owned();
        let message = if known(EXTENSIONS) {
            format!("'{shown}' is a solver-specific command that is not in the standard")
        } else {
            format!("there is no command '{shown}'")
        };
        let near = nearest(name, COMMANDS.iter().map(|command| command.as_bytes()));
        let help = near.map(|near| format!("did you mean '{}'?", String::from_utf8_lossy(near)));
        self.report_with(cursor.text, place, Code::UnknownCommand, message, help);
        Err(Stop)
    }

    fn plain(&mut self, cursor: &Cursor<'_>, plain: Plain, place: usize) -> Checked<Command> {
        match plain {
            Plain::Reset => self.reset(),
            Plain::ResetAssertions => {
                if !self.global_declarations {
                    self.undo_to(0);
                }
                self.levels.clear();
                self.mode = Mode::Assert;
                self.plain = [true, false];
                self.plain_levels.clear();
            }
            Plain::GetAssertions => {
                let on = self.option(":produce-assertions") || self.option(":interactive-mode");
                if !on {
                    let message = "get-assertions needs (set-option :produce-assertions true) before it";
                    self.report(cursor.text, place, Code::Mode, message);
                }
            }
            Plain::GetAssignment => {
                self.need_answer(cursor, place, plain.name(), Some(":produce-assignments"), Some(true));
            }
            Plain::GetModel => self.need_answer(cursor, place, plain.name(), Some(":produce-models"), Some(true)),
            Plain::GetProof => self.need_answer(cursor, place, plain.name(), Some(":produce-proofs"), Some(false)),
            Plain::GetUnsatCore => {
                self.need_answer(cursor, place, plain.name(), Some(":produce-unsat-cores"), Some(false));
            }
            Plain::GetUnsatAssumptions => {
                self.need_answer(cursor, place, plain.name(), Some(":produce-unsat-assumptions"), Some(false));
            }
            Plain::Exit => {}
        }
        Ok(Command::Plain(plain))
    }

    fn option(&self, name: &str) -> bool {
        self.symbols.find(name.as_bytes()).and_then(|name| self.options.get(&name)).copied().unwrap_or(false)
    }

    /// Checks a command about the last answer: it must follow a query whose answer is not obviously the opposite, and
    /// its option must be set. Solvers return models without the option, so only the strict rules require it.
    fn need_answer(
        &mut self,
        cursor: &Cursor<'_>,
        place: usize,
        what: &str,
        option: Option<&str>,
        answer: Option<bool>,
    ) {
        let message = match (self.mode, answer) {
            (Mode::Start | Mode::Assert, _) => Some(format!("{what} must come directly after a check-sat")),
            (Mode::Answered(Some(known)), Some(wanted)) if known != wanted => {
                let (wanted, known) = if wanted { ("sat", "unsat") } else { ("unsat", "sat") };
                Some(format!("{what} needs the answer {wanted}, but the answer here is obviously {known}"))
            }
            _ => None,
        };
        if let Some(message) = message {
            self.report(cursor.text, place, Code::Mode, message);
            return;
        }
        if let Some(option) = option
            && !self.option(option)
            && (self.rules.strict || option != ":produce-models")
        {
            let message = format!("{what} needs (set-option {option} true) before it");
            self.report(cursor.text, place, Code::Mode, message);
        }
    }

    /// Whether the assertions are satisfiable, if that is obvious. For a query with assumptions, only `unsat` carries
    /// over.
    fn plain_answer(&self) -> Option<bool> {
        match self.plain {
            [_, true] => Some(false),
            [true, _] => Some(true),
            _ => None,
        }
    }

    /// Whether a formula is literally true or false.
    fn truth(&self, term: Term) -> Option<bool> {
        match self.terms.head(term) {
            Head::Operator(operator) => match self.operator(operator).0 {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// Checks that a logic was set. The standard requires this before any declaration or assertion; solvers do not.
    fn need_logic(&mut self, cursor: &Cursor<'_>, place: usize) {
        if self.rules.strict && self.logic.is_none() && !self.reported.missing_logic {
            self.reported.missing_logic = true;
            let help = Some("begin with (set-logic ALL) or a smaller logic".to_owned());
            self.report_with(cursor.text, place, Code::MissingLogic, "the logic must be set before this", help);
        }
        if self.mode == Mode::Start {
            self.mode = Mode::Assert;
        }
    }

    fn push(&mut self, cursor: &mut Cursor<'_>, place: usize) -> Checked<Command> {
        let count = self.level_count(cursor, place)?;
        if count > MOST_LEVELS - self.levels.len() as u64 {
            let message = format!("more than {MOST_LEVELS} levels are not supported");
            self.report(cursor.text, cursor.place, Code::Pop, message);
            return Err(Stop);
        }
        for _ in 0..count {
            self.levels.push(self.trail.len());
            self.plain_levels.push(self.plain);
        }
        self.mode = Mode::Assert;
        Ok(Command::Push(count))
    }

    fn pop(&mut self, cursor: &mut Cursor<'_>, place: usize) -> Checked<Command> {
        let count = self.level_count(cursor, place)?;
        if count > self.levels.len() as u64 {
            let message = format!("the number of pushed levels, {}, is less than {count}", self.levels.len());
            self.report(cursor.text, cursor.place, Code::Pop, message);
        } else if count > 0 {
            let level = self.levels.len() - count as usize;
            if !self.global_declarations {
                self.undo_to(self.levels[level]);
            }
            self.levels.truncate(level);
            self.plain = self.plain_levels[level];
            self.plain_levels.truncate(level);
        }
        self.mode = Mode::Assert;
        Ok(Command::Pop(count))
    }

    /// The number after `push` or `pop`. Solvers read a missing number as 1, so only the strict rules require it.
    fn level_count(&mut self, cursor: &mut Cursor<'_>, place: usize) -> Checked<u64> {
        self.need_logic(cursor, place);
        if !self.rules.strict && self.peek(cursor)? == Token::Close {
            return Ok(1);
        }
        self.expect_number(cursor, "the number of levels")
    }

    fn set_logic(&mut self, cursor: &mut Cursor<'_>, place: usize) -> Checked<Command> {
        let name = self.expect_name(cursor, "the name of a logic")?;
        let name = self.symbols.intern(name);
        if self.logic.is_some() {
            self.report(cursor.text, place, Code::LateLogic, "the logic is already set");
            return Ok(Command::SetLogic(name));
        }
        if self.mode != Mode::Start {
            let help = Some("put it before all declarations and assertions".to_owned());
            self.report_with(cursor.text, place, Code::LateLogic, "the logic is set too late", help);
        }
        self.choose_logic(cursor, name);
        Ok(Command::SetLogic(name))
    }

    /// Sets the logic of the rest of the script.
    pub(crate) fn choose_logic(&mut self, cursor: &Cursor<'_>, name: Symbol) {
        let shown = self.text_of(name);
        match logic::features(&shown) {
            Some(features) => {
                self.allowed = features;
                if self.version >= Some((2, 7)) {
                    self.allowed.theories = self.allowed.theories.with(Theories::of(&[Theory::Maps]));
                }
                self.separation |= features.theories.has(Theory::Separation) && self.rules.dialect == Dialect::Auto;
                if self.separation {
                    self.allowed.theories = self.allowed.theories.with(Theories::of(&[Theory::Separation]));
                }
                self.available = self.allowed.available();
            }
            None => {
                let message = format!("there is no logic '{shown}'");
                let near = nearest(shown.as_bytes(), logic::LOGICS.iter().map(|logic| logic.as_bytes()));
                let help = near.map(|near| format!("did you mean '{}'?", String::from_utf8_lossy(near)));
                self.report_with(cursor.text, cursor.place, Code::UnknownLogic, message, help);
            }
        }
        self.logic = Some(name);
    }

    /// A keyword and its value as written.
    fn attribute(&mut self, cursor: &mut Cursor<'_>) -> Checked<Setting> {
        let key = match self.next(cursor)? {
            Token::Keyword(key) => self.symbols.intern(key),
            other => return self.unexpected(cursor, other, "a keyword, such as :status"),
        };
        let kind = match self.peek(cursor)? {
            Token::Close => return Ok((key, None, None)),
            Token::Keyword(_) => {
                let found = self.next(cursor)?;
                return self.unexpected(cursor, found, "a value, or )");
            }
            Token::Symbol(b"true" | b"false") => Kind::Flag,
            Token::Numeral(_) => Kind::Number,
            Token::String(_) => Kind::Text,
            Token::Symbol(word) if super::cursor::is_reserved(word) => {
                let found = self.next(cursor)?;
                return self.unexpected(cursor, found, "a value");
            }
            _ => Kind::Other,
        };
        let from = self.skip(cursor, "a value")?;
        Ok((key, Some(cursor.since(from).into()), Some(kind)))
    }

    fn set_option(&mut self, cursor: &mut Cursor<'_>) -> Checked<Command> {
        let (key, value, kind) = self.attribute(cursor)?;
        let name = self.text_of(key);
        let known = OPTIONS.iter().find(|option| option.0 == name);
        if let Some((_, wanted)) = known {
            let (fits, shown) = match wanted {
                OptionKind::Flag => (kind == Some(Kind::Flag), "true or false"),
                OptionKind::Number => (kind == Some(Kind::Number), "a numeral"),
                OptionKind::Text => (kind == Some(Kind::Text), "a string"),
            };
            if !fits {
                let message = format!("the value of {name} must be {shown}");
                self.report(cursor.text, cursor.place, Code::OptionValue, message);
            } else if *wanted == OptionKind::Flag {
                let on = value.as_deref() == Some(b"true");
                self.options.insert(key, on);
                if name == ":global-declarations" {
                    self.global_declarations = on;
                }
            }
        }
        Ok(Command::SetOption(key, value))
    }

    fn set_info(&mut self, cursor: &mut Cursor<'_>) -> Checked<Command> {
        let (key, value, _) = self.attribute(cursor)?;
        let name = self.text_of(key);
        match name.as_str() {
            ":status" if !matches!(value.as_deref(), Some(b"sat" | b"unsat" | b"unknown")) => {
                self.report(cursor.text, cursor.place, Code::InfoValue, "the status must be sat, unsat or unknown");
            }
            ":smt-lib-version" => {
                let text = value.as_deref().and_then(|value| std::str::from_utf8(value).ok()).unwrap_or_default();
                let mut parts = text.split('.').map(str::parse);
                let version = (parts.next(), parts.next());
                match version {
                    (Some(Ok(major)), minor) => {
                        self.version = Some((major, minor.and_then(Result::ok).unwrap_or(0)));
                        if self.version >= Some((2, 7)) {
                            self.allowed.theories = self.allowed.theories.with(Theories::of(&[Theory::Maps]));
                            self.available = self.allowed.available();
                        }
                    }
                    _ if self.rules.strict => {
                        self.report(
                            cursor.text,
                            cursor.place,
                            Code::InfoValue,
                            "the version must be a decimal, such as 2.6",
                        );
                    }
                    _ => {}
                }
            }
            _ if ANSWERS.contains(&name.as_str())
                && (self.rules.strict || matches!(name.as_str(), ":name" | ":authors" | ":error-behavior")) =>
            {
                let message = format!("{name} is reported by solvers and cannot be set");
                self.report(cursor.text, cursor.place, Code::InfoValue, message);
            }
            _ => {}
        }
        Ok(Command::SetInfo(key, value))
    }

    fn declare_fun(&mut self, cursor: &mut Cursor<'_>, form: DefinitionForm) -> Checked<Command> {
        let name = self.expect_name(cursor, "the name of a function")?;
        let place = cursor.place;
        let name = self.symbols.intern(name);
        let mut parameters = vec![];
        if form == DefinitionForm::Function {
            self.expect_open(cursor, "the sorts of the arguments")?;
            while !self.at_close(cursor)? {
                parameters.push(self.read_sort(cursor)?);
            }
        }
        let result = self.read_sort(cursor)?;
        if !parameters.is_empty() {
            self.use_functions(cursor, place);
        }
        let function = self.declare_function(cursor, place, name, parameters, result);
        Ok(match form {
            DefinitionForm::Function => Command::DeclareFun(function),
            DefinitionForm::Constant => Command::DeclareConst(function),
        })
    }

    fn use_functions(&mut self, cursor: &Cursor<'_>, place: usize) {
        self.used.functions = true;
        if !self.allowed.functions && !self.reported.functions {
            self.reported.functions = true;
            let message = format!("the logic {} does not allow declared functions with arguments", self.logic_name());
            let help = Some("set a logic with UF in its name".to_owned());
            self.report_with(cursor.text, place, Code::Uninterpreted, message, help);
        }
    }

    fn declare_sort(&mut self, cursor: &mut Cursor<'_>) -> Checked<Command> {
        let name = self.expect_name(cursor, "the name of a sort")?;
        let place = cursor.place;
        let name = self.symbols.intern(name);
        let arity = if !self.rules.strict && self.peek(cursor)? == Token::Close {
            0
        } else {
            self.expect_number(cursor, "the number of arguments")?
        };
        self.used.sorts = true;
        if !self.allowed.sorts && !self.reported.sorts {
            self.reported.sorts = true;
            if self.rules.strict {
                let message = format!("the logic {} does not allow declared sorts", self.logic_name());
                let help = Some("set a logic with UF in its name".to_owned());
                self.report_with(cursor.text, place, Code::Uninterpreted, message, help);
            }
        }
        self.declare_sort_name(cursor, place, name, SortMeaning::Declared(arity.min(u64::from(u32::MAX)) as u32));
        Ok(Command::DeclareSort(name, arity))
    }

    fn define_sort(&mut self, cursor: &mut Cursor<'_>) -> Checked<Command> {
        let name = self.expect_name(cursor, "the name of a sort")?;
        let place = cursor.place;
        let name = self.symbols.intern(name);
        let parameters = self.read_parameters(cursor)?;
        let body = self.read_sort(cursor);
        self.end_parameters(&parameters);
        let body = body?;
        let names: Box<[Symbol]> = parameters.iter().map(|parameter| parameter.0).collect();
        let meaning = self.add_alias(names.clone(), body);
        self.declare_sort_name(cursor, place, name, meaning);
        Ok(Command::DefineSort(name, names, body))
    }

    /// The signature of a function with these variables and this result.
    fn signature(&self, name: Symbol, binder: Binder, result: Sort) -> FunctionInfo {
        let parameters = self.terms.variables(binder).map(|variable| self.terms.variable_sort(variable)).collect();
        FunctionInfo { name, parameters, result, kind: FunctionKind::Defined, overloaded: None, shape: Shape::VARIABLE }
    }

    fn define_fun(&mut self, cursor: &mut Cursor<'_>, form: DefinitionForm) -> Checked<Command> {
        let name = self.expect_name(cursor, "the name of a function")?;
        let place = cursor.place;
        let name = self.symbols.intern(name);
        let scope = self.work.scope.len();
        let binder = match form {
            DefinitionForm::Function => self.read_variables(cursor, Repeated::Error)?,
            DefinitionForm::Constant => self.terms.bind([]),
        };
        let result = self.read_sort(cursor)?;
        let body = self.read_term(cursor)?;
        self.leave_scope(scope);
        self.check_sort(cursor, body, result, "the body of this function");
        let mut info = self.signature(name, binder, result);
        if info.parameters.is_empty() {
            info.shape = self.terms.shape(body);
        }
        let function = self.add_function(info);
        self.declare_free(cursor, place, function);
        let definition = Definition { function, binder, body };
        Ok(match form {
            DefinitionForm::Function => Command::DefineFun(definition),
            DefinitionForm::Constant => Command::DefineConst(definition),
        })
    }

    fn define_fun_rec(&mut self, cursor: &mut Cursor<'_>) -> Checked<Command> {
        let (function, binder, result, scope) = self.recursive_header(cursor)?;
        self.in_recursion = self.separation;
        let body = self.read_term(cursor);
        self.in_recursion = false;
        let body = body?;
        self.leave_scope(scope);
        self.check_sort(cursor, body, result, "the body of this function");
        Ok(Command::DefineFunsRec([Definition { function, binder, body }].into()))
    }

    /// Reads and declares the header of a recursive function, `f ((x Int)) Int`. Its variables stay bound.
    fn recursive_header(&mut self, cursor: &mut Cursor<'_>) -> Checked<(Function, Binder, Sort, usize)> {
        let name = self.expect_name(cursor, "the name of a function")?;
        let place = cursor.place;
        let name = self.symbols.intern(name);
        let scope = self.work.scope.len();
        let binder = self.read_variables(cursor, Repeated::Error)?;
        let result = self.read_sort(cursor)?;
        let info = self.signature(name, binder, result);
        if !self.separation && !info.parameters.is_empty() {
            self.use_functions(cursor, place);
        }
        let function = self.add_function(info);
        let shadowed = matches!(self.meaning(name), Meaning::Variable(_));
        if shadowed {
            // A variable has the same name as the function. It must not hide the function while that is declared.
            self.leave_scope(scope);
        }
        self.declare_free(cursor, place, function);
        if shadowed {
            self.enter_scope(cursor, binder, &[], Repeated::Shadows);
        }
        Ok((function, binder, result, scope))
    }

    fn define_funs_rec(&mut self, cursor: &mut Cursor<'_>) -> Checked<Command> {
        self.expect_open(cursor, "the functions")?;
        let mut headers = vec![];
        while !self.at_close(cursor)? {
            self.expect_open(cursor, "a function")?;
            let (function, binder, result, scope) = self.recursive_header(cursor)?;
            self.leave_scope(scope);
            self.expect_close(cursor, "the signature of a function")?;
            headers.push((function, binder, result));
        }
        self.expect_open(cursor, "the bodies")?;
        let mut definitions = vec![];
        for (function, binder, result) in &headers {
            if self.peek(cursor)? == Token::Close {
                break;
            }
            let scope = self.work.scope.len();
            self.enter_scope(cursor, *binder, &[], Repeated::Shadows);
            self.in_recursion = self.separation;
            let body = self.read_term(cursor);
            self.in_recursion = false;
            let body = body?;
            self.leave_scope(scope);
            self.check_sort(cursor, body, *result, "the body of this function");
            definitions.push(Definition { function: *function, binder: *binder, body });
        }
        if headers.is_empty() {
            self.report(cursor.text, cursor.place, Code::Unexpected, "expected at least one function, found none");
        }
        let mut bodies = definitions.len();
        while !self.at_close(cursor)? {
            self.skip(cursor, "a body")?;
            bodies += 1;
        }
        if bodies != headers.len() {
            let message = format!("the numbers of functions and bodies differ: {} and {bodies}", headers.len());
            self.report(cursor.text, cursor.place, Code::ListLength, message);
            return Err(Stop);
        }
        Ok(Command::DefineFunsRec(definitions.into()))
    }

    fn terms_in_list(&mut self, cursor: &mut Cursor<'_>) -> Checked<Box<[Term]>> {
        self.expect_open(cursor, "the terms")?;
        let mut terms = vec![];
        while !self.at_close(cursor)? {
            terms.push(self.read_term(cursor)?);
        }
        Ok(terms.into())
    }

    /// Reads the assumptions of a query. Before version 2.7, only names and their negations are allowed.
    fn assumptions(&mut self, cursor: &mut Cursor<'_>) -> Checked<Box<[Term]>> {
        self.expect_open(cursor, "the assumptions")?;
        let mut terms = vec![];
        while !self.at_close(cursor)? {
            let term = self.read_term(cursor)?;
            self.check_sort(cursor, term, Sort::BOOL, "an assumption");
            if self.rules.strict && self.version < Some((2, 7)) && !self.is_literal(term) {
                let message = "before version 2.7, an assumption must be a name or the negation of a name";
                let help = Some("add (set-info :smt-lib-version 2.7), or name the formula".to_owned());
                self.report_with(cursor.text, self.work.last as usize, Code::Extension, message, help);
            }
            terms.push(term);
        }
        Ok(terms.into())
    }

    fn is_literal(&self, term: Term) -> bool {
        let plain = |term| match self.terms.head(term) {
            Head::Function(_) => self.terms.arguments(term).is_empty(),
            Head::Operator(_) => self.truth(term).is_some(),
            _ => false,
        };
        match self.terms.head(term) {
            Head::Operator(operator) if self.operator(operator).0 == "not" => plain(self.terms.arguments(term)[0]),
            _ => plain(term),
        }
    }
}

/// A keyword, its value as written, and the kind of the value.
type Setting = (Symbol, Option<Box<[u8]>>, Option<Kind>);

/// The kind of an attribute's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Flag,
    Number,
    Text,
    Other,
}

//! Prints a script of version 2 as a benchmark of version 1.2, where that is possible.

use crate::checker::{Checker, FunctionKind};
use crate::command::{Command, Plain};
use crate::sort::{Constructor, Sort};
use crate::symbol::Symbol;
use crate::term::{Attribute, Function, Head, Literal, Term, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write as _;

/// A feature of a script that version 1.2 cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("version 1.2 has no {0}")]
pub struct V1Error(String);

type Printed<T> = Result<T, V1Error>;

fn without<T>(what: impl Into<String>) -> Printed<T> {
    Err(V1Error(what.into()))
}

/// A constant that the script defines: it becomes a `let` around each formula that uses it.
struct Defined {
    name: String,
    value: String,
    uses: Vec<usize>,
}

/// Observes the commands of a script, and returns the benchmark at the end.
#[derive(Default)]
pub struct V1Printer {
    logic: String,
    infos: String,
    sorts: String,
    functions: String,
    formulas: Vec<String>,
    defined: Vec<Defined>,
    /// The definitions that formulas use.
    used: FxHashSet<usize>,
    definitions: FxHashMap<Function, usize>,
    names: FxHashMap<Symbol, String>,
    taken: FxHashSet<String>,
    renamed: u64,
    /// The index and element sorts that become version 1.2's `Index` and `Element`.
    array: Option<(Sort, Sort)>,
    queries: u32,
}

/// The parts of a term that are still to be printed.
enum Left {
    Term(Term),
    Text(&'static str),
    Owned(String),
}

impl V1Printer {
    /// Observes one command.
    pub fn see(&mut self, checker: &Checker, command: &Command) -> Result<(), V1Error> {
        if self.queries > 0 && !matches!(command, Command::Plain(Plain::Exit) | Command::SetInfo(..)) {
            return without("commands after the first query");
        }
        match command {
            Command::SetLogic(name) => self.logic = String::from_utf8_lossy(checker.symbols.text(*name)).into_owned(),
            Command::SetInfo(key, Some(value)) => self.info(checker.symbols.text(*key), value),
            Command::SetInfo(..) | Command::SetOption(..) | Command::Plain(Plain::Exit) => {}
            Command::DeclareSort(name, 0) => {
                let name = self.sort_name(checker, *name);
                // Version 1.2 predeclares U in QF_UF, and Index and Element in QF_AX.
                let known = self.logic == "QF_UF" && name == "U"
                    || self.logic == "QF_AX" && matches!(&*name, "Index" | "Element");
                if !known {
                    let _ = write!(self.sorts, " {name}");
                }
            }
            Command::DeclareFun(function) | Command::DeclareConst(function) => self.declare(checker, *function)?,
            Command::DefineFun(definition) | Command::DefineConst(definition)
                if checker.function(definition.function).parameters.is_empty() =>
            {
                let info = checker.function(definition.function);
                let kind = if info.result == Sort::BOOL { '$' } else { '?' };
                let (value, uses) = self.term(checker, definition.body)?;
                let at = self.defined.len();
                self.defined.push(Defined { name: format!("{kind}d_{at}"), value, uses });
                self.definitions.insert(definition.function, at);
            }
            Command::DefineSort(_, parameters, _) if parameters.is_empty() => {}
            Command::Assert(term) => {
                let (text, uses) = self.term(checker, *term)?;
                self.used.extend(uses);
                self.formulas.push(text);
            }
            Command::CheckSat if self.logic.is_empty() => return without("benchmarks without a logic"),
            Command::CheckSat => self.queries += 1,
            Command::DefineFun(_) | Command::DefineConst(_) => return without("defined functions with arguments"),
            Command::DefineFunsRec(_) => return without("recursive functions"),
            Command::DeclareDatatypes(_) => return without("datatypes"),
            Command::DeclareSort(..) | Command::DefineSort(..) => return without("sorts with arguments"),
            Command::Push(_) | Command::Pop(_) => return without("push and pop"),
            Command::DeclareHeap(_) | Command::CheckUnsat => return without("separation logic"),
            Command::DeclareSortParameter(_) => return without("sort parameters"),
            Command::CheckSatAssuming(_) => return without("assumptions of a query"),
            _ => return without("commands that ask for more than satisfiability"),
        }
        Ok(())
    }

    /// The benchmark, with this name.
    pub fn finish(&self, name: &str) -> Vec<u8> {
        let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') { c } else { '_' };
        let mut name: String = name.chars().map(legal).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'b');
        }
        let mut out = format!("(benchmark {name}\n:logic {}\n{}", self.logic, self.infos);
        if !self.sorts.is_empty() {
            let _ = writeln!(out, ":extrasorts ({})", self.sorts.trim_start());
        }
        out.push_str(&self.functions);
        // The definitions must enclose all formulas, so these become one conjunction.
        if !self.used.is_empty() {
            let all = format!("(and true {})", self.formulas.join("\n "));
            let _ = write!(out, ":formula {}\n)\n", self.wrapped(&all));
            return out.into_bytes();
        }
        let (last, before) = match self.formulas.split_last() {
            Some((last, before)) => (last.as_str(), before),
            None => ("true", &[][..]),
        };
        for formula in before {
            let _ = writeln!(out, ":assumption {formula}");
        }
        let _ = write!(out, ":formula {last}\n)\n");
        out.into_bytes()
    }

    fn info(&mut self, key: &[u8], value: &[u8]) {
        if !matches!(key, b":status" | b":source" | b":category" | b":difficulty" | b":notes") {
            return;
        }
        let (key, value) = (String::from_utf8_lossy(key), String::from_utf8_lossy(value));
        if key == ":status" {
            if matches!(&*value, "sat" | "unsat" | "unknown") {
                let _ = writeln!(self.infos, ":status {value}");
            }
            return;
        }
        let inside =
            value.trim_matches(|c| c == '|' || c == '"').replace('\\', "\\\\").replace('{', "\\{").replace('}', "\\}");
        let _ = writeln!(self.infos, "{key} {{{inside}}}");
    }

    /// A name that is valid in version 1.2 and different from all others.
    fn name(&mut self, checker: &Checker, symbol: Symbol) -> String {
        if let Some(known) = self.names.get(&symbol) {
            return known.clone();
        }
        let text = String::from_utf8_lossy(checker.symbols.text(symbol)).into_owned();
        let legal = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '\'') { c } else { '_' };
        let mut name: String = text.chars().map(legal).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'x');
        }
        let plain = name.clone();
        while WORDS.contains(&&*name) || name.starts_with("bv") || !self.taken.insert(name.clone()) {
            self.renamed += 1;
            name = format!("x{plain}_{}", self.renamed);
        }
        self.names.insert(symbol, name.clone());
        name
    }

    fn sort_name(&mut self, checker: &Checker, symbol: Symbol) -> String {
        // Names of version 1.2's own logics are kept; a sort and a function may share one, as in version 2.
        match checker.symbols.text(symbol) {
            b"U" => "U".to_owned(),
            b"Index" if self.logic == "QF_AX" => "Index".to_owned(),
            b"Element" if self.logic == "QF_AX" => "Element".to_owned(),
            _ => self.name(checker, symbol),
        }
    }

    fn sort(&mut self, checker: &Checker, sort: Sort) -> Printed<String> {
        Ok(match checker.sorts.constructor(sort) {
            Constructor::Int => "Int".to_owned(),
            Constructor::Real => "Real".to_owned(),
            Constructor::BitVec(width) => format!("BitVec[{width}]"),
            Constructor::Declared(name) if checker.sorts.arguments(sort).is_empty() => self.sort_name(checker, name),
            Constructor::Array => self.array(checker, sort)?,
            Constructor::Bool => {
                return without("Boolean terms: a formula cannot be an argument or the value of a function");
            }
            _ => return without("sorts of this theory"),
        })
    }

    fn array(&mut self, checker: &Checker, sort: Sort) -> Printed<String> {
        let (index, element) = (checker.sorts.arguments(sort)[0], checker.sorts.arguments(sort)[1]);
        let is_int_real = |sort: Sort| {
            checker.sorts.constructor(sort) == Constructor::Array
                && checker.sorts.arguments(sort) == [Sort::INT, Sort::REAL]
        };
        match (checker.sorts.constructor(index), checker.sorts.constructor(element)) {
            (Constructor::BitVec(i), Constructor::BitVec(e)) => Ok(format!("Array[{i}:{e}]")),
            (Constructor::Int, Constructor::Int) => Ok("Array".to_owned()),
            (Constructor::Int, Constructor::Real) => Ok("Array1".to_owned()),
            (Constructor::Int, Constructor::Array) if is_int_real(element) => Ok("Array2".to_owned()),
            (Constructor::Declared(i), Constructor::Declared(e))
                if self.logic == "QF_AX" && *self.array.get_or_insert((index, element)) == (index, element) =>
            {
                self.names.insert(i, "Index".to_owned());
                self.names.insert(e, "Element".to_owned());
                let both = checker.symbols.text(i) == b"Index" && checker.symbols.text(e) == b"Element";
                if both {
                    Ok("Array".to_owned())
                } else {
                    without("arrays over sorts that are not called Index and Element")
                }
            }
            _ => without("arrays with these index and element sorts"),
        }
    }

    fn declare(&mut self, checker: &Checker, function: Function) -> Printed<()> {
        let info = checker.function(function);
        if info.overloaded.is_some() {
            return without("functions that share a name");
        }
        let name = self.name(checker, info.name);
        let mut declaration = format!("(({name}");
        for parameter in &info.parameters {
            let sort = self.sort(checker, *parameter)?;
            let _ = write!(declaration, " {sort}");
        }
        let key = if info.result == Sort::BOOL {
            ":extrapreds"
        } else {
            let sort = self.sort(checker, info.result)?;
            let _ = write!(declaration, " {sort}");
            ":extrafuns"
        };
        let _ = writeln!(self.functions, "{key} {declaration}))");
        Ok(())
    }

    /// A formula, enclosed in the definitions that are used.
    fn wrapped(&self, formula: &str) -> String {
        let mut needed = vec![false; self.defined.len()];
        let mut left: Vec<_> = self.used.iter().copied().collect();
        while let Some(at) = left.pop() {
            if !std::mem::replace(&mut needed[at], true) {
                left.extend(&self.defined[at].uses);
            }
        }
        let mut before = String::new();
        let mut close = 0;
        for defined in needed.iter().zip(&self.defined).filter(|pair| *pair.0).map(|pair| pair.1) {
            let binder = if defined.name.starts_with('$') { "flet" } else { "let" };
            let _ = write!(before, "({binder} ({} {}) ", defined.name, defined.value);
            close += 1;
        }
        format!("{before}{formula}{}", ")".repeat(close))
    }

    /// Prints a term. Returns which definitions it uses.
    fn term(&mut self, checker: &Checker, term: Term) -> Printed<(String, Vec<usize>)> {
        let mut out = String::new();
        let mut uses = vec![];
        let mut fresh = 0_u32;
        let mut left = vec![Left::Term(term)];
        while let Some(next) = left.pop() {
            match next {
                Left::Text(text) => out.push_str(text),
                Left::Owned(text) => out.push_str(&text),
                Left::Term(term) => self.step(checker, term, &mut left, &mut out, &mut uses, &mut fresh)?,
            }
        }
        Ok((out, uses))
    }

    fn step(
        &mut self,
        checker: &Checker,
        term: Term,
        left: &mut Vec<Left>,
        out: &mut String,
        uses: &mut Vec<usize>,
        fresh: &mut u32,
    ) -> Printed<()> {
        let terms = &checker.terms;
        let arguments = terms.arguments(term);
        match terms.head(term) {
            Head::Literal(kind, text) => self.literal(checker, kind, text, terms.sort(term), out)?,
            Head::Variable(variable) => out.push_str(&variable_name(checker, variable)),
            Head::Let(binder) => {
                let (body, values) = arguments.split_last().expect("a let has a body");
                let mut items = vec![];
                for (variable, value) in terms.variables(binder).zip(values) {
                    let name = variable_name(checker, variable);
                    let kind = if name.starts_with('$') { "flet" } else { "let" };
                    items.push(Left::Owned(format!("({kind} ({name} ")));
                    items.push(Left::Term(*value));
                    items.push(Left::Text(") "));
                }
                items.push(Left::Term(*body));
                items.extend(values.iter().map(|_| Left::Text(")")));
                left.extend(items.into_iter().rev());
            }
            Head::Forall(binder) | Head::Exists(binder) => {
                out.push_str(if matches!(terms.head(term), Head::Forall(_)) { "(forall" } else { "(exists" });
                for variable in terms.variables(binder) {
                    let sort = self.sort(checker, terms.variable_sort(variable))?;
                    let _ = write!(out, " ({} {sort})", variable_name(checker, variable));
                }
                out.push(' ');
                let body = arguments[0];
                let mut items = vec![Left::Term(body)];
                if let Head::Annotated(attributes) = terms.head(body) {
                    items = vec![Left::Term(terms.arguments(body)[0])];
                    let mut patterns = terms.arguments(body)[1..].iter();
                    for attribute in terms.attributes(attributes) {
                        if let Attribute::Pattern(count) = attribute {
                            items.push(Left::Text(" :pat {"));
                            for _ in 0..*count {
                                items.push(Left::Text(" "));
                                items.extend(patterns.next().map(|pattern| Left::Term(*pattern)));
                            }
                            items.push(Left::Text(" }"));
                        }
                    }
                }
                items.push(Left::Text(")"));
                left.extend(items.into_iter().rev());
            }
            Head::Annotated(_) => left.push(Left::Term(arguments[0])),
            Head::Function(function) | Head::QualifiedFunction(function) => {
                if let Some(at) = self.definitions.get(&function) {
                    uses.push(*at);
                    out.push_str(&self.defined[*at].name);
                    return Ok(());
                }
                let info = checker.function(function);
                if info.kind == FunctionKind::Named {
                    return without("names of terms that are used elsewhere");
                }
                let name = self.name(checker, info.name);
                application(&name, arguments, left);
            }
            Head::Operator(operator) | Head::QualifiedOperator(operator) => {
                let (name, indices) = checker.operator(operator);
                self.operator(checker, name, indices, arguments, left, fresh)?;
            }
            Head::Tester(_) | Head::Updater(_) | Head::Match(_) => return without("datatypes"),
            Head::Apply | Head::Lambda(_) | Head::Choice(_) => return without("maps"),
            Head::Unknown => return without("terms with errors"),
        }
        Ok(())
    }

    fn literal(&self, checker: &Checker, kind: Literal, text: Symbol, sort: Sort, out: &mut String) -> Printed<()> {
        let text = String::from_utf8_lossy(checker.symbols.text(text));
        match (kind, checker.sorts.constructor(sort)) {
            (Literal::Numeral, _) => out.push_str(&text),
            (Literal::Decimal, _) => match text.split_once('.') {
                // Version 1.2's real constants are quotients of numerals.
                Some((whole, fraction)) => {
                    let fraction = fraction.trim_end_matches('0');
                    let digits = format!("{whole}{fraction}");
                    let digits = digits.trim_start_matches('0');
                    let digits = if digits.is_empty() { "0" } else { digits };
                    if fraction.is_empty() {
                        out.push_str(digits);
                    } else {
                        let _ = write!(out, "(/ {digits} 1{})", "0".repeat(fraction.len()));
                    }
                }
                None => out.push_str(&text),
            },
            (Literal::BitVector, Constructor::BitVec(width)) => {
                let _ = write!(out, "bv{text}[{width}]");
            }
            (Literal::Binary, _) => {
                let _ = write!(out, "bvbin{text}");
            }
            (Literal::Hexadecimal, _) => {
                let _ = write!(out, "bvhex{}", text.to_ascii_lowercase());
            }
            _ => return without("strings"),
        }
        Ok(())
    }

    fn operator(
        &mut self,
        checker: &Checker,
        name: &str,
        indices: &[u64],
        arguments: &[Term],
        left: &mut Vec<Left>,
        fresh: &mut u32,
    ) -> Printed<()> {
        let sort_of = |at: usize| checker.terms.sort(arguments[at]);
        match name {
            "true" | "false" => left.push(Left::Owned(name.to_owned())),
            "not" | "and" | "or" | "xor" | "+" | "*" | "bvadd" | "bvmul" | "bvand" | "bvor" | "bvxor" | "bvxnor"
            | "concat" | "/" | "bvsub" => nested(name, arguments, left),
            "-" if arguments.len() == 1 => application("~", arguments, left),
            "-" => nested("-", arguments, left),
            "=>" => {
                // `=>` is right-associative, and `implies` takes two arguments.
                let (last, front) = arguments.split_last().expect("a theory's function has arguments");
                let mut items = vec![];
                for premise in front {
                    items.extend([Left::Text("(implies "), Left::Term(*premise), Left::Text(" ")]);
                }
                items.push(Left::Term(*last));
                items.extend(front.iter().map(|_| Left::Text(")")));
                left.extend(items.into_iter().rev());
            }
            "=" | "<" | "<=" | ">" | ">=" => {
                let name = if name == "=" && sort_of(0) == Sort::BOOL { "iff" } else { name };
                if arguments.len() == 2 || name == "=" {
                    application(name, arguments, left);
                } else {
                    chain(checker, name, arguments, left, fresh);
                }
            }
            "distinct" if sort_of(0) == Sort::BOOL => {
                if arguments.len() == 2 {
                    left.push(Left::Text(")"));
                    application("iff", arguments, left);
                    left.push(Left::Text("(not "));
                } else {
                    left.push(Left::Text("false"));
                }
            }
            "ite" => application(if sort_of(1) == Sort::BOOL { "if_then_else" } else { "ite" }, arguments, left),
            "select" | "store" | "distinct" | "bvnot" | "bvneg" | "bvudiv" | "bvurem" | "bvshl" | "bvlshr"
            | "bvashr" | "bvnand" | "bvnor" | "bvcomp" | "bvsdiv" | "bvsrem" | "bvsmod" | "bvult" | "bvule"
            | "bvugt" | "bvuge" | "bvslt" | "bvsle" | "bvsgt" | "bvsge" => application(name, arguments, left),
            "extract" | "zero_extend" | "sign_extend" | "repeat" | "rotate_left" | "rotate_right" => {
                let indices: Vec<_> = indices.iter().map(ToString::to_string).collect();
                application(&format!("{name}[{}]", indices.join(":")), arguments, left);
            }
            other => return without(format!("function '{other}'")),
        }
        Ok(())
    }
}

/// Words that have a predefined meaning in version 1.2, so that no declared name may be one of them.
const WORDS: &[&str] = &[
    "and",
    "or",
    "not",
    "implies",
    "iff",
    "xor",
    "if_then_else",
    "ite",
    "true",
    "false",
    "forall",
    "exists",
    "let",
    "flet",
    "distinct",
    "select",
    "store",
    "concat",
    "extract",
    "repeat",
    "zero_extend",
    "sign_extend",
    "rotate_left",
    "rotate_right",
    "Int",
    "Real",
    "Array",
    "Array1",
    "Array2",
    "BitVec",
    "Index",
    "Element",
    "U",
    "bit0",
    "bit1",
    "benchmark",
    "sat",
    "unsat",
    "unknown",
];

/// Term variables begin with `?`, formula variables with `$`. The number makes names unique.
fn variable_name(checker: &Checker, variable: Variable) -> String {
    let kind = if checker.terms.variable_sort(variable) == Sort::BOOL { '$' } else { '?' };
    format!("{kind}v_{}", variable.0)
}

fn application(name: &str, arguments: &[Term], left: &mut Vec<Left>) {
    if arguments.is_empty() {
        left.push(Left::Owned(name.to_owned()));
        return;
    }
    left.push(Left::Text(")"));
    for argument in arguments.iter().rev() {
        left.push(Left::Term(*argument));
        left.push(Left::Text(" "));
    }
    left.push(Left::Owned(format!("({name}")));
}

/// Prints a left-associative application, nested so that each application has two arguments, as version 1.2 requires.
/// `and`, `or`, `+` and `*` take any number.
fn nested(name: &str, arguments: &[Term], left: &mut Vec<Left>) {
    if arguments.len() < 3 || matches!(name, "and" | "or" | "+" | "*") {
        return match (name, arguments) {
            // A single argument is printed as it is.
            ("and" | "or" | "+" | "*", [single]) => left.push(Left::Term(*single)),
            _ => application(name, arguments, left),
        };
    }
    for argument in arguments[1..].iter().rev() {
        left.extend([Left::Text(")"), Left::Term(*argument), Left::Text(" ")]);
    }
    left.push(Left::Term(arguments[0]));
    for _ in &arguments[1..] {
        left.push(Left::Owned(format!("({name} ")));
    }
}

/// `(< a b c)` as a conjunction, with each argument bound once.
fn chain(checker: &Checker, name: &str, arguments: &[Term], left: &mut Vec<Left>, fresh: &mut u32) {
    let mut items = vec![];
    let mut names = vec![];
    for argument in arguments {
        let (binder, kind) = if checker.terms.sort(*argument) == Sort::BOOL { ("flet", '$') } else { ("let", '?') };
        let name = format!("{kind}c_{fresh}");
        *fresh += 1;
        items.extend([Left::Owned(format!("({binder} ({name} ")), Left::Term(*argument), Left::Text(") ")]);
        names.push(name);
    }
    let pairs: Vec<_> = names.windows(2).map(|pair| format!("({name} {} {})", pair[0], pair[1])).collect();
    items.push(Left::Owned(format!("(and {})", pairs.join(" "))));
    items.extend(arguments.iter().map(|_| Left::Text(")")));
    left.extend(items.into_iter().rev());
}

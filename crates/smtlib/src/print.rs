//! Prints commands, terms and sorts as SMT-LIB 2.

use crate::checker::{Checker, FunctionKind, WILDCARD};
use crate::command::{Command, Definition};
use crate::sort::{Constructor, Sort};
use crate::symbol::Symbol;
use crate::term::{Attribute, Binder, Function, Head, Literal, Term};

/// Writes a symbol, between bars unless it is a simple symbol.
pub fn symbol_text(name: &[u8], out: &mut Vec<u8>) {
    let simple = !name.is_empty()
        && !name[0].is_ascii_digit()
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(byte))
        && !crate::checker::is_reserved_word(name);
    if simple {
        out.extend_from_slice(name);
    } else {
        out.push(b'|');
        out.extend_from_slice(name);
        out.push(b'|');
    }
}

/// Writes a sort. Stops after `most` bytes. Returns whether the sort is complete.
pub(crate) fn write_sort(checker: &Checker, sort: Sort, most: usize, out: &mut Vec<u8>) -> bool {
    let (symbols, sorts) = (&checker.symbols, &checker.sorts);
    let start = out.len();
    let mut left = vec![Some(sort)];
    while let Some(next) = left.pop() {
        if out.len() - start > most {
            return false;
        }
        let Some(sort) = next else {
            out.push(b')');
            continue;
        };
        if !matches!(out.last(), None | Some(b'(' | b' ')) {
            out.push(b' ');
        }
        let arguments = sorts.arguments(sort);
        if !arguments.is_empty() {
            out.push(b'(');
            left.push(None);
            left.extend(arguments.iter().rev().map(|sort| Some(*sort)));
        }
        match sorts.constructor(sort) {
            Constructor::Unknown => out.push(b'?'),
            Constructor::Bool => out.extend_from_slice(b"Bool"),
            Constructor::Int => out.extend_from_slice(b"Int"),
            Constructor::Real => out.extend_from_slice(b"Real"),
            Constructor::String => out.extend_from_slice(b"String"),
            Constructor::RegLan => out.extend_from_slice(b"RegLan"),
            Constructor::RoundingMode => out.extend_from_slice(b"RoundingMode"),
            Constructor::BitVec(width) => out.extend_from_slice(format!("(_ BitVec {width})").as_bytes()),
            Constructor::Float(e, s) => out.extend_from_slice(format!("(_ FloatingPoint {e} {s})").as_bytes()),
            Constructor::Array => out.extend_from_slice(b"Array"),
            Constructor::Seq => out.extend_from_slice(b"Seq"),
            Constructor::Set => out.extend_from_slice(b"Set"),
            Constructor::Arrow => out.extend_from_slice(b"->"),
            Constructor::Declared(name) | Constructor::Parameter(name) => symbol_text(symbols.text(name), out),
        }
    }
    true
}

/// The parts of a term that are still to be printed.
enum Left {
    Term(Term),
    /// The variable of a binding, then its value.
    Binding(Symbol, Term),
    Text(&'static [u8]),
    /// The case of a match.
    Case(usize, Term, Term),
    /// The attributes of an annotation.
    Attributes(Term),
}

/// Prints commands and terms of a checker's arena.
#[derive(Clone, Copy, Debug)]
pub struct Printer<'a> {
    checker: &'a Checker,
}

impl<'a> Printer<'a> {
    /// A printer for the commands and terms that this checker has read.
    pub fn new(checker: &'a Checker) -> Self {
        Self { checker }
    }

    fn symbol(self, name: Symbol, out: &mut Vec<u8>) {
        symbol_text(self.checker.symbols.text(name), out);
    }

    /// Writes a sort.
    pub fn sort(self, sort: Sort, out: &mut Vec<u8>) {
        // A sort begins after a blank or a parenthesis, so it puts no blank before itself.
        write_sort(self.checker, sort, usize::MAX, out);
    }

    fn sorts(self, sorts: &[Sort], out: &mut Vec<u8>) {
        out.push(b'(');
        for (at, sort) in sorts.iter().enumerate() {
            if at > 0 {
                out.push(b' ');
            }
            self.sort(*sort, out);
        }
        out.push(b')');
    }

    fn variables(self, binder: Binder, out: &mut Vec<u8>) {
        out.push(b'(');
        for (at, variable) in self.checker.terms.variables(binder).enumerate() {
            out.extend_from_slice(if at > 0 { b" (" } else { b"(" });
            self.symbol(self.checker.terms.name(variable), out);
            out.push(b' ');
            self.sort(self.checker.terms.variable_sort(variable), out);
            out.push(b')');
        }
        out.push(b')');
    }

    fn qualified(self, sort: Sort, write: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
        out.extend_from_slice(b"(as ");
        write(out);
        out.push(b' ');
        self.sort(sort, out);
        out.push(b')');
    }

    fn literal(self, kind: Literal, text: &[u8], sort: Sort, out: &mut Vec<u8>) {
        let (before, after): (&[u8], &[u8]) = match kind {
            Literal::Numeral | Literal::Decimal => (b"", b""),
            Literal::Hexadecimal => (b"#x", b""),
            Literal::Binary => (b"#b", b""),
            Literal::String => (b"\"", b"\""),
            Literal::BitVector => (b"(_ bv", b""),
            Literal::Character => (b"(_ char #x", b")"),
        };
        out.extend_from_slice(before);
        out.extend_from_slice(text);
        out.extend_from_slice(after);
        if kind == Literal::BitVector
            && let Constructor::BitVec(width) = self.checker.sorts.constructor(sort)
        {
            out.extend_from_slice(format!(" {width})").as_bytes());
        }
    }

    /// The identifier of an application.
    fn identifier(self, head: Head, sort: Sort, out: &mut Vec<u8>) {
        let operator = |operator, out: &mut Vec<u8>| {
            let (name, indices) = self.checker.operator(operator);
            if name == "emp" && !self.checker.heap().is_empty() {
                let (location, data) = self.checker.heap()[0];
                out.extend_from_slice(b"(_ emp ");
                self.sort(location, out);
                out.push(b' ');
                self.sort(data, out);
                out.push(b')');
            } else if indices.is_empty() {
                out.extend_from_slice(name.as_bytes());
            } else {
                out.extend_from_slice(b"(_ ");
                out.extend_from_slice(name.as_bytes());
                for index in indices {
                    out.extend_from_slice(format!(" {index}").as_bytes());
                }
                out.push(b')');
            }
        };
        let name = |function: Function, out: &mut Vec<u8>| self.symbol(self.checker.function(function).name, out);
        match head {
            Head::Operator(op) => operator(op, out),
            Head::QualifiedOperator(op) => self.qualified(sort, |out| operator(op, out), out),
            Head::Function(function) => name(function, out),
            Head::QualifiedFunction(function) => self.qualified(sort, |out| name(function, out), out),
            Head::Tester(function) => {
                out.extend_from_slice(b"(_ is ");
                name(function, out);
                out.push(b')');
            }
            Head::Updater(function) => {
                out.extend_from_slice(b"(_ update ");
                name(function, out);
                out.push(b')');
            }
            _ => {}
        }
    }

    /// Prints a term.
    pub fn term(self, term: Term, out: &mut Vec<u8>) {
        let terms = &self.checker.terms;
        let mut left = vec![Left::Term(term)];
        while let Some(next) = left.pop() {
            match next {
                Left::Text(text) => out.extend_from_slice(text),
                Left::Binding(name, value) => {
                    out.push(b'(');
                    self.symbol(name, out);
                    out.push(b' ');
                    left.push(Left::Text(b")"));
                    left.push(Left::Term(value));
                }
                Left::Case(at, whole, result) => self.case(at, whole, result, &mut left, out),
                Left::Attributes(term) => self.attributes(term, &mut left, out),
                Left::Term(term) => {
                    let (head, arguments, sort) = (terms.head(term), terms.arguments(term), terms.sort(term));
                    match head {
                        Head::Unknown => out.push(b'?'),
                        Head::Literal(kind, text) => self.literal(kind, self.checker.symbols.text(text), sort, out),
                        Head::Variable(variable) => self.symbol(terms.name(variable), out),
                        Head::Let(binder) => {
                            out.extend_from_slice(b"(let (");
                            let (body, values) = arguments.split_last().expect("a let has a body");
                            left.extend([Left::Text(b")"), Left::Term(*body), Left::Text(b") ")]);
                            let bindings: Vec<_> = terms.variables(binder).zip(values).collect();
                            for (at, (variable, value)) in bindings.into_iter().enumerate().rev() {
                                left.push(Left::Binding(terms.name(variable), *value));
                                if at > 0 {
                                    left.push(Left::Text(b" "));
                                }
                            }
                        }
                        Head::Forall(binder) | Head::Exists(binder) | Head::Lambda(binder) | Head::Choice(binder) => {
                            out.extend_from_slice(match head {
                                Head::Forall(_) => b"(forall ",
                                Head::Exists(_) => b"(exists ",
                                Head::Lambda(_) => b"(lambda ",
                                _ => b"(choice ",
                            });
                            self.variables(binder, out);
                            out.push(b' ');
                            left.extend([Left::Text(b")"), Left::Term(arguments[0])]);
                        }
                        Head::Match(_) => {
                            out.extend_from_slice(b"(match ");
                            left.push(Left::Text(b"))"));
                            for (at, result) in arguments[1..].iter().enumerate().rev() {
                                left.push(Left::Case(at, term, *result));
                            }
                            left.extend([Left::Text(b" ("), Left::Term(arguments[0])]);
                        }
                        Head::Annotated(_) => {
                            out.extend_from_slice(b"(! ");
                            left.extend([Left::Attributes(term), Left::Term(arguments[0])]);
                        }
                        Head::Apply => {
                            // A map that is not a name is applied with an underscore.
                            let is_name = match terms.head(arguments[0]) {
                                Head::Variable(_) => true,
                                Head::Function(_) => terms.arguments(arguments[0]).is_empty(),
                                _ => false,
                            };
                            out.extend_from_slice(if is_name { b"(" } else { b"(_ " });
                            self.list(arguments, &mut left);
                        }
                        _ if arguments.is_empty() => self.identifier(head, sort, out),
                        _ => {
                            out.push(b'(');
                            self.identifier(head, sort, out);
                            out.push(b' ');
                            self.list(arguments, &mut left);
                        }
                    }
                }
            }
        }
    }

    fn list(self, arguments: &[Term], left: &mut Vec<Left>) {
        left.push(Left::Text(b")"));
        for (at, argument) in arguments.iter().enumerate().rev() {
            left.push(Left::Term(*argument));
            if at > 0 {
                left.push(Left::Text(b" "));
            }
        }
    }

    fn case(self, at: usize, whole: Term, result: Term, left: &mut Vec<Left>, out: &mut Vec<u8>) {
        let terms = &self.checker.terms;
        let Head::Match(cases) = terms.head(whole) else { return };
        let case = &terms.cases(cases)[at];
        out.extend_from_slice(if at > 0 { b" (" } else { b"(" });
        let names: Vec<_> = terms.variables(case.binder).map(|variable| terms.name(variable)).collect();
        let variable = |name: &Symbol, out: &mut Vec<u8>| match self.checker.symbols.text(*name) {
            WILDCARD => out.push(b'_'),
            text => symbol_text(text, out),
        };
        match case.constructor {
            Some(constructor) => {
                if !names.is_empty() {
                    out.push(b'(');
                }
                self.symbol(self.checker.function(constructor).name, out);
                for name in &names {
                    out.push(b' ');
                    variable(name, out);
                }
                if !names.is_empty() {
                    out.push(b')');
                }
            }
            None => names.iter().for_each(|name| variable(name, out)),
        }
        out.push(b' ');
        left.extend([Left::Text(b")"), Left::Term(result)]);
    }

    fn attributes(self, term: Term, left: &mut Vec<Left>, out: &mut Vec<u8>) {
        let terms = &self.checker.terms;
        let Head::Annotated(attributes) = terms.head(term) else { return };
        // Patterns are terms, which are printed later, so everything after them goes onto the stack, in reverse order.
        let mut items = vec![];
        let mut patterns = terms.arguments(term)[1..].iter();
        for attribute in terms.attributes(attributes) {
            items.push(Left::Text(b" "));
            match attribute {
                Attribute::Pattern(count) => {
                    items.push(Left::Text(b":pattern ("));
                    for at in 0..*count {
                        if at > 0 {
                            items.push(Left::Text(b" "));
                        }
                        items.extend(patterns.next().map(|pattern| Left::Term(*pattern)));
                    }
                    items.push(Left::Text(b")"));
                }
                // All other attributes come before the patterns; their order has no meaning.
                _ => {
                    items.pop();
                    self.attribute(attribute, out);
                }
            }
        }
        left.push(Left::Text(b")"));
        left.extend(items.into_iter().rev());
    }

    fn attribute(self, attribute: &Attribute, out: &mut Vec<u8>) {
        match attribute {
            Attribute::Named(name) => {
                out.extend_from_slice(b" :named ");
                self.symbol(*name, out);
            }
            Attribute::Other(key, value) => {
                out.push(b' ');
                out.extend_from_slice(self.checker.symbols.text(*key));
                if let Some(value) = value {
                    out.push(b' ');
                    out.extend_from_slice(value);
                }
            }
            Attribute::Pattern(_) => {}
        }
    }

    fn signature(self, definition: &Definition, out: &mut Vec<u8>) {
        let info = self.checker.function(definition.function);
        self.symbol(info.name, out);
        out.push(b' ');
        self.variables(definition.binder, out);
        out.push(b' ');
        self.sort(info.result, out);
    }

    fn terms(self, name: &[u8], terms: &[Term], out: &mut Vec<u8>) {
        out.extend_from_slice(name);
        out.extend_from_slice(b" (");
        for (at, term) in terms.iter().enumerate() {
            if at > 0 {
                out.push(b' ');
            }
            self.term(*term, out);
        }
        out.push(b')');
    }

    /// Prints a command and a new line.
    pub fn command(self, command: &Command, out: &mut Vec<u8>) {
        if let Command::Extension(_, text) = command {
            out.extend_from_slice(text);
            out.push(b'\n');
            return;
        }
        out.push(b'(');
        match command {
            Command::SetLogic(name) => {
                out.extend_from_slice(b"set-logic ");
                self.symbol(*name, out);
            }
            Command::SetOption(key, value) | Command::SetInfo(key, value) => {
                let is_option = matches!(command, Command::SetOption(..));
                out.extend_from_slice(if is_option { b"set-option " } else { b"set-info " });
                out.extend_from_slice(self.checker.symbols.text(*key));
                if let Some(value) = value {
                    out.push(b' ');
                    out.extend_from_slice(value);
                }
            }
            Command::DeclareSort(name, arity) => {
                out.extend_from_slice(b"declare-sort ");
                self.symbol(*name, out);
                out.extend_from_slice(format!(" {arity}").as_bytes());
            }
            Command::DefineSort(name, parameters, body) => {
                out.extend_from_slice(b"define-sort ");
                self.symbol(*name, out);
                out.extend_from_slice(b" (");
                self.names(parameters, out);
                out.extend_from_slice(b") ");
                self.sort(*body, out);
            }
            Command::DeclareSortParameter(name) => {
                out.extend_from_slice(b"declare-sort-parameter ");
                self.symbol(*name, out);
            }
            Command::DeclareFun(function) => {
                let info = self.checker.function(*function);
                out.extend_from_slice(b"declare-fun ");
                self.symbol(info.name, out);
                out.push(b' ');
                self.sorts(&info.parameters, out);
                out.push(b' ');
                self.sort(info.result, out);
            }
            Command::DeclareConst(function) => {
                let info = self.checker.function(*function);
                out.extend_from_slice(b"declare-const ");
                self.symbol(info.name, out);
                out.push(b' ');
                self.sort(info.result, out);
            }
            Command::DefineConst(definition) => {
                let info = self.checker.function(definition.function);
                out.extend_from_slice(b"define-const ");
                self.symbol(info.name, out);
                out.push(b' ');
                self.sort(info.result, out);
                out.push(b' ');
                self.term(definition.body, out);
            }
            Command::DefineFun(definition) => {
                out.extend_from_slice(b"define-fun ");
                self.signature(definition, out);
                out.push(b' ');
                self.term(definition.body, out);
            }
            Command::DefineFunsRec(definitions) => self.recursive(definitions, out),
            Command::DeclareDatatypes(datatypes) => self.datatypes(datatypes, out),
            Command::DeclareHeap(pairs) => {
                out.extend_from_slice(b"declare-heap");
                for (location, data) in pairs {
                    out.extend_from_slice(b" ");
                    self.sorts(&[*location, *data], out);
                }
            }
            Command::Assert(term) => {
                out.extend_from_slice(b"assert ");
                self.term(*term, out);
            }
            Command::CheckSat => out.extend_from_slice(b"check-sat"),
            Command::CheckUnsat => out.extend_from_slice(b"check-unsat"),
            Command::CheckSatAssuming(terms) => self.terms(b"check-sat-assuming", terms, out),
            Command::Push(count) => out.extend_from_slice(format!("push {count}").as_bytes()),
            Command::Pop(count) => out.extend_from_slice(format!("pop {count}").as_bytes()),
            Command::GetValue(terms) => self.terms(b"get-value", terms, out),
            Command::GetInfo(key) | Command::GetOption(key) => {
                let is_info = matches!(command, Command::GetInfo(_));
                out.extend_from_slice(if is_info { b"get-info " } else { b"get-option " });
                out.extend_from_slice(self.checker.symbols.text(*key));
            }
            Command::Echo(text) => {
                out.extend_from_slice(b"echo \"");
                out.extend_from_slice(self.checker.symbols.text(*text));
                out.push(b'"');
            }
            Command::Plain(plain) => out.extend_from_slice(plain.name().as_bytes()),
            Command::Extension(..) => {}
        }
        out.extend_from_slice(b")\n");
    }

    fn names(self, names: &[Symbol], out: &mut Vec<u8>) {
        for (at, name) in names.iter().enumerate() {
            if at > 0 {
                out.push(b' ');
            }
            self.symbol(*name, out);
        }
    }

    fn recursive(self, definitions: &[Definition], out: &mut Vec<u8>) {
        if let [definition] = definitions {
            out.extend_from_slice(b"define-fun-rec ");
            self.signature(definition, out);
            out.push(b' ');
            return self.term(definition.body, out);
        }
        out.extend_from_slice(b"define-funs-rec (");
        for (at, definition) in definitions.iter().enumerate() {
            out.extend_from_slice(if at > 0 { b" (" } else { b"(" });
            self.signature(definition, out);
            out.push(b')');
        }
        out.extend_from_slice(b") (");
        for (at, definition) in definitions.iter().enumerate() {
            if at > 0 {
                out.push(b' ');
            }
            self.term(definition.body, out);
        }
        out.push(b')');
    }

    fn datatypes(self, datatypes: &[crate::command::Datatype], out: &mut Vec<u8>) {
        out.extend_from_slice(b"declare-datatypes (");
        for (at, datatype) in datatypes.iter().enumerate() {
            out.extend_from_slice(if at > 0 { b" (" } else { b"(" });
            self.symbol(datatype.name, out);
            out.extend_from_slice(format!(" {})", datatype.parameters.len()).as_bytes());
        }
        out.extend_from_slice(b") (");
        for (at, datatype) in datatypes.iter().enumerate() {
            if at > 0 {
                out.push(b' ');
            }
            if !datatype.parameters.is_empty() {
                out.extend_from_slice(b"(par (");
                self.names(&datatype.parameters, out);
                out.extend_from_slice(b") ");
            }
            out.push(b'(');
            for (at, constructor) in datatype.constructors.iter().enumerate() {
                let info = self.checker.function(*constructor);
                out.extend_from_slice(if at > 0 { b" (" } else { b"(" });
                self.symbol(info.name, out);
                if let FunctionKind::Constructor(selectors) = &info.kind {
                    for selector in selectors {
                        let selector = self.checker.function(*selector);
                        out.extend_from_slice(b" (");
                        self.symbol(selector.name, out);
                        out.push(b' ');
                        self.sort(selector.result, out);
                        out.push(b')');
                    }
                }
                out.push(b')');
            }
            out.extend_from_slice(if datatype.parameters.is_empty() { b")" } else { b"))" });
        }
        out.push(b')');
    }
}

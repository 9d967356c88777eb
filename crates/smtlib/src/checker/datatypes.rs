//! Reads and declares datatypes, and checks that they have values.

use super::cursor::Cursor;
use super::functions::{FunctionInfo, FunctionKind};
use super::sorts::{MOST_PARAMETERS, SortMeaning};
use super::{Checked, Checker, Stop};
use crate::command;
use crate::diagnostic::Code;
use crate::sort::{Constructor, Sort};
use crate::symbol::Symbol;
use crate::term::{Function, Shape};
use crate::theory::{Theories, Theory};
use crate::token::Token;
use rustc_hash::{FxHashMap, FxHashSet};

/// A datatype.
#[derive(Clone, Debug)]
pub(super) struct DatatypeInfo {
    /// The number of sort parameters.
    pub(super) arity: usize,
    constructors: Vec<Function>,
}

/// A parsed constructor: its name and position, and the name, position and sort of each field.
type Written = (Symbol, usize, Vec<(Symbol, usize, Sort)>);

impl Checker {
    /// Whether a sort is declared by the script and not a datatype.
    pub fn is_uninterpreted(&self, sort: Sort) -> bool {
        matches!(self.sorts.constructor(sort), Constructor::Declared(_)) && self.constructors_of(sort).is_none()
    }

    /// The constructors of a sort, if it is a datatype.
    pub fn constructors_of(&self, sort: Sort) -> Option<&[Function]> {
        let Constructor::Declared(name) = self.sorts.constructor(sort) else { return None };
        match self.sort_meaning(name) {
            SortMeaning::Datatype(at) => Some(&self.datatypes[at as usize].constructors),
            _ => None,
        }
    }

    /// Reads `(declare-datatype D …)` after the command's name.
    pub(super) fn read_datatype(&mut self, cursor: &mut Cursor<'_>) -> Checked<Box<[command::Datatype]>> {
        let name = self.expect_name(cursor, "the name of a datatype")?;
        let name = self.symbols.intern(name);
        let headers = [(name, None, cursor.place)];
        let datatypes = self.declare_datatypes(cursor, &headers)?;
        self.expect_close(cursor, "the constructors")?;
        Ok(datatypes)
    }

    /// Reads `(declare-datatypes ((D 0) …) (…))` after the command's name, and also the form from before version 2.6,
    /// `(declare-datatypes (X …) ((D (c (s Sort) …) …) …))`.
    pub(super) fn read_datatypes(&mut self, cursor: &mut Cursor<'_>) -> Checked<Box<[command::Datatype]>> {
        self.expect_open(cursor, "the names of the datatypes")?;
        let mut headers = vec![];
        let old = !matches!(self.peek(cursor)?, Token::Open);
        if old {
            return self.read_old_datatypes(cursor);
        }
        while !self.at_close(cursor)? {
            self.expect_open(cursor, "a datatype and its arity")?;
            let name = self.expect_name(cursor, "the name of a datatype")?;
            let name = self.symbols.intern(name);
            let place = cursor.place;
            let arity = self.expect_number(cursor, "the number of parameters")?;
            self.expect_close(cursor, "the arity")?;
            headers.push((name, Some(arity), place));
        }
        if headers.is_empty() {
            self.report(cursor.text, cursor.place, Code::Unexpected, "expected at least one datatype, found none");
        }
        self.expect_open(cursor, "the datatypes")?;
        let datatypes = self.declare_datatypes(cursor, &headers)?;
        self.expect_close(cursor, "the datatypes; there is one for each name")?;
        self.expect_close(cursor, "the datatypes")?;
        Ok(datatypes)
    }

    /// Declares the sorts, then reads and declares their constructors.
    fn declare_datatypes(
        &mut self,
        cursor: &mut Cursor<'_>,
        headers: &[(Symbol, Option<u64>, usize)],
    ) -> Checked<Box<[command::Datatype]>> {
        let start = cursor.place;
        self.use_theories(Theories::of(&[Theory::Datatypes]), cursor.text, start, "datatypes");
        let first = self.datatypes.len();
        for (name, arity, place) in headers {
            let at = self.datatypes.len() as u32;
            let arity = arity.map_or(0, |arity| usize::try_from(arity).unwrap_or(usize::MAX));
            self.datatypes.push(DatatypeInfo { arity, constructors: vec![] });
            self.declare_sort_name(cursor, *place, *name, SortMeaning::Datatype(at));
        }
        let mut declared = vec![];
        for (at, (name, arity, place)) in headers.iter().enumerate() {
            let at = first + at;
            if self.peek(cursor)? == Token::Close {
                self.next(cursor)?;
                let message = format!("the numbers of names and datatypes differ: {}, {}", headers.len(), at - first);
                self.report(cursor.text, cursor.place, Code::ListLength, message);
                return Err(Stop);
            }
            self.expect_open(cursor, "the constructors of a datatype")?;
            let parameters = if matches!(self.peek(cursor)?, Token::Symbol(b"par")) {
                self.next(cursor)?;
                let parameters = self.read_parameters(cursor)?;
                if parameters.is_empty() {
                    self.report(cursor.text, cursor.place, Code::Unexpected, "par needs at least one sort parameter");
                }
                Some(parameters)
            } else {
                None
            };
            let names: Box<[Symbol]> = parameters.iter().flatten().map(|parameter| parameter.0).collect();
            if arity.is_some_and(|arity| arity != names.len() as u64) {
                let message = format!(
                    "'{}' is declared with {} parameters but defined with {}",
                    self.text_of(*name),
                    arity.unwrap_or(0),
                    names.len()
                );
                self.report(cursor.text, *place, Code::SortArity, message);
            }
            self.datatypes[at].arity = names.len();
            let written = match parameters {
                Some(_) => self.enclosed_constructors(cursor),
                None => self.read_constructors(cursor),
            };
            self.end_parameters(parameters.as_deref().unwrap_or_default());
            let written = written?;
            let constructors = self.declare_constructors(cursor, *name, &names, &written);
            self.datatypes[at].constructors.clone_from(&constructors);
            declared.push(command::Datatype { name: *name, parameters: names, constructors: constructors.into() });
        }
        self.check_founded(cursor, start, &declared);
        Ok(declared.into())
    }

    /// Reads the constructors of a parametric datatype, which are a list inside `par`.
    fn enclosed_constructors(&mut self, cursor: &mut Cursor<'_>) -> Checked<Vec<Written>> {
        self.expect_open(cursor, "the constructors of a datatype")?;
        let constructors = self.read_constructors(cursor)?;
        self.expect_close(cursor, "the constructors")?;
        Ok(constructors)
    }

    fn read_constructors(&mut self, cursor: &mut Cursor<'_>) -> Checked<Vec<Written>> {
        let mut constructors = vec![];
        while !self.at_close(cursor)? {
            constructors.push(self.read_constructor(cursor)?);
        }
        if constructors.is_empty() {
            self.report(cursor.text, cursor.place, Code::Unexpected, "a datatype needs at least one constructor");
        }
        Ok(constructors)
    }

    /// `(c (s Sort) …)`; in the old form also `c` alone.
    fn read_constructor(&mut self, cursor: &mut Cursor<'_>) -> Checked<Written> {
        match self.next(cursor)? {
            Token::Open => {}
            Token::Symbol(name) if !super::cursor::is_reserved(name) && !self.rules.strict => {
                let name = self.symbols.intern(name);
                return Ok((name, cursor.place, vec![]));
            }
            other => return self.unexpected(cursor, other, "( before a constructor"),
        }
        let name = self.expect_name(cursor, "the name of a constructor")?;
        let name = self.symbols.intern(name);
        let place = cursor.place;
        let mut fields = vec![];
        while !self.at_close(cursor)? {
            self.expect_open(cursor, "a selector and its sort")?;
            let selector = self.expect_name(cursor, "the name of a selector")?;
            let selector = self.symbols.intern(selector);
            let at = cursor.place;
            let sort = self.read_sort(cursor)?;
            self.expect_close(cursor, "the sort of a selector")?;
            fields.push((selector, at, sort));
        }
        Ok((name, place, fields))
    }

    fn declare_constructors(
        &mut self,
        cursor: &Cursor<'_>,
        datatype: Symbol,
        parameters: &[Symbol],
        written: &[Written],
    ) -> Vec<Function> {
        let parameters: Vec<_> =
            parameters.iter().map(|name| self.sorts.make(Constructor::Parameter(*name), &[])).collect();
        let sort = self.sorts.make(Constructor::Declared(datatype), &parameters);
        let mut constructors = vec![];
        for (name, place, fields) in written {
            let mut selectors = vec![];
            for (at, (selector, place, field)) in fields.iter().enumerate() {
                self.check_closed(cursor, *place, *field, &parameters);
                let kind = FunctionKind::Selector(*name, at as u32);
                let info = FunctionInfo {
                    name: *selector,
                    parameters: [sort].into(),
                    result: *field,
                    kind,
                    shape: Shape::VARIABLE,
                    overloaded: None,
                };
                let function = self.add_function(info);
                self.declare_free(cursor, *place, function);
                selectors.push(function);
            }
            let info = FunctionInfo {
                name: *name,
                parameters: fields.iter().map(|field| field.2).collect(),
                result: sort,
                kind: FunctionKind::Constructor(selectors.into()),
                shape: Shape::VARIABLE,
                overloaded: None,
            };
            let function = self.add_function(info);
            self.declare_free(cursor, *place, function);
            constructors.push(function);
        }
        constructors
    }

    /// Checks that the sort of a field contains no sort parameters except those of its datatype.
    fn check_closed(&mut self, cursor: &Cursor<'_>, place: usize, field: Sort, parameters: &[Sort]) {
        let mut left = vec![field];
        let mut seen = FxHashSet::default();
        while let Some(sort) = left.pop() {
            if let Constructor::Parameter(name) = self.sorts.constructor(sort)
                && !parameters.contains(&sort)
            {
                let message = format!("'{}' is not a parameter of this datatype", self.text_of(name));
                self.report(cursor.text, place, Code::Parameter, message);
                return;
            }
            let open = self.sorts.arguments(sort).iter().filter(|sort| self.sorts.is_open(**sort));
            left.extend(open.filter(|sort| seen.insert(**sort)));
        }
    }

    /// Reads the old form, `(declare-datatypes (X …) ((D c (c (s Sort)) …) …))`, after the first parenthesis.
    fn read_old_datatypes(&mut self, cursor: &mut Cursor<'_>) -> Checked<Box<[command::Datatype]>> {
        let place = cursor.place;
        if self.rules.strict {
            let help = Some("write ((D 0)) (((c (s Sort)) …)), the form since version 2.6".to_owned());
            self.report_with(cursor.text, place, Code::Extension, "this form is older than version 2.6", help);
        }
        self.use_theories(Theories::of(&[Theory::Datatypes]), cursor.text, place, "datatypes");
        let mut names = vec![];
        while !self.at_close(cursor)? {
            let name = self.expect_name(cursor, "a sort parameter")?;
            names.push(self.symbols.intern(name));
        }
        if names.len() > MOST_PARAMETERS {
            let message = format!("more than {MOST_PARAMETERS} sort parameters are not supported");
            self.report(cursor.text, place, Code::SortSize, message);
            return Err(Stop);
        }
        // Constructors may refer to any of the datatypes, so a first pass declares all names.
        let mut ahead = Cursor::new(cursor.text);
        while ahead.place < cursor.place {
            self.next(&mut ahead)?;
        }
        self.expect_open(&mut ahead, "the datatypes")?;
        let first = self.datatypes.len();
        while !self.at_close(&mut ahead)? {
            self.expect_open(&mut ahead, "a datatype")?;
            let name = self.expect_name(&mut ahead, "the name of a datatype")?;
            let name = self.symbols.intern(name);
            let at = self.datatypes.len() as u32;
            self.datatypes.push(DatatypeInfo { arity: names.len(), constructors: vec![] });
            self.declare_sort_name(&ahead, ahead.place, name, SortMeaning::Datatype(at));
            while self.peek(&mut ahead)? != Token::Close {
                self.skip(&mut ahead, "a constructor")?;
            }
            self.next(&mut ahead)?;
        }
        let parameters: Vec<_> =
            names.iter().map(|name| (*name, self.replace_sort(*name, SortMeaning::Parameter))).collect();
        let read = self.old_bodies(cursor);
        self.end_parameters(&parameters);
        let mut declared = vec![];
        for (at, (name, written)) in read?.iter().enumerate() {
            let constructors = self.declare_constructors(cursor, *name, &names, written);
            self.datatypes[first + at].constructors.clone_from(&constructors);
            let parameters = names.clone().into();
            declared.push(command::Datatype { name: *name, parameters, constructors: constructors.into() });
        }
        self.check_founded(cursor, place, &declared);
        self.expect_close(cursor, "the datatypes")?;
        Ok(declared.into())
    }

    fn old_bodies(&mut self, cursor: &mut Cursor<'_>) -> Checked<Vec<(Symbol, Vec<Written>)>> {
        self.expect_open(cursor, "the datatypes")?;
        let mut all = vec![];
        while !self.at_close(cursor)? {
            self.expect_open(cursor, "a datatype")?;
            let name = self.expect_name(cursor, "the name of a datatype")?;
            let name = self.symbols.intern(name);
            let mut written = vec![];
            while !self.at_close(cursor)? {
                written.push(self.read_constructor(cursor)?);
            }
            all.push((name, written));
        }
        Ok(all)
    }

    /// Checks that each datatype has a value: a constructor all of whose fields have values.
    fn check_founded(&mut self, cursor: &Cursor<'_>, place: usize, declared: &[command::Datatype]) {
        let numbers: FxHashMap<_, _> = declared.iter().enumerate().map(|(at, datatype)| (datatype.name, at)).collect();
        // Each constructor waits for the datatypes in its fields; a datatype has values once one of its constructors
        // does.
        let mut waiting: Vec<(usize, usize)> = vec![];
        let mut needed_by: Vec<Vec<usize>> = vec![vec![]; declared.len()];
        let mut founded = vec![false; declared.len()];
        let mut ready = vec![];
        for (at, datatype) in declared.iter().enumerate() {
            for constructor in &datatype.constructors {
                let mentioned = self.mentioned(&self.functions[constructor.0 as usize].parameters, &numbers);
                if mentioned.is_empty() {
                    ready.push(at);
                }
                for other in &mentioned {
                    needed_by[*other].push(waiting.len());
                }
                waiting.push((at, mentioned.len()));
            }
        }
        while let Some(at) = ready.pop() {
            if std::mem::replace(&mut founded[at], true) {
                continue;
            }
            for constructor in &needed_by[at] {
                let (datatype, left) = &mut waiting[*constructor];
                *left -= 1;
                if *left == 0 {
                    ready.push(*datatype);
                }
            }
        }
        let open: Vec<_> = declared.iter().zip(&founded).filter(|pair| !pair.1).map(|pair| pair.0).collect();
        let names: Vec<_> = open.iter().take(5).map(|datatype| format!("'{}'", self.text_of(datatype.name))).collect();
        if !names.is_empty() {
            let message = format!("no value of {} can be built: each constructor needs one first", names.join(", "));
            let help = Some("add a constructor without fields of these sorts".to_owned());
            self.report_with(cursor.text, place, Code::Unfounded, message, help);
        }
    }

    /// Which of these datatypes occur in the sorts. A datatype inside an array counts too, since an array contains
    /// values of it.
    fn mentioned(&self, fields: &[Sort], numbers: &FxHashMap<Symbol, usize>) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut left: Vec<_> = fields.to_vec();
        while let Some(sort) = left.pop() {
            if !seen.insert(sort) {
                continue;
            }
            if let Constructor::Declared(name) = self.sorts.constructor(sort) {
                found.extend(numbers.get(&name));
            }
            if !matches!(self.sorts.constructor(sort), Constructor::Seq | Constructor::Set) {
                left.extend(self.sorts.arguments(sort));
            }
        }
        found
    }
}

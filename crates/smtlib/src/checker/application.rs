//! Applications of functions of the script, maps and testers. Theory functions are in `ranks`.

use super::cursor::Cursor;
use super::functions::{FunctionInfo, FunctionKind};
use super::sorts::SortMeaning;
use super::terms::Callee;
use super::{Checker, Meaning};
use crate::diagnostic::Code;
use crate::sort::{Bindings, Constructor, Sort};
use crate::symbol::Symbol;
use crate::term::{Function, Head, Shape, Term};
use crate::theory::{Signatures, Theory};
use rustc_hash::FxHashSet;

/// A part of a datatype.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Constructor,
    Selector,
}

impl Part {
    pub(super) fn is(self, kind: &FunctionKind) -> bool {
        match self {
            Self::Constructor => matches!(kind, FunctionKind::Constructor(_)),
            Self::Selector => matches!(kind, FunctionKind::Selector(..)),
        }
    }
}

impl Checker {
    /// A function as a value, for maps.
    pub(super) fn map_value(&mut self, cursor: &Cursor<'_>, name: Symbol) -> Term {
        match self.meaning(name) {
            Meaning::Function(function) => self.function_value(function, cursor.place),
            _ => self.atom(cursor, name),
        }
    }

    pub(super) fn function_value(&mut self, function: Function, place: usize) -> Term {
        let info = &self.functions[function.0 as usize];
        let sorts = [&info.parameters[..], &[info.result]].concat();
        let sort = self.arrow(&sorts);
        self.terms.make(Head::Function(function), &[], sort, Shape::VARIABLE, place as u32)
    }

    /// Applies an identifier to the values on the stack, starting at `base`.
    #[allow(clippy::too_many_arguments, reason = "a struct for three callers would not be clearer")]
    pub(crate) fn apply(
        &mut self,
        cursor: &Cursor<'_>,
        callee: Callee,
        said: Option<Sort>,
        name: Symbol,
        indices: &[u64],
        base: usize,
        place: usize,
    ) -> Term {
        match callee {
            Callee::Theory(group) => self.apply_theory(cursor, group, said, name, indices, base, place),
            Callee::Function(function) => self.apply_function(cursor, function, said, base, place),
            Callee::Map => self.apply_map(cursor, base, place),
            Callee::Tester(function) | Callee::Updater(function) => {
                let part = if matches!(callee, Callee::Tester(_)) { Part::Constructor } else { Part::Selector };
                self.apply_datatype(cursor, function, part, base, place)
            }
            Callee::Unknown => Term::UNKNOWN,
            Callee::Emp => {
                if self.work.values.len() > base {
                    self.report(cursor.text, place, Code::Arity, "emp takes no arguments");
                }
                let rows = self.symbols.find(b"emp").map_or(&[][..], |emp| Signatures::get().rows_of(emp.0));
                let row = rows.first().copied().unwrap_or_default();
                let operator = self.operator_of(row, &[]);
                // The pair of sorts is dropped, because `emp` states that the whole heap is empty.
                self.terms.make(Head::Operator(operator), &[], Sort::BOOL, Shape::VARIABLE, place as u32)
            }
        }
    }

    /// Applies the tester of a constructor, or the updater of a selector.
    pub(super) fn apply_datatype(
        &mut self,
        cursor: &Cursor<'_>,
        function: Function,
        part: Part,
        base: usize,
        place: usize,
    ) -> Term {
        let function = match self.work.values.get(base) {
            Some(subject) => self.choose_for(function, self.terms.sort(*subject), part),
            None => function,
        };
        let info = self.function(function).clone();
        let given = self.work.values.len() - base;
        let (what, wanted, datatype) = match part {
            Part::Constructor => ("tester", 1, info.result),
            Part::Selector => ("updater", 2, info.parameters[0]),
        };
        if given != wanted {
            let message = format!("a {what} takes {wanted} arguments, not {given}");
            self.report(cursor.text, place, Code::Arity, message);
            return Term::UNKNOWN;
        }
        let subject = self.work.values[base];
        let sort = self.terms.sort(subject);
        let mut bound = Bindings::default();
        if !self.sorts.unify(datatype, sort, &mut bound) {
            let message = format!("expected a value of {}, found one of {}", self.shown(datatype), self.shown(sort));
            self.report(cursor.text, self.work.places[base] as usize, Code::Argument, message);
        }
        let (head, sort) = match part {
            Part::Constructor => (Head::Tester(function), Sort::BOOL),
            Part::Selector => {
                let field = self.sorts.substitute(info.result, &bound);
                self.check_argument(cursor, base + 1, field, 1, "the updater");
                (Head::Updater(function), sort)
            }
        };
        self.terms.make(head, &self.work.values[base..], sort, Shape::VARIABLE, place as u32)
    }

    pub(super) fn apply_map(&mut self, cursor: &Cursor<'_>, base: usize, place: usize) -> Term {
        let map = self.work.values[base];
        let sort = self.terms.sort(map);
        if sort == Sort::UNKNOWN {
            return Term::UNKNOWN;
        }
        if self.sorts.constructor(sort) != Constructor::Arrow {
            let message = format!("this is not a function: it has sort {}", self.shown(sort));
            self.report(cursor.text, self.work.places[base] as usize, Code::NotFunction, message);
            return Term::UNKNOWN;
        }
        self.use_maps(cursor, place, "the application of a map");
        let given = self.work.values.len() - base - 1;
        let mut result = sort;
        for at in 0..given {
            if self.sorts.constructor(result) != Constructor::Arrow {
                let message = format!("this map takes {at} arguments, not {given}");
                self.report(cursor.text, place, Code::Arity, message);
                return Term::UNKNOWN;
            }
            let (wanted, rest) = (self.sorts.arguments(result)[0], self.sorts.arguments(result)[1]);
            self.check_argument(cursor, base + 1 + at, wanted, at, "the map");
            result = rest;
        }
        self.terms.make(Head::Apply, &self.work.values[base..], result, Shape::VARIABLE, place as u32)
    }

    /// Checks the sort of the value at this position of the stack, which is argument `at` of `whose`.
    pub(super) fn check_argument(
        &mut self,
        cursor: &Cursor<'_>,
        value: usize,
        wanted: Sort,
        at: usize,
        whose: &str,
    ) -> bool {
        let sort = self.terms.sort(self.work.values[value]);
        if sort == wanted || sort == Sort::UNKNOWN || wanted == Sort::UNKNOWN {
            return true;
        }
        if sort == Sort::INT && wanted == Sort::REAL && self.may_coerce() {
            return true;
        }
        let message = format!(
            "argument {} of {whose} has sort {}, but {} is needed",
            at + 1,
            self.shown(sort),
            self.shown(wanted)
        );
        self.report(cursor.text, self.work.places[value] as usize, Code::Argument, message);
        false
    }

    pub(super) fn apply_function(
        &mut self,
        cursor: &Cursor<'_>,
        function: Function,
        said: Option<Sort>,
        base: usize,
        place: usize,
    ) -> Term {
        let function = match self.functions[function.0 as usize].overloaded {
            None => function,
            Some(_) => match self.choose(cursor, function, said, base, place) {
                Some(function) => function,
                None => return Term::UNKNOWN,
            },
        };
        let info = &self.functions[function.0 as usize];
        if info.kind == FunctionKind::Unknown {
            return Term::UNKNOWN;
        }
        let given = self.work.values.len() - base;
        let wanted = info.parameters.len();
        let open = self.sorts.is_open(info.result) || info.parameters.iter().any(|sort| self.sorts.is_open(*sort));
        let (name, shape) = (info.name, info.shape);
        if !open && given == wanted {
            let result = info.result;
            for at in 0..given {
                let argument = self.work.values[base + at];
                let needed = self.functions[function.0 as usize].parameters[at];
                if self.terms.sort(argument) != needed {
                    let whose = format!("'{}'", self.text_of(name));
                    self.check_argument(cursor, base + at, needed, at, &whose);
                }
                self.use_shape(cursor, base + at);
            }
            if let Some(said) = said
                && said != result
                && said != Sort::UNKNOWN
                && result != Sort::UNKNOWN
            {
                let message =
                    format!("'{}' has sort {}, not {}", self.text_of(name), self.shown(result), self.shown(said));
                self.report(cursor.text, place, Code::Qualifier, message);
            }
            let head = if said.is_some() { Head::QualifiedFunction(function) } else { Head::Function(function) };
            let shape = if given == 0 { shape } else { Shape::VARIABLE };
            return self.terms.make(head, &self.work.values[base..], result, shape, place as u32);
        }
        if given != wanted {
            let info = &self.functions[function.0 as usize];
            let maps = self.available.has(Theory::Maps) && (self.logic.is_some() || given > 0);
            let is_map = self.sorts.constructor(info.result) == Constructor::Arrow;
            if !open && maps && (given < wanted || is_map) {
                self.use_maps(cursor, place, "a function as a value");
                let value = self.function_value(function, place);
                if given == 0 {
                    return value;
                }
                self.work.values.insert(base, value);
                self.work.places.insert(base, place as u32);
                return self.apply_map(cursor, base, place);
            }
            let message = match (given, wanted) {
                (_, 0) => format!("'{}' is a constant and takes no arguments", self.text_of(name)),
                (0, _) => format!("the function '{}' needs {wanted} arguments", self.text_of(name)),
                _ => format!("'{}' takes {wanted} arguments, not {given}", self.text_of(name)),
            };
            self.report(cursor.text, place, Code::Arity, message);
            return Term::UNKNOWN;
        }
        self.apply_open(cursor, function, said, base, place)
    }

    /// Chooses among functions with the same name the one that fits these arguments; the last one if none fits.
    pub(super) fn choose(
        &mut self,
        cursor: &Cursor<'_>,
        last: Function,
        said: Option<Sort>,
        base: usize,
        place: usize,
    ) -> Option<Function> {
        let given = &self.work.values[base..];
        let fits =
            |function: &Function| {
                let info = self.function(*function);
                let mut bound = Bindings::default();
                info.parameters.len() == given.len()
                    && said.is_none_or(|said| self.sorts.unify(info.result, said, &mut bound))
                    && info.parameters.iter().zip(given).all(|(parameter, argument)| {
                        self.sorts.unify(*parameter, self.terms.sort(*argument), &mut bound)
                    })
            };
        let fitting: Vec<_> = self.overloads(last).filter(fits).take(2).collect();
        match fitting[..] {
            [] => Some(last),
            [only] => Some(only),
            _ => {
                let name = self.text_of(self.function(last).name);
                let message = format!("several functions called '{name}' fit here");
                let help = Some(format!("state it: (as {name} …), where … is the sort of the result"));
                self.report_with(cursor.text, place, Code::Ambiguous, message, help);
                None
            }
        }
    }

    /// Chooses among constructors or selectors with the same name the one that belongs to this datatype.
    pub(super) fn choose_for(&self, last: Function, datatype: Sort, part: Part) -> Function {
        let belongs = |function: &Function| {
            let info = self.function(*function);
            if !part.is(&info.kind) {
                return false;
            }
            let own = match part {
                Part::Constructor => info.result,
                Part::Selector => info.parameters[0],
            };
            self.sorts.constructor(own) == self.sorts.constructor(datatype)
        };
        self.overloads(last).find(belongs).unwrap_or(last)
    }

    /// Applies a function whose sorts have parameters, which are determined by the arguments or by `as`.
    pub(super) fn apply_open(
        &mut self,
        cursor: &Cursor<'_>,
        function: Function,
        said: Option<Sort>,
        base: usize,
        place: usize,
    ) -> Term {
        let FunctionInfo { name, parameters, result, .. } = self.function(function).clone();
        let mut bound = Bindings::default();
        if let Some(said) = said
            && !self.sorts.unify(result, said, &mut bound)
        {
            let message = format!("'{}' has sort {}, not {}", self.text_of(name), self.shown(result), self.shown(said));
            self.report(cursor.text, place, Code::Qualifier, message);
            return Term::UNKNOWN;
        }
        for (at, parameter) in parameters.iter().enumerate() {
            let argument = self.work.values[base + at];
            let sort = self.terms.sort(argument);
            if !self.sorts.unify(*parameter, sort, &mut bound) {
                let needed = self.sorts.substitute(*parameter, &bound);
                let whose = format!("'{}'", self.text_of(name));
                if !self.check_argument(cursor, base + at, needed, at, &whose) {
                    return Term::UNKNOWN;
                }
            }
        }
        let result_sort = self.sorts.substitute(result, &bound);
        let is_constructor = matches!(self.function(function).kind, FunctionKind::Constructor(_));
        if self.sorts.is_open(result_sort) && is_constructor && !self.parameters_are_rigid(result_sort) {
            let message =
                format!("the sort of '{}' cannot be inferred: {}", self.text_of(name), self.shown(result_sort));
            let help = Some(format!("state it: (as {} …), where … is the sort of the result", self.text_of(name)));
            self.report_with(cursor.text, place, Code::Ambiguous, message, help);
            // The term gets the unknown sort, so that the error is reported only once.
            let values = &self.work.values[base..];
            return self.terms.make(Head::Function(function), values, Sort::UNKNOWN, Shape::VARIABLE, place as u32);
        }
        let head = if said.is_some() { Head::QualifiedFunction(function) } else { Head::Function(function) };
        self.terms.make(head, &self.work.values[base..], result_sort, Shape::VARIABLE, place as u32)
    }

    /// Whether all parameters in a sort are in scope, so that they are fixed sorts and need not be inferred.
    pub(super) fn parameters_are_rigid(&self, sort: Sort) -> bool {
        let mut left = vec![sort];
        let mut seen = FxHashSet::default();
        while let Some(sort) = left.pop() {
            match self.sorts.constructor(sort) {
                Constructor::Parameter(name) if self.sort_meaning(name) != SortMeaning::Parameter => {
                    return false;
                }
                _ => {
                    let open = self.sorts.arguments(sort).iter().filter(|sort| self.sorts.is_open(**sort));
                    left.extend(open.filter(|sort| seen.insert(**sort)));
                }
            }
        }
        true
    }
}

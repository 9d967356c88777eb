//! Ends a segment: permutes its commands, assigns names, and prints it.
//!
//! A segment is a part of the script up to and including a `check-sat`. Commands are permuted only within it, so that
//! every query sees the same assertions as before.

use crate::keywords as w;
use crate::options::Options;
use crate::reader::ScriptReader;
use crate::tree::{Node, NodeKind, Renaming};
use std::io::Write;

/// A command of the current segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    pub(crate) node: Node,
    /// Whether the command uses a label. It is then not moved, and no command is moved past it, since the label must be
    /// declared before its use.
    pub(crate) is_pinned: bool,
}

/// The kind of a command, which determines how it is permuted and printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Permuted within a run of consecutive declarations.
    DeclareFun,
    /// Permuted within a run of consecutive assertions. `ordinal` is its position among all assertions, from 1.
    Assert { ordinal: u64 },
    /// Followed by the commands that the track adds, such as `get-model`.
    CheckSat,
    /// `(push 1)` or `(pop 1)`, printed this many times.
    Repeated { times: u64 },
    /// Followed by the options of the header, which the reset cleared.
    Reset,
    /// Neither permuted nor changed.
    Plain,
}

impl ItemKind {
    fn is_assert(self) -> bool {
        matches!(self, Self::Assert { .. })
    }
}

impl ScriptReader<'_> {
    /// Scrambles and prints the commands read since the last call. Declarations and assertions are each shuffled within
    /// runs of consecutive commands of that kind; pinned commands end a run.
    pub(crate) fn end_segment(&mut self) {
        self.keep_core();
        if let Some(random) = &mut self.random {
            for is_run in [|kind| kind == ItemKind::DeclareFun, ItemKind::is_assert] {
                for run in
                    self.items.chunk_by_mut(|a, b| is_run(a.kind) && is_run(b.kind) && !a.is_pinned && !b.is_pinned)
                {
                    random.shuffle(run);
                }
            }
            self.names.permute(random);
        }
        if !self.options.count_asserts {
            for at in 0..self.items.len() {
                self.print_item(self.items[at]);
            }
        }
        self.items.clear();
        self.tree.clear();
    }

    /// Drops the assertions whose names are not in the requested core. If other commands use a label in such an
    /// assertion, the assertion is replaced with a tautology that contains the label.
    fn keep_core(&mut self) {
        let Some(core) = &self.options.core else { return };
        let is_official = self.options.official;
        let mut kept = Vec::with_capacity(self.items.len());
        for mut item in std::mem::take(&mut self.items) {
            let label = match item.kind {
                ItemKind::Assert { .. } if is_official => crate::core::label(&self.tree, item.node),
                ItemKind::Assert { .. } => crate::core::whole_label(&self.tree, item.node),
                _ => None,
            };
            let name = label.map(|label| crate::core::written(&self.tokens, label));
            let name = if is_official { name } else { label.and_then(|label| self.tokens.name_of(label)) };
            if name.is_none_or(|name| core.contains(&name)) {
                kept.push(item);
            } else if !is_official && crate::core::labels(&self.tree, item.node).any(|label| self.labels.has(label)) {
                // (or true term) is true, and still declares the labels in the term.
                let term = self.tree.items(item.node)[1];
                let nothing = self.tree.list(&[Node::word(w::OR), Node::word(w::TRUE), term]);
                item.node = self.tree.list(&[Node::word(w::ASSERT), nothing]);
                kept.push(item);
            }
        }
        self.items = kept;
    }

    /// Prints the options that the track requires before the first command.
    pub(crate) fn print_header(&mut self) {
        self.out.extend_from_slice(header(self.options).as_bytes());
    }

    fn print_item(&mut self, item: Item) {
        match item.kind {
            ItemKind::Assert { ordinal } if self.options.unsat_core => {
                let name = self.name_assertion(item.node, ordinal);
                self.out.extend_from_slice(b"(assert (! ");
                self.print(self.tree.items(item.node)[1]);
                let _ = writeln!(self.out, " :named {name}))");
            }
            ItemKind::Repeated { times } => {
                for _ in 0..times {
                    self.print_line(item.node);
                }
            }
            _ => self.print_line(item.node),
        }
        match item.kind {
            ItemKind::CheckSat => self.out.extend_from_slice(questions(self.options).as_bytes()),
            // A reset clears the options set in the header.
            ItemKind::Reset => self.print_header(),
            _ => {}
        }
    }

    /// Assigns a name to an assertion, and records its original name. Names that occur in the script are skipped.
    fn name_assertion(&mut self, assertion: Node, ordinal: u64) -> String {
        let name = loop {
            self.last_assertion += 1;
            if !self.taken_numbers.contains(&self.last_assertion) {
                break format!("smtcomp{}", self.last_assertion);
            }
        };
        let original = match crate::core::whole_label(&self.tree, assertion) {
            Some(label) => crate::core::written(&self.tokens, label),
            None => format!("|assertion {ordinal}|").into_bytes(),
        };
        self.assertions.push((name.clone(), original));
        name
    }

    fn print_line(&mut self, node: Node) {
        self.print(node);
        self.out.push(b'\n');
    }

    /// Prints a node. Does not recurse, since terms can be deep.
    fn print(&mut self, root: Node) {
        // For each open list, the positions of its next item and of its end.
        let mut open: Vec<(usize, usize)> = vec![];
        let mut node = root;
        loop {
            match node.kind() {
                NodeKind::List { start, len } => {
                    self.out.push(b'(');
                    open.push((start as usize, (start + len) as usize));
                }
                NodeKind::Bare { start, .. } => {
                    node = self.tree.at(start as usize + 1);
                    continue;
                }
                NodeKind::Text { start, len } => {
                    let place = start as usize..start as usize + len as usize;
                    self.out.extend_from_slice(self.tokens.script_at(place));
                }
                NodeKind::Word(word) => self.out.extend_from_slice(word.text().as_bytes()),
                NodeKind::Name { symbol, quoted, renaming } => self.print_name(symbol, quoted, renaming),
            }
            loop {
                match open.last_mut() {
                    None => return,
                    Some((next, end)) if *next < *end => {
                        // No atom ends with `(`, so a final `(` opens the current list, and no space follows it.
                        if self.out.last() != Some(&b'(') {
                            self.out.push(b' ');
                        }
                        node = self.tree.at(*next);
                        *next += 1;
                        break;
                    }
                    Some(_) => {
                        open.pop();
                        self.out.push(b')');
                    }
                }
            }
        }
    }

    fn print_name(&mut self, symbol: u32, quoted: bool, renaming: Renaming) {
        if self.random.is_some() && renaming == Renaming::Renamed {
            if let Some(number) = self.names.number(symbol) {
                self.out.push(b'x');
                push_number(&mut self.out, number);
                return;
            }
            if self.options.official {
                self.names.keep(symbol);
            }
        }
        let text = self.tokens.spelling(symbol);
        if quoted {
            self.out.push(b'|');
        }
        self.out.extend_from_slice(text);
        if quoted {
            self.out.push(b'|');
        }
    }
}

/// The options that are set before the first command.
fn header(options: &Options) -> String {
    let silence = !options.incremental && !options.count_asserts;
    [
        (silence, "(set-option :print-success false)\n"),
        (options.unsat_core, "(set-option :produce-unsat-cores true)\n"),
        (options.model, "(set-option :produce-models true)\n"),
        (options.proof, "(set-option :produce-proofs true)\n"),
    ]
    .into_iter()
    .filter_map(|(is_set, line)| is_set.then_some(line))
    .collect()
}

/// The commands that are added after each `check-sat`.
fn questions(options: &Options) -> String {
    [(options.unsat_core, "(get-unsat-core)\n"), (options.model, "(get-model)\n"), (options.proof, "(get-proof)\n")]
        .into_iter()
        .filter_map(|(is_asked, line)| is_asked.then_some(line))
        .collect()
}

fn push_number(out: &mut Vec<u8>, mut number: u32) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

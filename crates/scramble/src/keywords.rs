//! The words that the scrambler treats specially, each with a fixed index in the symbol table.

use agon_smtlib::{Symbol, Symbols};

macro_rules! words {
    ($($name:ident $text:literal,)*) => {
        #[repr(u32)]
        #[derive(Clone, Copy)]
        #[expect(clippy::upper_case_acronyms, non_camel_case_types, reason = "they are words, not types")]
        enum Number { $($name,)* Count }

        $(pub(crate) const $name: Word = Word(Number::$name as u32);)*

        const TEXTS: [&str; Number::Count as usize] = [$($text,)*];
    };
}

/// One of the words listed below, by index. The order of the list matters: ranges of it are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Word(u32);

words! {
    // Reserved by the standard.
    BANG "!", UNDERSCORE "_", AS "as", EXISTS "exists", FORALL "forall", LET "let", MATCH "match",
    // Reserved by the official scrambler: the commands that it knows.
    ASSERT "assert", CHECK_SAT "check-sat", DECLARE_CONST "declare-const", DECLARE_DATATYPE "declare-datatype",
    DECLARE_DATATYPES "declare-datatypes", DECLARE_FUN "declare-fun", DECLARE_SORT "declare-sort",
    DEFINE_FUN "define-fun", DEFINE_SORT "define-sort", ECHO "echo", EXIT "exit", POP "pop", PUSH "push",
    RESET "reset", SET_INFO "set-info", SET_LOGIC "set-logic", SET_OPTION "set-option",
    GET_UNSAT_CORE "get-unsat-core",
    // The other commands of the standard.
    CHECK_SAT_ASSUMING "check-sat-assuming", DECLARE_SORT_PARAMETER "declare-sort-parameter",
    DEFINE_CONST "define-const", DEFINE_FUN_REC "define-fun-rec", DEFINE_FUNS_REC "define-funs-rec",
    GET_ASSERTIONS "get-assertions", GET_ASSIGNMENT "get-assignment", GET_INFO "get-info", GET_MODEL "get-model",
    GET_OPTION "get-option", GET_PROOF "get-proof", GET_UNSAT_ASSUMPTIONS "get-unsat-assumptions",
    GET_VALUE "get-value", RESET_ASSERTIONS "reset-assertions",
    // Other words of the language.
    LAMBDA "lambda", PAR "par", ZERO "0", ONE "1", TRUE "true", IS "is", CHOICE "choice",
    // Words of version 1.2.
    FLET "flet", IFF "iff", BRACES "{}",
    // Attributes. The official scrambler reserves them.
    NAMED ":named", PATTERN ":pattern", QID ":qid", NO_PATTERN ":no-pattern", SKOLEMID ":skolemid",
    LBLPOS ":lblpos", LBLNEG ":lblneg", WEIGHT ":weight",
    STATUS ":status", SMT_LIB_VERSION ":smt-lib-version",
    // Operators whose arguments may be permuted.
    AND "and", OR "or", XOR "xor", DISTINCT "distinct", EQUALS "=", TIMES "*", PLUS "+",
    BVAND "bvand", BVOR "bvor", BVXOR "bvxor", BVNAND "bvnand", BVNOR "bvnor", BVCOMP "bvcomp", BVADD "bvadd",
    BVMUL "bvmul", FP_EQ "fp.eq", FP_ADD "fp.add", FP_MUL "fp.mul",
    // Operators that have a mirrored operator, such as < and >.
    LESS "<", GREATER ">", AT_MOST "<=", AT_LEAST ">=",
    BVSLT "bvslt", BVSGT "bvsgt", BVSLE "bvsle", BVSGE "bvsge", BVULT "bvult", BVUGT "bvugt", BVULE "bvule",
    BVUGE "bvuge", FP_LT "fp.lt", FP_GT "fp.gt", FP_LEQ "fp.leq", FP_GEQ "fp.geq",
}

impl Word {
    /// A symbol table that starts with these words, in order.
    pub(crate) fn table() -> Symbols {
        let mut symbols = Symbols::default();
        for text in TEXTS {
            symbols.intern(text.as_bytes());
        }
        symbols
    }

    /// The word with the index of this symbol in [`Self::table`]; `None` if the symbol is not one of the words.
    pub(crate) fn of(symbol: Symbol) -> Option<Self> {
        (symbol.index() < TEXTS.len()).then_some(Self(symbol.index() as u32))
    }

    pub(crate) fn text(self) -> &'static str {
        TEXTS[self.0 as usize]
    }

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The word with this index, see [`Self::number`].
    pub(crate) fn numbered(number: u32) -> Self {
        Self(number)
    }

    /// Whether the standard reserves the word, so that it can be a name only if it is quoted.
    pub(crate) fn is_reserved(self) -> bool {
        self <= MATCH
    }

    /// Whether the official scrambler reserves the word: it reserves the names of commands too.
    pub(crate) fn is_reserved_officially(self) -> bool {
        self <= GET_UNSAT_CORE
    }
}

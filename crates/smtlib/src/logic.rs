//! Logics: the features that a logic allows, the features that a script uses, and the smallest logic that allows them.

use crate::theory::{Theories, Theory};

/// The kinds of arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arithmetic {
    /// Differences of two variables, compared with constants.
    #[default]
    Difference,
    /// Products and quotients with constants only.
    Linear,
    /// Everything.
    Nonlinear,
}

/// The features that a logic allows, or that a script uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// The theories.
    pub theories: Theories,
    /// Quantifiers.
    pub quantifiers: bool,
    /// Functions with arguments that the script declares.
    pub functions: bool,
    /// Sorts that the script declares.
    pub sorts: bool,
    /// The kind of arithmetic, if there is any.
    pub arithmetic: Arithmetic,
}

impl Features {
    /// Whether this includes all features of `others`.
    pub fn contains(self, others: Self) -> bool {
        self.theories.contains(others.theories)
            && self.quantifiers >= others.quantifiers
            && self.functions >= others.functions
            && self.sorts >= others.sorts
            && self.arithmetic >= others.arithmetic
    }

    /// The theories whose functions can be used, including those that other theories need: floats include bit-vectors,
    /// and strings include integers.
    pub fn available(self) -> Theories {
        let mut all = self.theories;
        for (theory, brings) in [
            (Theory::Floats, &[Theory::BitVectors][..]),
            (Theory::Strings, &[Theory::Ints, Theory::Sequences]),
            (Theory::Sequences, &[Theory::Ints]),
            (Theory::Sets, &[Theory::Ints]),
        ] {
            if self.theories.has(theory) {
                all = all.with(Theories::of(brings));
            }
        }
        all
    }

    /// Orders logics by how much they allow.
    fn size(self) -> (u32, bool, bool, Arithmetic, bool) {
        (self.theories.len(), self.quantifiers, self.functions, self.arithmetic, self.sorts)
    }
}

/// The logics named by the SMT-LIB site or a competition.
#[rustfmt::skip]
pub const LOGICS: &[&str] = &[
    "QF_UF", "UF", "QF_AX", "QF_IDL", "QF_RDL", "QF_UFIDL", "UFIDL", "QF_LIA", "LIA", "QF_LRA", "LRA", "QF_NIA", "NIA",
    "QF_NRA", "NRA", "QF_LIRA", "LIRA", "QF_NIRA", "NIRA", "QF_UFLIA", "UFLIA", "QF_UFLRA", "UFLRA", "QF_UFLIRA",
    "UFLIRA", "QF_UFNIA", "UFNIA", "QF_UFNRA", "UFNRA", "QF_UFNIRA", "UFNIRA", "QF_ALIA", "ALIA", "QF_ANIA", "ANIA",
    "QF_ALRA", "ALRA", "QF_ANRA", "ANRA", "QF_ALIRA", "ALIRA", "QF_ANIRA", "ANIRA", "QF_AUFLIA", "AUFLIA", "QF_AUFLRA",
    "AUFLRA", "QF_AUFLIRA", "AUFLIRA", "QF_AUFNIA", "AUFNIA", "QF_AUFNRA", "AUFNRA", "QF_AUFNIRA", "AUFNIRA", "QF_BV",
    "BV", "QF_ABV", "ABV", "QF_UFBV", "UFBV", "QF_AUFBV", "AUFBV", "QF_BVLIA", "BVLIA", "QF_BVLRA", "QF_UFBVLIA",
    "UFBVLIA", "QF_ABVLIA", "QF_AUFBVLIA", "AUFBVLIA", "QF_AUFBVNIA", "AUFBVNIA", "QF_FP", "FP", "QF_BVFP", "BVFP",
    "QF_ABVFP", "ABVFP", "QF_AFP", "QF_UFFP", "UFFP", "QF_UFBVFP", "QF_AUFBVFP", "AUFBVFP", "QF_FPLRA", "FPLRA",
    "QF_BVFPLRA", "BVFPLRA", "QF_ABVFPLRA", "ABVFPLRA", "QF_UFFPDTNIRA", "UFFPDTNIRA", "QF_AUFBVFPDTNIRA",
    "AUFBVFPDTNIRA", "QF_S", "S", "QF_SLIA", "SLIA", "QF_SNIA", "SNIA", "QF_UFSLIA", "UFSLIA", "QF_UFDTSLIA",
    "UFDTSLIA", "QF_DT", "DT", "QF_UFDT", "UFDT", "QF_ADT", "QF_UFDTLIA", "UFDTLIA", "QF_UFDTLIRA", "UFDTLIRA",
    "QF_UFDTNIA", "UFDTNIA", "QF_UFDTNIRA", "UFDTNIRA", "QF_ADTLIA", "ADTLIA", "QF_ADTLIRA", "ADTLIRA", "QF_AUFDTLIA",
    "AUFDTLIA", "QF_AUFDTLIRA", "AUFDTLIRA", "QF_AUFDTNIRA", "AUFDTNIRA", "QF_AUFBVDTLIA", "AUFBVDTLIA",
    "QF_AUFBVDTNIA", "AUFBVDTNIA", "QF_AUFBVDTNIRA", "AUFBVDTNIRA", "QF_ALL", "ALL",
];

/// The logics of separation logic competitions.
pub const SEPARATION_LOGICS: &[&str] = &[
    "QF_SHLS",
    "QF_SHLID",
    "QF_SHID",
    "QF_SHIDLIA",
    "SHID",
    "SHIDLIA",
    "QF_BSL",
    "QF_BSLLIA",
    "BSL",
    "BSLLIA",
    "SHLS",
    "SHLID",
];

/// The parts of a logic's name.
const PARTS: &[(&str, &[Theory], Arithmetic)] = &[
    // A name must come before its prefixes, since the first match is used.
    ("IDL", &[Theory::Ints], Arithmetic::Difference),
    ("RDL", &[Theory::Reals], Arithmetic::Difference),
    ("LIRA", &[Theory::Ints, Theory::Reals], Arithmetic::Linear),
    ("NIRA", &[Theory::Ints, Theory::Reals], Arithmetic::Nonlinear),
    ("LIA", &[Theory::Ints], Arithmetic::Linear),
    ("NIA", &[Theory::Ints], Arithmetic::Nonlinear),
    ("LRA", &[Theory::Reals], Arithmetic::Linear),
    ("NRA", &[Theory::Reals], Arithmetic::Nonlinear),
    ("AX", &[Theory::Arrays], Arithmetic::Difference),
    ("A", &[Theory::Arrays], Arithmetic::Difference),
    ("UF", &[], Arithmetic::Difference),
    ("BV", &[Theory::BitVectors], Arithmetic::Difference),
    ("FP", &[Theory::Floats], Arithmetic::Difference),
    ("DT", &[Theory::Datatypes], Arithmetic::Difference),
    ("SEQ", &[Theory::Sequences], Arithmetic::Difference),
    ("FS", &[Theory::Sets], Arithmetic::Difference),
    ("S", &[Theory::Strings], Arithmetic::Difference),
    ("T", &[Theory::Transcendentals], Arithmetic::Nonlinear),
];

/// All features of the standard logics.
pub const EVERYTHING: Features = Features {
    theories: Theories::of(&[
        Theory::Core,
        Theory::Ints,
        Theory::Reals,
        Theory::Transcendentals,
        Theory::Arrays,
        Theory::BitVectors,
        Theory::Floats,
        Theory::Strings,
        Theory::Sequences,
        Theory::Sets,
        Theory::Datatypes,
    ]),
    quantifiers: true,
    functions: true,
    sorts: true,
    arithmetic: Arithmetic::Nonlinear,
};

/// The features that the logic with this name allows; `None` if there is no such logic.
pub fn features(name: &str) -> Option<Features> {
    if let Some(sl) = separation(name) {
        return Some(sl);
    }
    let maps = name.strip_prefix("HO_");
    let name = maps.unwrap_or(name);
    let free = name.strip_prefix("QF_");
    let name = free.unwrap_or(name);
    let mut features =
        Features { theories: Theories::of(&[Theory::Core]), quantifiers: free.is_none(), ..Features::default() };
    if maps.is_some() {
        features.theories = features.theories.with(Theories::of(&[Theory::Maps]));
    }
    if matches!(name, "ALL" | "ALL_SUPPORTED" | "HORN" | "FD") {
        return Some(Features {
            theories: EVERYTHING.theories.with(features.theories),
            quantifiers: features.quantifiers,
            ..EVERYTHING
        });
    }
    let mut rest = name;
    if rest.is_empty() {
        return None;
    }
    let mut seen = vec![];
    while !rest.is_empty() {
        let (part, theories, arithmetic) = PARTS.iter().find(|part| rest.starts_with(part.0))?;
        if seen.contains(part) {
            return None;
        }
        seen.push(part);
        features.theories = features.theories.with(Theories::of(theories));
        features.arithmetic = features.arithmetic.max(*arithmetic);
        rest = &rest[part.len()..];
    }
    let has = |part: &str| seen.contains(&part);
    // The standard lets QF_AX and the logics with free functions declare sorts, and the array logics too.
    features.functions = has("UF");
    features.sorts = has("UF") || has("AX") || has("A") || has("DT");
    Some(features)
}

fn separation(name: &str) -> Option<Features> {
    let (inner, quantifiers) = match name.strip_prefix("QF_SEP_") {
        Some(inner) => (Some(inner), false),
        None => (name.strip_prefix("SEP_"), true),
    };
    if let Some(inner) = inner {
        // At most one such part is allowed, so that an extremely long name cannot cause deep recursion.
        let mut inside = if inner.contains("SEP_") { None } else { features(inner) }?;
        inside.theories = inside.theories.with(Theories::of(&[Theory::Separation]));
        inside.sorts = true;
        inside.quantifiers &= quantifiers;
        return Some(inside);
    }
    if !SEPARATION_LOGICS.contains(&name) {
        return None;
    }
    let mut theories = Theories::of(&[Theory::Core, Theory::Separation, Theory::Datatypes]);
    if name.ends_with("LIA") {
        theories = theories.with(Theories::of(&[Theory::Ints]));
    }
    Some(Features {
        theories,
        quantifiers: !name.starts_with("QF_"),
        functions: false,
        sorts: true,
        arithmetic: Arithmetic::Linear,
    })
}

/// The smallest standard logic that allows these features.
pub fn smallest(used: Features) -> Option<&'static str> {
    if used.theories.has(Theory::Separation) {
        return None;
    }
    let with_core = Features { theories: used.theories.with(Theories::of(&[Theory::Core])), ..used };
    let fitting = LOGICS.iter().filter_map(|name| Some((name, features(name)?)));
    fitting
        .filter(|(_, allowed)| allowed.contains(with_core))
        // For propositional problems this is QF_UF, as in the standard, although QF_BV is the usual choice.
        .min_by_key(|(name, allowed)| (allowed.size(), name.len()))
        .map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_logic_has_features() {
        for name in LOGICS.iter().chain(SEPARATION_LOGICS) {
            assert!(features(name).is_some(), "{name}");
        }
        for name in ["QF_", "", "Q", "AB_CD", "QF_UFUF", "qf_uf", "_", "QF_LIALIA", "SEP_SEP_LIA", "QF_SEP_SEP_LIA"] {
            assert!(features(name).is_none(), "{name}");
        }
    }

    #[test]
    fn logic_names_determine_the_allowed_features() {
        let logic = features("QF_UFLIA").unwrap();
        assert!(!logic.quantifiers && logic.functions && logic.arithmetic == Arithmetic::Linear);
        assert!(logic.theories.has(Theory::Ints) && !logic.theories.has(Theory::Reals));
        let logic = features("AUFBVDTNIRA").unwrap();
        assert!(
            logic.quantifiers && logic.theories.has(Theory::Datatypes) && logic.arithmetic == Arithmetic::Nonlinear
        );
        assert!(features("HO_ALL").unwrap().theories.has(Theory::Maps));
        assert!(!features("QF_ALL").unwrap().quantifiers);
    }

    #[test]
    fn the_smallest_logic_allows_all_used_features() {
        let used = |theories: &[Theory]| Features { theories: Theories::of(theories), ..Features::default() };
        assert_eq!(smallest(used(&[])), Some("QF_UF"));
        assert_eq!(smallest(used(&[Theory::Ints])), Some("QF_IDL"));
        let linear = Features { arithmetic: Arithmetic::Linear, ..used(&[Theory::Ints]) };
        assert_eq!(smallest(linear), Some("QF_LIA"));
        assert_eq!(smallest(Features { functions: true, ..linear }), Some("QF_UFLIA"));
        assert_eq!(smallest(Features { quantifiers: true, ..used(&[Theory::BitVectors]) }), Some("BV"));
        assert_eq!(smallest(used(&[Theory::Floats])), Some("QF_FP"));
        assert_eq!(smallest(used(&[Theory::Floats, Theory::BitVectors])), Some("QF_BVFP"));
        assert_eq!(smallest(used(&[Theory::Strings])), Some("QF_S"));
        assert_eq!(smallest(used(&[Theory::Transcendentals])), Some("QF_ALL"));
        assert_eq!(smallest(used(&[Theory::Maps])), None);
        for name in LOGICS {
            let least = smallest(features(name).unwrap()).unwrap();
            assert!(features(least).unwrap().contains(features(name).unwrap()), "{name} {least}");
        }
    }
}

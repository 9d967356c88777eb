//! Families of generated benchmarks, the list of all families, and the layout of their files.

use super::random::Random;
use super::{arithmetic, arrays, bit_vectors, datatypes, equality, floats, incremental, quantified, strings};
use agon_domain::Status;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A family of benchmarks that are generated for a size and a status.
pub struct Family {
    /// The name of the family and of its directory.
    pub name: &'static str,
    /// The logic of its members.
    pub logic: &'static str,
    /// What the benchmarks ask, and why their status is known, in one or two sentences.
    pub about: &'static str,
    /// The sizes of the satisfiable members in the standard pack, easiest first.
    pub sat_sizes: &'static [u32],
    /// The sizes of the unsatisfiable members in the standard pack, easiest first.
    pub unsat_sizes: &'static [u32],
    /// The largest supported size. The smallest is 2.
    pub largest: u32,
    /// Whether the members have many queries. If so, the body contains the queries, each with its status, and the
    /// status of the member is that of the last query.
    pub incremental: bool,
    pub(super) body: fn(u32, Wanted, &mut Random) -> String,
}

/// One member of a family.
pub struct Member {
    /// The family that it belongs to.
    pub family: &'static Family,
    /// The size of the member.
    pub size: u32,
    /// The status of the member.
    pub wanted: Wanted,
}

/// The status that a member is generated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The member is satisfiable.
    Sat,
    /// The member is unsatisfiable.
    Unsat,
}

impl Wanted {
    pub(super) fn is_sat(self) -> bool {
        self == Self::Sat
    }
}

const FAMILIES: &[Family] = &[
    equality::PIGEONS,
    equality::DIAMONDS,
    bit_vectors::MULTIPLIER,
    bit_vectors::FACTORING,
    arithmetic::JOBSHOP,
    arithmetic::FARKAS,
    arithmetic::LATTICE,
    arithmetic::HASHING,
    arithmetic::MEANS,
    arrays::STORES,
    arrays::BUBBLESORT,
    quantified::CHAIN,
    quantified::COINS,
    floats::SUMS,
    strings::COMMUTING,
    datatypes::LISTS,
    incremental::COUNTER,
    incremental::LINKS,
];

/// All families.
pub fn families() -> &'static [Family] {
    FAMILIES
}

impl Family {
    /// The members in the standard pack.
    pub fn standard(&'static self) -> impl Iterator<Item = Member> {
        let members =
            move |sizes: &'static [u32], wanted| sizes.iter().map(move |&size| Member { family: self, size, wanted });
        members(self.sat_sizes, Wanted::Sat).chain(members(self.unsat_sizes, Wanted::Unsat))
    }
}

impl Member {
    /// The path of the member in a library.
    pub fn path(&self) -> PathBuf {
        let Self { family: Family { name, logic, incremental, .. }, size, .. } = self;
        let kind = if *incremental { "incremental" } else { "non-incremental" };
        format!("{kind}/{logic}/agon/{name}/{name}-{}-{size:03}.smt2", self.status()).into()
    }

    /// The status of the member, which is known by construction.
    pub fn status(&self) -> Status {
        match self.wanted {
            Wanted::Sat => Status::Sat,
            Wanted::Unsat => Status::Unsat,
        }
    }

    /// The content of the member's file.
    pub fn script(&self) -> String {
        let Family { name, logic, about, body, incremental, .. } = self.family;
        let status = self.status();
        let mut random = Random::from_text(&format!("{name}/{}/{status}", self.size));
        let body = body(self.size, self.wanted, &mut random);
        let (before, after) = match incremental {
            true => (String::new(), ""),
            false => (format!("(set-info :status {status})\n"), "(check-sat)\n"),
        };
        format!(
            "(set-info :smt-lib-version 2.6)\n\
             (set-logic {logic})\n\
             (set-info :source |\n\
             Written by: agon library generate\n\
             Family: {name}, size {}\n\
             {about}\n\
             |)\n\
             (set-info :license \"https://creativecommons.org/publicdomain/zero/1.0/\")\n\
             (set-info :category \"crafted\")\n\
             {before}{}\n\
             {after}(exit)\n",
            self.size,
            body.trim_end()
        )
    }
}

/// Writes these members below a directory in SMT-LIB's layout, and returns their files. A file that already has the
/// same content is not touched.
pub fn write(root: &Path, members: impl IntoIterator<Item = Member>) -> io::Result<Vec<PathBuf>> {
    let mut files = vec![];
    for member in members {
        let file = root.join(member.path());
        let script = member.script();
        if fs::read(&file).ok().as_deref() != Some(script.as_bytes()) {
            if let Some(directory) = file.parent() {
                fs::create_dir_all(directory)?;
            }
            fs::write(&file, script)?;
        }
        files.push(file);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Header;
    use std::collections::BTreeSet;

    #[test]
    fn ten_families_over_eight_logics_with_both_statuses() {
        let logics: BTreeSet<&str> = families().iter().map(|family| family.logic).collect();
        assert!(families().len() >= 10 && logics.len() >= 8);
        assert!(families().iter().all(|family| !family.sat_sizes.is_empty() && !family.unsat_sizes.is_empty()));
    }

    #[test]
    fn headers_declare_logic_status_category_source_and_license() {
        for member in families().iter().flat_map(Family::standard) {
            let header = Header::read(member.script().as_bytes()).unwrap();
            assert_eq!(header.logic.0, member.family.logic);
            assert_eq!(header.statuses.last(), Some(&member.status()));
            assert_eq!(header.statuses.len() > 1, member.family.incremental);
            assert!(header.category.is_some() && header.source.is_some() && header.license.is_some());
            assert!(header.asserts > 0, "{}", member.path().display());
        }
    }

    #[test]
    fn members_differ_and_generation_is_deterministic() {
        let scripts: BTreeSet<String> =
            families().iter().flat_map(Family::standard).map(|member| member.script()).collect();
        assert_eq!(scripts.len(), families().iter().flat_map(Family::standard).count());
        assert!(families().iter().flat_map(Family::standard).all(|member| scripts.contains(&member.script())));
    }
}

//! Which entrant runs on which benchmark.

use agon_domain::{Entrant, Logic, Prepared, Track};
use agon_rulebook::{Divisions, Rulebook};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// Returns the pairs of a track as (entrant, benchmark) indices: each entrant on each prepared benchmark of the
/// divisions it entered (R08-3.4, R19-5.1). Non-competitive divisions are skipped unless the rules run them (R19-3.5).
pub fn plan<'a>(
    rules: &Rulebook,
    track: Track,
    entrants: &'a [Entrant],
    prepared: &'a [Prepared],
) -> impl Iterator<Item = (usize, usize)> + Clone + 'a {
    let logics: BTreeSet<&Logic> = prepared.iter().map(|prepared| &prepared.logic).collect();
    let run: BTreeMap<&Logic, Vec<usize>> =
        logics.into_iter().map(|logic| (logic, runners(rules, track, entrants, logic).unwrap_or_default())).collect();
    let run = Rc::new(run);
    prepared.iter().enumerate().flat_map(move |(at, prepared)| {
        let run = Rc::clone(&run);
        let count = run.get(&prepared.logic).map_or(0, Vec::len);
        (0..count).map(move |number| (run[&prepared.logic][number], at))
    })
}

/// The reason why a division is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRun {
    /// The division has no entrants.
    NoEntrant,
    /// The competing entrants are from too few teams (R19-3.5).
    NotCompetitive,
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoEntrant => "no entrant",
            Self::NotCompetitive => "too few teams (R19-3.5)",
        })
    }
}

/// The indices of the entrants that run in a logic.
fn runners(rules: &Rulebook, track: Track, entrants: &[Entrant], own: &Logic) -> Result<Vec<usize>, NotRun> {
    let enters = |at: &usize| entrants[*at].enters(track, own);
    let entered: Vec<usize> = (0..entrants.len()).filter(enters).collect();
    if entered.is_empty() {
        return Err(NotRun::NoEntrant);
    }
    // Whether a division is competitive depends on the teams in all its logics.
    let mut groups = rules.divisions.get(&track).into_iter().flat_map(Divisions::iter);
    let logics =
        groups.find(|(_, logics)| logics.contains(own)).map_or_else(|| vec![own.clone()], |(_, logics)| logics);
    let is_in_group = |entrant: &&Entrant| logics.iter().any(|logic| entrant.enters(track, logic));
    let teams = entrants.iter().filter(is_in_group).filter(|entrant| entrant.kind.can_win());
    if rules.run_non_competitive || rules.is_competitive(teams.map(|entrant| entrant.team.as_str())) {
        Ok(entered)
    } else {
        Err(NotRun::NotCompetitive)
    }
}

/// The logics with prepared benchmarks that are not run, each with its number of benchmarks and the reason.
pub fn not_run(
    rules: &Rulebook,
    track: Track,
    entrants: &[Entrant],
    prepared: &[Prepared],
) -> Vec<(Logic, usize, NotRun)> {
    let mut logics: BTreeMap<&Logic, usize> = BTreeMap::new();
    for prepared in prepared {
        *logics.entry(&prepared.logic).or_default() += 1;
    }
    let why =
        |(logic, count): (&Logic, usize)| Some((logic.clone(), count, runners(rules, track, entrants, logic).err()?));
    logics.into_iter().filter_map(why).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::{BenchmarkPath, Digest, EntrantKind, Status, Submission};

    fn entrant(name: &str, team: &str, kind: EntrantKind, divisions: &[&str]) -> Entrant {
        let command = vec!["bin/x".into(), "{benchmark}".into()];
        let logics = divisions.iter().map(|name| Logic((*name).into())).collect();
        let submission = Submission {
            kind,
            logics: BTreeMap::from([(Track::SingleQuery, logics)]),
            ..Submission::new(name.parse().unwrap(), "1", team, command)
        };
        Entrant { submission, files: Digest::of(name.as_bytes()), program: None, upload: None }
    }

    fn prepared(division: &str) -> Prepared {
        Prepared {
            benchmark: BenchmarkPath(format!("non-incremental/{division}/f/a.smt2")),
            track: Track::SingleQuery,
            logic: Logic(division.into()),
            digest: Digest::of(division.as_bytes()),
            status: Status::Unknown,
        }
    }

    fn pairs(rules: &Rulebook, entrants: &[Entrant]) -> Vec<(String, String)> {
        let prepared = [prepared("QF_A"), prepared("QF_B")];
        let plan = plan(rules, Track::SingleQuery, entrants, &prepared);
        plan.map(|(entrant, at)| (entrants[entrant].name.to_string(), prepared[at].logic.to_string())).collect()
    }

    #[test]
    fn r19_3_2_and_r19_3_5_non_competitive_divisions_are_not_run() {
        let mut rules = Rulebook::named("smtcomp-2019").unwrap();
        let entrants = [
            entrant("a", "one", EntrantKind::Competing, &["QF_A", "QF_B"]),
            entrant("b", "two", EntrantKind::Competing, &["QF_A"]),
            entrant("c", "three", EntrantKind::NonCompeting, &["QF_B"]),
            entrant("d", "one", EntrantKind::Competing, &["QF_B"]),
        ];
        let run =
            |rules: &Rulebook| pairs(rules, &entrants).iter().map(|(n, d)| format!("{n}:{d}")).collect::<Vec<_>>();
        assert_eq!(run(&rules), ["a:QF_A", "b:QF_A"]);
        rules.run_non_competitive = true;
        assert_eq!(run(&rules), ["a:QF_A", "b:QF_A", "a:QF_B", "c:QF_B", "d:QF_B"]);
    }

    #[test]
    fn r08_3_4_and_r19_5_1_entrants_run_only_where_they_entered() {
        let rules = Rulebook::named("smtcomp-2019").unwrap();
        let entrants = [
            entrant("a", "one", EntrantKind::Competing, &["QF_A"]),
            entrant("b", "two", EntrantKind::Competing, &["QF_A"]),
            entrant("c", "three", EntrantKind::Competing, &[]),
        ];
        assert_eq!(pairs(&rules, &entrants).len(), 2);
    }
}

//! The panel's votes on unsat cores, each core asked about once.

use super::judge_file::reduced;
use super::panel::Panel;
use agon_domain::{Answer, Digest, Entrant, Logic, Ruling, Time, Track, Verdict};
use agon_judge::{Assertions, CoreClaim, Votes, core_claim, core_verdict, judge_core};
use agon_store::{Competition, Recorded, Store, Vote};
use std::collections::{BTreeMap, BTreeSet};

/// Who votes, and for how long.
pub struct CoreOptions<'a> {
    /// Solvers by name, archive or folder; none means the entrants that are sound on single queries (R19-5.27).
    pub panel: &'a [String],
    /// Seconds for each.
    pub wall_s: f64,
}

impl Default for CoreOptions<'_> {
    fn default() -> Self {
        Self { panel: &[], wall_s: 300.0 }
    }
}

/// Judges cores with a panel.
pub struct CoreJudge<'a> {
    wall_s: f64,
    /// Those that were named.
    named: Option<Panel>,
    competition: &'a Competition,
    /// Entrants that erred on single queries, by division.
    unsound: BTreeMap<Logic, BTreeSet<String>>,
    entrants: Vec<Entrant>,
}

impl<'a> CoreJudge<'a> {
    pub fn new(competition: &'a Competition, options: &CoreOptions<'_>) -> anyhow::Result<Self> {
        let is_needed = competition.track() == Track::UnsatCore;
        let mut judge = Self {
            wall_s: options.wall_s,
            named: None,
            competition,
            unsound: BTreeMap::new(),
            entrants: if is_needed { competition.entrants()? } else { vec![] },
        };
        if is_needed && !options.panel.is_empty() {
            judge.named = Some(Panel::open(options.panel)?);
        } else if is_needed && let Some(rules) = competition.rulebook().tracks.get(&Track::SingleQuery) {
            let runs = competition.store()?.recorded(Track::SingleQuery, &rules.limits)?;
            if !runs.iter().any(|run| run.verdict.is_some()) {
                say!("agon: no single query is judged yet, so all entrants count as sound and vote on cores");
            }
            for run in runs {
                if run.verdict.is_some_and(|verdict| verdict.ruling == Ruling::Erroneous) {
                    let division = judge.unsound.entry(run.pair.prepared.division).or_default();
                    division.insert(run.pair.entrant.to_string());
                }
            }
        }
        Ok(judge)
    }

    /// The entrants that vote in a division (R19-5.27).
    fn sound(&self, division: &Logic) -> impl Iterator<Item = &Entrant> {
        let unsound = self.unsound.get(division);
        self.entrants.iter().filter(move |entrant| {
            entrant.enters(Track::SingleQuery, division)
                && unsound.is_none_or(|names| !names.contains(entrant.name.as_str()))
        })
    }

    /// Who votes in a division, in one word: verdicts depend on it.
    pub fn panel_names(&self, division: &Logic) -> String {
        let names: Vec<String> = match &self.named {
            Some(panel) => panel.names(),
            None => self.sound(division).map(|entrant| format!("{} {}", entrant.name, entrant.version)).collect(),
        };
        names.join(", ")
    }

    pub fn verdict(&self, store: &mut Store, run: &Recorded, prepared: &[u8]) -> anyhow::Result<(Verdict, String)> {
        let output = store.output(&run.outcome.stdout)?;
        let assertions = Assertions::read(prepared)?;
        let claim = core_claim(&output, &assertions.names);
        let votes = match &claim {
            CoreClaim::Core(core) => Some(self.votes(store, run, prepared, core)?),
            _ => None,
        };
        let counted = votes.as_ref().map(|votes| Votes::count(votes.iter().map(|vote| vote.answer)));
        let judged = judge_core(&claim, assertions.named, counted, run.outcome.limit.is_some());
        let (verdict, mut evidence) = core_verdict(&claim, &judged, run.outcome.limit);
        for Vote { solver, answer, wall } in votes.into_iter().flatten() {
            let answer = answer.map_or("nothing", Answer::name);
            evidence.push_str(&format!("; {solver} says {answer} after {wall} s"));
        }
        Ok((verdict, evidence))
    }

    /// What the panel says of a core; asked once, and kept.
    fn votes(
        &self,
        store: &mut Store,
        run: &Recorded,
        prepared: &[u8],
        core: &BTreeSet<Vec<u8>>,
    ) -> anyhow::Result<Vec<Vote>> {
        let script = reduced(prepared, core)?;
        let digest = Digest::of(&script);
        let sound;
        let panel = match &self.named {
            Some(panel) => panel,
            None => {
                let folder = |entrant: &Entrant| {
                    let digest = entrant.digest.unwrap_or_else(|| Digest::of(b""));
                    std::path::absolute(self.competition.entrant_folder(&digest))
                };
                let members = self.sound(&run.pair.prepared.division).map(|e| Ok((e.clone(), folder(e)?)));
                sound = Panel::of(members.collect::<std::io::Result<_>>()?);
                &sound
            }
        };
        let mut votes = store.votes(&digest)?;
        let names = panel.names();
        votes.retain(|vote| names.contains(&vote.solver));
        let known: BTreeSet<&str> = votes.iter().map(|vote| vote.solver.as_str()).collect();
        let replies = panel.ask_about(&script, self.wall_s, &|name| !known.contains(name))?;
        let new: Vec<Vote> = replies
            .into_iter()
            .map(|reply| Vote {
                solver: reply.solver,
                answer: reply.answer,
                wall: Time::from_nanos((reply.wall_s * 1e9) as u64),
            })
            .collect();
        store.add_votes(&digest, &new)?;
        votes.extend(new);
        Ok(votes)
    }
}

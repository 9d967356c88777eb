//! Test support: runs the real binary in its own directory, and provides solvers that misbehave on purpose, a real
//! browser, and the shared data if it is available.

mod browser;
mod cost;
mod peers;
mod shared;
mod slurm;
mod solver;
mod world;

pub use browser::Browser;
pub use cost::{Cost, contained_cost, random_numbers};
pub use peers::{MissingPeer, compiled, fetched, from_debian, from_pypi, peer};
pub use shared::{shared, skipped, table, unpacked};
pub use slurm::{CONFIGURATION, Slurm};
pub use solver::{asked, fake_solver, solver_program, trivial_library};
pub use world::{Output, World, real_solvers};

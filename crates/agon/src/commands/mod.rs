//! One file per command.

pub mod batch;
pub mod candidates;
pub mod check;
pub mod cluster;
pub mod completions;
pub mod demo;
pub mod doctor;
pub mod entrant;
pub mod exec;
pub mod init;
pub mod judge;
pub mod judge_file;
pub mod library;
pub mod panel;
pub mod prepare;
pub mod report;
pub mod rerun;
pub mod run;
pub mod score;
pub mod scramble;
pub mod seed;
pub mod select;
pub mod status;
pub mod trace;
pub mod translate;
pub mod worker;

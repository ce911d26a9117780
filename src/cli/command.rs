//! Which command a line asks for, and how it ends.

use std::io::Write;

use clap::{Parser, Subcommand};

use super::{agents, balance, by_hand, cancel, demo, estimate, job, jobs, print, reconcile, resume, run, said, serve};
use crate::client::Progress;

/// Run a data-collection agent and get its rows as an Arrow table.
#[derive(Debug, Parser)]
#[command(name = "rowhaul", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Adopt(by_hand::Adopt),
    Agent(agents::ShowAgent),
    Agents(agents::ListAgents),
    Balance(balance::ShowBalance),
    Cancel(cancel::Cancel),
    Demo(demo::Demo),
    Dismiss(by_hand::Dismiss),
    Estimate(estimate::Estimate),
    Job(job::ShowJob),
    Jobs(jobs::Jobs),
    Reconcile(reconcile::Reconcile),
    Resume(resume::Resume),
    Run(run::Run),
    Serve(serve::Serve),
}

impl Command {
    async fn run(self, progress: &Progress) -> Result<(), Failure> {
        match self {
            Self::Adopt(adopt) => adopt.run().await,
            Self::Agent(agent) => agent.run().await,
            Self::Agents(agents) => agents.run().await,
            Self::Balance(balance) => balance.run().await,
            Self::Cancel(cancel) => cancel.run().await,
            Self::Demo(demo) => demo.run().await,
            Self::Dismiss(dismiss) => dismiss.run().await,
            Self::Estimate(estimate) => estimate.run().await,
            Self::Job(job) => job.run(progress).await,
            Self::Run(run) => Box::pin(run.run(progress)).await,
            Self::Jobs(jobs) => jobs.run().await,
            Self::Reconcile(reconcile) => reconcile.run().await,
            Self::Resume(resume) => resume.run().await,
            Self::Serve(serve) => serve.run().await,
        }
    }
}

/// Runs a command line, the program's name included, and gives its exit code. `progress` is that of the job it is
/// about.
pub(crate) async fn main(arguments: Vec<String>, progress: Progress) -> i32 {
    let done = match Arguments::try_parse_from(arguments) {
        Ok(Arguments { command }) => Box::pin(command.run(&progress)).await,
        Err(refused) => {
            // Printing help can only fail where nobody reads it.
            let _ = refused.print();
            return refused.exit_code();
        }
    };
    match done.and(print::all_was_written()) {
        Ok(()) => 0,
        Err(error) => {
            let told = error.downcast_ref::<crate::client::Error>().map(said::said);
            eprintln!("rowhaul: {}", told.unwrap_or_else(|| error.to_string()));
            1
        }
    }
}

/// Says of a command that was given up how to have the rows of its job.
pub(crate) fn given_up(progress: &Progress) {
    if let Some(id) = progress.job_id() {
        let fetching = said::fetching(id.as_str());
        // Where nobody reads any more nothing is lost.
        let _ = writeln!(std::io::stderr(), "rowhaul: job {id} was started and is billed; its rows: `{fetching}`");
    }
}

/// What ends a command early; it is shown and nothing more.
pub(super) type Failure = Box<dyn std::error::Error + Send + Sync>;

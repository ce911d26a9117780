//! `rowhaul agents` and `rowhaul agent`: what there is to run.

use clap::Args;
use serde_json::Value;

use super::Failure;
use super::connection::Connection;
use super::table::shortened_to;
use crate::client::clipped;

/// List the agents with their prices.
#[derive(Debug, Args)]
pub(super) struct ListAgents {
    /// Group whose agents to list [default: all]
    group: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

/// Describe an agent: its parameters and its price.
#[derive(Debug, Args)]
pub(super) struct ShowAgent {
    /// Agent, `group/slug`
    name: String,
    #[command(flatten)]
    connection: Connection,
}

impl ListAgents {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let agents = self.connection.client()?.agents(self.group.as_deref()).await?;
        let names: Vec<String> =
            agents.iter().map(|agent| clipped(&format!("{}/{}", agent.group, agent.slug))).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        for (agent, name) in agents.iter().zip(&names) {
            let price =
                agent.price_per_1k_usd.map_or("price unknown".to_owned(), |price| format!("{} USD/1000", price.0));
            let about = agent.description.as_deref().or(agent.name.as_deref()).map(clipped).unwrap_or_default();
            say!("{name:<width$}  {price:<13}  {about}");
        }
        Ok(())
    }
}

/// Characters of a default at most.
const LONGEST_DEFAULT: usize = 28;

impl ShowAgent {
    pub(super) async fn run(self) -> Result<(), Failure> {
        let agent = self.connection.client()?.agent(&self.name).await?;
        say!("{}", clipped(&format!("{}/{}", agent.group, agent.slug)));
        if let Some(description) = &agent.description {
            say!("{}", clipped(description));
        }
        let unit = agent.unit.as_deref().map_or("rows".to_owned(), clipped);
        let price = agent.price_per_1k_usd.map(|price| format!("{} USD for 1000 {unit}", price.0));
        say!("{}", price.as_deref().unwrap_or("price unknown"));
        say!();
        for (name, told) in &agent.parameters {
            let word = |key: &str| told.get(key).and_then(Value::as_str).map(clipped).unwrap_or_default();
            // One that has a default need not be given, whatever else is said of it.
            let need = match told.get("default").filter(|default| !default.is_null()) {
                Some(default) => shortened_to(&format!("default {default}"), LONGEST_DEFAULT),
                None if told.get("required") == Some(&Value::Bool(true)) => "required".to_owned(),
                None => String::new(),
            };
            say!("{:<20} {:<8} {need:<12}  {}", clipped(name), word("type"), word("description"));
        }
        Ok(())
    }
}

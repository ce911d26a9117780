//! The agents as they stand in `agents.json`.

use std::sync::LazyLock;

use super::agent::Agent;

/// The data file itself, for readers in other languages.
pub const AGENTS_JSON: &str = include_str!("agents.json");

/// All agents, in the order of section 4.7.
pub fn agents() -> &'static [Agent] {
    static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
        #[derive(serde::Deserialize)]
        struct File {
            agents: Vec<Agent>,
        }
        serde_json::from_str::<File>(AGENTS_JSON).expect("agents.json is part of the build and tested").agents
    });
    &AGENTS
}

/// The agent of a group placeholder (`events`, `video`, `retail`) and slug, if the contract knows it.
pub fn find(group: &str, slug: &str) -> Option<&'static Agent> {
    agents().iter().find(|agent| agent.group == group && agent.slug == slug)
}

/// The names of the group placeholders of the specification, without repetition.
pub fn groups() -> Vec<&'static str> {
    let mut groups: Vec<&str> = agents().iter().map(|agent| agent.group.as_str()).collect();
    groups.dedup();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nine_agents_of_the_specification_are_there() {
        assert_eq!(agents().len(), 9);
        assert_eq!(groups(), ["video", "retail", "events"]);
        assert_eq!(find("events", "events").map(|agent| agent.columns.len()), Some(29));
    }
}

//! Rows of the channel, video and shorts agents.

use std::time::Duration;

use serde::Serialize;

use super::chance::Chance;
use super::input::{site, subject, video_id};
use super::order::{Ranks, counted};
use super::section::Section;
use super::tongues::{self, Tongue};

pub(super) const SITE: &str = "https://www.video.example";

/// How far back a channel's videos go: six years.
const SPAN: Duration = Duration::from_secs(6 * 365 * 24 * 60 * 60);

const ID: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::service) struct Video {
    input: String,
    #[serde(rename = "type")]
    kind: &'static str,
    id: String,
    title: String,
    url: String,
    description: Option<String>,
    published_at: String,
    duration: String,
    duration_seconds: u64,
    view_count: u64,
    like_count: Option<u64>,
    comment_count: Option<u64>,
    hashtags: Vec<String>,
    thumbnail_url: String,
    language: &'static str,
    channel_name: String,
    channel_handle: String,
    channel_url: String,
    channel_id: String,
    subscriber_count: Option<u64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "columns are named so")]
pub(in crate::service) struct ChannelVideo {
    #[serde(flatten)]
    video: Video,
    channel_description: Option<String>,
    channel_joined_at: String,
    channel_video_count: u64,
    channel_view_count: u64,
    channel_country: Option<&'static str>,
    is_channel_verified: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::service) struct FoundVideo {
    #[serde(flatten)]
    video: Video,
    captions: Option<Vec<Caption>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Caption {
    start: f64,
    duration: f64,
    text: &'static str,
}

/// The video at a place of a channel, with the channel's own figures in each row.
pub(super) fn channel_video(section: &Section, place: u64) -> ChannelVideo {
    let mut chance = section.shared("channel figures");
    ChannelVideo {
        video: video(section, place),
        channel_description: chance.maybe(85, |chance| {
            let tongue = tongues::any(chance);
            filled(chance.pick(tongue.event_descriptions), &subject(&section.input))
        }),
        channel_joined_at: format!(
            "{}-{:02}-{:02}",
            chance.whole(2006, 2020),
            chance.whole(1, 12),
            chance.whole(1, 28)
        ),
        channel_video_count: chance.skewed(150.0, 5000.0) as u64,
        channel_view_count: chance.skewed(1e5, 5e9) as u64,
        channel_country: chance.maybe(80, |chance| chance.pick(&["US", "DE", "JP", "IN", "MX", "EG", "FR"])),
        is_channel_verified: chance.percent(40),
    }
}

/// The video at a place of what a search or an address finds.
pub(super) fn found_video(section: &Section, place: u64) -> FoundVideo {
    let mut chance = section.chance.item(place).item(1);
    let captions = |chance: &mut Chance| {
        let mut start = 0.0;
        let lines = chance.whole(2, 5);
        let tongue = tongues::any(chance);
        let caption = |_| {
            let duration = (chance.between(1.5, 6.0) * 10.0).round() / 10.0;
            let caption = Caption { start, duration, text: chance.pick(tongue.comments) };
            start = ((start + duration) * 10.0).round() / 10.0;
            caption
        };
        (0..lines).map(caption).collect()
    };
    FoundVideo { video: video(section, place), captions: chance.maybe(60, captions) }
}

/// A video, short or stream: which, the limit says under which it is found.
pub(super) fn video(section: &Section, place: u64) -> Video {
    let ranks = section.population.at(place, section.order);
    let mut chance = section.chance.item(ranks.age);
    let is_search = section.agent == "video-scraper" && !section.input.contains("://");
    let channel = if is_search { Channel::draw(&mut chance) } else { Channel::of(section) };
    let kind = kind(section);
    let topic = subject(&section.input);
    let site = site(&section.input, SITE);

    let given = video_id(&section.input).filter(|_| section.shows_one());
    let id = given.map_or_else(|| chance.code(ID, 11), str::to_owned);
    let path = if kind == "short" { "shorts/" } else { "watch?v=" };
    let (view_count, published_at) = (views(section, ranks), section.population.date(ranks.age, SPAN, &mut chance));
    let seconds = match kind {
        "short" => chance.whole(6, 60),
        "stream" => chance.whole(1800, 6 * 3600),
        _ => chance.skewed(61.0, 3000.0) as u64,
    };
    let tongue = if chance.percent(70) { channel.tongue } else { tongues::any(&mut chance) };
    let tag: String = topic.split_whitespace().collect();
    Video {
        input: section.input.clone(),
        kind,
        title: filled(chance.pick(tongue.video_titles), &topic),
        url: given.map_or_else(|| format!("{site}/{path}{id}"), |_| section.input.clone()),
        description: chance.maybe(80, |chance| {
            let text = chance.pick(tongue.comments);
            format!("{text}\n\n00:00 Intro\n01:30 {topic}\n{site}/{}", channel.handle)
        }),
        published_at: published_at.to_string(),
        duration: clock_text(seconds),
        duration_seconds: seconds,
        view_count,
        like_count: chance.maybe(92, |chance| (view_count as f64 * chance.between(0.01, 0.08)) as u64),
        comment_count: chance.maybe(90, |chance| (view_count as f64 * chance.between(0.0005, 0.006)) as u64),
        hashtags: if chance.percent(60) && !tag.is_empty() {
            vec![format!("#{tag}"), format!("#{kind}")]
        } else {
            vec![]
        },
        thumbnail_url: format!("https://img.video.example/vi/{id}/hq.jpg"),
        language: tongue.code,
        channel_url: format!("{site}/{}", channel.handle),
        channel_name: channel.name,
        channel_handle: channel.handle,
        channel_id: channel.id,
        subscriber_count: channel.subscribers,
        id,
    }
}

fn kind(section: &Section) -> &'static str {
    match section.limit {
        _ if section.shows_one() && section.input.contains("/shorts/") => "short",
        "maxResultsShorts" => "short",
        "maxResultStreams" => "stream",
        _ => "video",
    }
}

/// Views fall with the rank of popularity, from a top that is the channel's or the search's own.
fn views(section: &Section, ranks: Ranks) -> u64 {
    let top = section.shared(section.limit).skewed(2e4, 5e8);
    counted(top, ranks.popularity)
}

struct Channel {
    name: String,
    handle: String,
    id: String,
    subscribers: Option<u64>,
    tongue: &'static Tongue,
}

impl Channel {
    /// The channel at an address or handle, the same for all agents.
    fn of(section: &Section) -> Self {
        let name = subject(&section.input);
        let channel = Self::draw(&mut section.shared("channel"));
        if name.is_empty() || section.shows_one() {
            return channel;
        }
        let handle: String = name.split_whitespace().collect();
        Self { handle: format!("@{handle}"), name, ..channel }
    }

    fn draw(chance: &mut Chance) -> Self {
        let tongue = tongues::any(chance);
        let name = tongues::person(tongue, chance);
        let handle = chance.code("abcdefghijklmnopqrstuvwxyz0123456789", 9);
        Self {
            name,
            handle: format!("@{handle}"),
            id: format!("UC{}", chance.code(ID, 22)),
            subscribers: chance.maybe(90, |chance| chance.skewed(50.0, 2e7) as u64),
            tongue,
        }
    }
}

fn filled(template: &str, topic: &str) -> String {
    let topic = if topic.is_empty() { "this" } else { topic };
    template.replace("{topic}", topic).replace("{venue}", "the studio").replace("{city}", "Berlin")
}

/// `0:42`, `12:05` or `1:02:03`.
fn clock_text(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

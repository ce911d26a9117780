//! Rows of the comment agent: comments with their replies.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::chance::Chance;
use super::input::{site, video_id};
use super::order::counted;
use super::section::Section;
use super::tongues;
use super::videos::SITE;
use crate::service::clock::after;

/// How far back the comments on a video go: two years.
const SPAN: Duration = Duration::from_secs(2 * 365 * 24 * 60 * 60);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "columns are named so")]
pub(in crate::service) struct Comment {
    input: String,
    comment_id: String,
    text: String,
    author: String,
    author_url: String,
    is_author_channel_owner: bool,
    published_at: String,
    like_count: u64,
    reply_count: usize,
    replies: Vec<Reply>,
    is_pinned: bool,
    is_edited: bool,
    language: &'static str,
    video_id: Option<String>,
    video_title: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    author: String,
    text: &'static str,
    like_count: u64,
    published_at: String,
}

/// The comment at a place under a video.
pub(super) fn comment(section: &Section, place: u64) -> Comment {
    let ranks = section.population.at(place, section.order);
    let mut chance = section.chance.item(ranks.age);
    let tongue = tongues::any(&mut chance);
    let site = site(&section.input, SITE);
    let published = section.population.date(ranks.age, SPAN, &mut chance);
    let top = section.shared("likes").skewed(20.0, 90_000.0);
    let replies: Vec<Reply> =
        (0..chance.pick(&[0, 0, 0, 0, 1, 1, 2, 4])).map(|_| reply(&mut chance, published)).collect();
    let mut about = section.shared("video");
    let titles = tongues::any(&mut about).video_titles;
    let title = about.pick(titles).replace("{topic}", "Rust");
    let text = chance.pick(tongue.comments);
    Comment {
        input: section.input.clone(),
        comment_id: format!("Ug{}", chance.code("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 22)),
        text: if chance.percent(15) {
            format!("@{} {text}", tongues::person(tongue, &mut chance))
        } else {
            text.to_owned()
        },
        author: tongues::person(tongue, &mut chance),
        author_url: format!("{site}/@{}", chance.code("abcdefghijklmnopqrstuvwxyz0123456789", 10)),
        is_author_channel_owner: chance.percent(3),
        published_at: published.to_string(),
        like_count: counted(top, ranks.popularity),
        reply_count: replies.len(),
        replies,
        is_pinned: ranks.popularity == 0,
        is_edited: chance.percent(7),
        language: tongue.code,
        video_id: video_id(&section.input).map(str::to_owned),
        video_title: title,
    }
}

/// A reply, within ten days of what it replies to.
fn reply(chance: &mut Chance, published: Timestamp) -> Reply {
    let tongue = tongues::any(chance);
    Reply {
        author: tongues::person(tongue, chance),
        text: chance.pick(tongue.comments),
        like_count: chance.skewed(1.0, 300.0) as u64 - 1,
        published_at: after(published, Duration::from_secs(chance.whole(60, 10 * 24 * 60 * 60))).to_string(),
    }
}

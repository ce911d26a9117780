//! What one input of a run brings under one limit, and the row at each place of it.

use serde::Serialize;

use super::chance::Chance;
use super::order::{Order, Population};
use super::{comments, events, input, offers, products, reviews, videos};

/// Rows of one kind that come from one input.
#[derive(Debug, Clone)]
pub(super) struct Section {
    /// The agent's slug.
    pub(super) agent: &'static str,
    /// The parameter that limits these rows; empty where none does.
    pub(super) limit: &'static str,
    /// The input as the caller wrote it.
    pub(super) input: String,
    /// The postal code, for the agent that has two kinds of inputs.
    pub(super) pincode: String,
    pub(super) seed: u64,
    pub(super) rows: u64,
    pub(super) order: Order,
    pub(super) chance: Chance,
    pub(super) population: Population,
}

impl Section {
    /// Chance for something that is the same for all rows of this input, whichever agent shows them.
    pub(super) fn shared(&self, what: &str) -> Chance {
        Chance::of(self.seed, &[what, &self.input])
    }

    /// Whether the input is the page of one thing.
    pub(super) fn shows_one(&self) -> bool {
        input::shows_one(self.agent, &self.input)
    }

    /// The row at a place, counted from 0.
    pub(super) fn row(&self, place: u64) -> Row {
        match self.agent {
            "events" => Row::Event(Box::new(events::event(self, place))),
            "channel-scraper" => Row::ChannelVideo(Box::new(videos::channel_video(self, place))),
            "video-scraper" => Row::FoundVideo(Box::new(videos::found_video(self, place))),
            "shorts-scraper" => Row::Video(Box::new(videos::video(self, place))),
            "comment-scraper" => Row::Comment(Box::new(comments::comment(self, place))),
            "bestsellers-scraper" => Row::Bestseller(Box::new(products::bestseller(self, place))),
            "product-scraper" => Row::Product(Box::new(products::product(self, place))),
            "reviews-scraper" => Row::Review(Box::new(reviews::review(self, place))),
            _ => Row::Offer(Box::new(offers::offer(self))),
        }
    }
}

/// One row, as it stands in `data`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(in crate::service) enum Row {
    Event(Box<events::Event>),
    ChannelVideo(Box<videos::ChannelVideo>),
    FoundVideo(Box<videos::FoundVideo>),
    Video(Box<videos::Video>),
    Comment(Box<comments::Comment>),
    Bestseller(Box<products::Bestseller>),
    Product(Box<products::Product>),
    Review(Box<reviews::Review>),
    Offer(Box<offers::Offer>),
}

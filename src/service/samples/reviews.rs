//! Rows of the review agent.

use std::time::Duration;

use serde::Serialize;

use super::goods::Article;
use super::input::site;
use super::products::SITE;
use super::section::Section;
use super::tongues;
use crate::catalogue::{asin_in, canonical_product};

/// How far back reviews go: four years.
const SPAN: Duration = Duration::from_secs(4 * 365 * 24 * 60 * 60);

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "columns are named so")]
pub(in crate::service) struct Review {
    input: String,
    review_id: String,
    asin: String,
    product_url: String,
    product_title: String,
    rating: u64,
    title: &'static str,
    text: String,
    date: String,
    is_verified_purchase: bool,
    helpful_count: u64,
    reviewer_name: String,
    reviewer_url: String,
    reviewer_badge: Option<&'static str>,
    country: &'static str,
    language: &'static str,
    images: Vec<String>,
    variant: Option<Variant>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Variant {
    colour: &'static str,
    size: Option<&'static str>,
}

/// The review at a place, newest first.
pub(super) fn review(section: &Section, place: u64) -> Review {
    let ranks = section.population.at(place, section.order);
    let mut chance = section.chance.item(ranks.age);
    let site = site(&section.input, SITE);
    let article = Article::of(section.seed, site, asin_in(&section.input).unwrap_or_default());
    let tongue = tongues::any(&mut chance);
    let rating = chance.pick(&[1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5]);
    let (title, text) = tongue.reviews[rating as usize - 1];
    let review_id = format!("R{}", chance.code("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 13));
    let images = chance.pick(&[0, 0, 0, 0, 1, 3]);
    Review {
        input: section.input.clone(),
        product_url: canonical_product(&section.input).unwrap_or(article.url),
        asin: article.asin,
        product_title: article.title,
        rating,
        title,
        text: if chance.percent(4) { String::new() } else { text.to_owned() },
        date: section.population.date(ranks.age, SPAN, &mut chance).strftime("%Y-%m-%d").to_string(),
        is_verified_purchase: chance.percent(82),
        helpful_count: chance.skewed(1.0, 900.0) as u64 - 1,
        reviewer_name: tongues::person(tongue, &mut chance),
        reviewer_url: format!("{site}/profile/{}", chance.code("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
        reviewer_badge: chance.maybe(8, |chance| chance.pick(&["Top 500", "Early Reviewer", "Hall of Fame"])),
        country: chance.pick(&["Germany", "Japan", "United States", "India", "Mexico", "France"]),
        language: tongue.code,
        images: (1..=images).map(|at| format!("https://img.shop.example/reviews/{review_id}/{at}.jpg")).collect(),
        variant: chance.maybe(50, |chance| Variant {
            colour: chance.pick(&["Black", "Weiß", "青", "Verde"]),
            size: chance.maybe(60, |chance| chance.pick(&["S", "M", "L", "28 cm"])),
        }),
        review_id,
    }
}

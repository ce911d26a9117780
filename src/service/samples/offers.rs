//! Rows of the pincode agent: what one product costs and when it comes, at one postal code of India.

use std::time::Duration;

use serde::Serialize;

use super::goods::Article;
use super::section::Section;
use crate::catalogue::{asin_in, canonical_product};
use crate::service::clock::{EPOCH, after};

const SITE: &str = "https://www.shop.example.in";
const DAY: u64 = 24 * 60 * 60;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::service) struct Offer {
    input: String,
    asin: String,
    url: String,
    title: String,
    pincode: String,
    region: &'static str,
    is_available: bool,
    price: Option<f64>,
    currency: &'static str,
    delivery_days: Option<u64>,
    delivery_date: Option<String>,
    delivery_estimate: String,
    shipping_fee: Option<f64>,
    is_cash_on_delivery: Option<bool>,
    seller: Option<&'static str>,
}

/// The one row for a product and a postal code.
pub(super) fn offer(section: &Section) -> Offer {
    let mut chance = section.chance.clone();
    let asin = asin_in(&section.input).unwrap_or(&section.input);
    // Whatever the address says, this is the store of India and its prices are in rupees.
    let article = Article::of(section.seed, SITE, asin);
    let days = chance.maybe(85, |chance| chance.whole(1, 9));
    let date = days.map(|days| after(EPOCH, Duration::from_secs(days * DAY)));
    Offer {
        input: section.input.clone(),
        url: canonical_product(&section.input).unwrap_or(article.url),
        asin: article.asin,
        title: article.title,
        pincode: section.pincode.clone(),
        region: region(&section.pincode),
        is_available: days.is_some(),
        price: days.map(|_| article.price),
        currency: article.currency,
        delivery_days: days,
        delivery_date: date.map(|date| date.strftime("%Y-%m-%d").to_string()),
        delivery_estimate: date.map_or_else(
            || "Currently not deliverable to this postal code".to_owned(),
            |date| date.strftime("Arrives %A, %-d %B").to_string(),
        ),
        shipping_fee: days.map(|_| chance.pick(&[0.0, 0.0, 40.0, 99.0])),
        is_cash_on_delivery: days.map(|_| chance.percent(55)),
        seller: days.and_then(|_| {
            chance.maybe(90, |chance| chance.pick(&["Nilgiri Retail", "Tejas Traders", "किरण स्टोर", "Bazaar, Ltd."]))
        }),
    }
}

/// The postal region by the first digit.
fn region(pincode: &str) -> &'static str {
    match pincode.bytes().next() {
        Some(b'1') => "Delhi, Haryana, Punjab",
        Some(b'2') => "Uttar Pradesh, Uttarakhand",
        Some(b'3') => "Rajasthan, Gujarat",
        Some(b'4') => "Maharashtra, Madhya Pradesh",
        Some(b'5') => "Telangana, Andhra Pradesh, Karnataka",
        Some(b'6') => "Kerala, Tamil Nadu",
        Some(b'7') => "West Bengal, Odisha, North East",
        Some(b'8') => "Bihar, Jharkhand",
        _ => "Army Postal Service",
    }
}

//! Rows of the product and bestseller agents.

use serde::Serialize;
use serde_json::{Map, Value};

use super::chance::Chance;
use super::goods::Article;
use super::input::{site, subject};
use super::section::Section;
use super::tongues;
use crate::catalogue::{asin_in, canonical_product};

pub(super) const SITE: &str = "https://www.shop.example";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::service) struct Product {
    input: String,
    asin: String,
    url: String,
    title: String,
    brand: Option<&'static str>,
    category: &'static str,
    price: Option<f64>,
    list_price: Option<f64>,
    currency: &'static str,
    in_stock: bool,
    rating: Option<f64>,
    review_count: u64,
    description: Option<String>,
    features: Vec<&'static str>,
    images: Vec<String>,
    specifications: Map<String, Value>,
    variants: Vec<Variant>,
    seller: Option<Seller>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Variant {
    asin: String,
    name: &'static str,
    price: Option<f64>,
    in_stock: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Seller {
    name: &'static str,
    rating: f64,
    is_shop: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::service) struct Bestseller {
    input: String,
    rank: u64,
    asin: String,
    url: String,
    title: String,
    brand: &'static str,
    category: String,
    price: Option<f64>,
    currency: &'static str,
    rating: Option<f64>,
    review_count: u64,
    image_url: String,
}

/// The product at a place of a category page, or the one a product page shows.
pub(super) fn product(section: &Section, place: u64) -> Product {
    let mut chance = section.chance.item(place);
    let drawn = chance.asin();
    let asin = asin_in(&section.input).filter(|_| section.shows_one()).unwrap_or(&drawn);
    let article = Article::of(section.seed, site(&section.input, SITE), asin);
    let in_stock = chance.percent(88);
    let price = in_stock.then_some(article.price);
    let tongue = tongues::any(&mut chance);
    Product {
        input: section.input.clone(),
        url: canonical_product(&section.input).filter(|_| section.shows_one()).unwrap_or(article.url),
        brand: chance.maybe(93, |_| article.brand),
        category: article.category,
        price,
        list_price: chance.maybe(40, |_| (article.price * 125.0).round() / 100.0),
        currency: article.currency,
        in_stock,
        rating: (article.review_count > 5).then_some(article.rating),
        review_count: article.review_count,
        description: chance.maybe(85, |chance| {
            let praise = chance.pick(&tongue.reviews[3..]).1;
            format!("{} by {}.\n{praise}", article.thing, article.brand)
        }),
        features: features(&mut chance),
        images: (1..=chance.whole(1, 4)).map(|at| image(&article.asin, at)).collect(),
        specifications: specifications(&mut chance, article.brand),
        variants: (0..chance.pick(&[0, 0, 2, 3])).map(|_| variant(&mut chance, article.price)).collect(),
        seller: chance.maybe(75, |chance| Seller {
            name: chance.pick(&["The Shop itself", "Lager & Söhne GmbH", "東京セレクト", "Bazaar, Ltd."]),
            rating: (chance.between(3.0, 5.0) * 10.0).round() / 10.0,
            is_shop: chance.percent(30),
        }),
        asin: article.asin,
        title: article.title,
    }
}

/// The bestseller at a place, which is its rank.
pub(super) fn bestseller(section: &Section, place: u64) -> Bestseller {
    let mut chance = section.chance.item(place);
    let article = Article::of(section.seed, site(&section.input, SITE), &chance.asin());
    let category = subject(&section.input);
    Bestseller {
        input: section.input.clone(),
        rank: place + 1,
        category: if category.is_empty() { article.category.to_owned() } else { category },
        price: chance.maybe(95, |_| article.price),
        rating: chance.maybe(96, |_| article.rating),
        image_url: image(&article.asin, 1),
        asin: article.asin,
        url: article.url,
        title: article.title,
        brand: article.brand,
        currency: article.currency,
        review_count: article.review_count,
    }
}

fn image(asin: &str, at: u64) -> String {
    format!("https://img.shop.example/{asin}/{at}.jpg")
}

fn features(chance: &mut Chance) -> Vec<&'static str> {
    const FEATURES: [&str; 6] = [
        "Light: only 240 g",
        "\"Click & go\" set-up, no tools",
        "2 Jahre Garantie",
        "Dishwasher-safe, BPA-free",
        "防水 IPX7",
        "Recycled packaging ♻️",
    ];
    FEATURES.into_iter().filter(|_| chance.percent(45)).collect()
}

/// Which specifications there are differs from product to product, as it does in shops.
fn specifications(chance: &mut Chance, brand: &str) -> Map<String, Value> {
    let weight = chance.whole(80, 9000);
    let all = [
        ("Brand", Value::from(brand)),
        ("Weight (g)", Value::from(weight)),
        (
            "Dimensions",
            Value::from(format!("{} x {} x {} cm", chance.whole(3, 60), chance.whole(3, 60), chance.whole(3, 60))),
        ),
        ("Model year", Value::from(chance.whole(2018, 2026))),
        ("Batteries included", Value::from(chance.percent(50))),
    ];
    let kept = all.into_iter().filter(|_| chance.percent(60));
    kept.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn variant(chance: &mut Chance, price: f64) -> Variant {
    let in_stock = chance.percent(80);
    let factor = chance.pick(&[0.9, 1.0, 1.1]);
    Variant {
        asin: chance.asin(),
        name: chance.pick(&["Small / Black", "Large / Weiß", "2er-Pack", "青, M", "Set of 4"]),
        price: in_stock.then(|| (price * factor * 100.0).round() / 100.0),
        in_stock,
    }
}

//! Sort orders.

use super::http::{instant, rows};
use serde_json::{Value, json};

fn texts<'a>(rows: &'a [Value], column: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[column].as_str().unwrap()).collect()
}

fn numbers(rows: &[Value], column: &str) -> Vec<u64> {
    rows.iter().map(|row| row[column].as_u64().unwrap()).collect()
}

#[test]
fn videos_shorts_and_streams_are_each_sorted_as_asked() {
    let service = instant();
    for (sort, limit) in [("NEWEST", 50), ("OLDEST", 50), ("POPULAR", 50), ("NEWEST", 500), ("POPULAR", 500)] {
        let params = json!({
            "startUrls": [{"url": "https://www.video.example/@one"}], "sortVideosBy": sort,
            "maxResults": limit, "maxResultsShorts": limit, "maxResultStreams": limit,
        });
        let all = rows(&service, "video/channel-scraper", &params);
        for kind in ["video", "short", "stream"] {
            let rows: Vec<_> = all.iter().filter(|row| row["type"] == kind).cloned().collect();
            assert_eq!(rows.len(), limit);
            match sort {
                "NEWEST" => assert!(texts(&rows, "publishedAt").is_sorted_by(|a, b| a >= b), "{kind}"),
                "OLDEST" => assert!(texts(&rows, "publishedAt").is_sorted(), "{kind}"),
                _ => assert!(numbers(&rows, "viewCount").is_sorted_by(|a, b| a >= b), "{kind}"),
            }
        }
    }
}

#[test]
fn shorts_show_the_same_videos_in_each_order() {
    let service = instant();
    let ids = |sort: &str| {
        let params = json!({"channels": ["@one"], "maxResultsShorts": 0, "sortChannelShortsBy": sort});
        let rows = rows(&service, "video/shorts-scraper", &params);
        if sort == "POPULAR" {
            assert!(numbers(&rows, "viewCount").is_sorted_by(|a, b| a >= b));
            assert!(!texts(&rows, "publishedAt").is_sorted_by(|a, b| a >= b));
        }
        texts(&rows, "id").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let (newest, mut oldest, mut popular) = (ids("NEWEST"), ids("OLDEST"), ids("POPULAR"));
    oldest.reverse();
    assert_eq!(newest, oldest);
    assert_ne!(newest, popular);
    let mut sorted = newest;
    sorted.sort();
    popular.sort();
    assert_eq!(sorted, popular);
}

#[test]
fn comments_come_top_first_unless_the_newest_are_asked_for() {
    let service = instant();
    let comments = |sort: Value| {
        let mut params = json!({"startUrls": [{"url": "https://www.video.example/watch?v=x"}], "maxComments": 100});
        if sort.is_string() {
            params["commentsSortBy"] = sort;
        }
        rows(&service, "video/comment-scraper", &params)
    };
    assert!(numbers(&comments(json!("0")), "likeCount").is_sorted_by(|a, b| a >= b));
    assert_eq!(comments(json!("0")), comments(Value::Null));
    assert!(texts(&comments(json!("1")), "publishedAt").is_sorted_by(|a, b| a >= b));
}

#[test]
fn bestsellers_stand_by_rank_and_reviews_by_date() {
    let service = instant();
    let params = json!({"categoryUrls": ["https://s.example/zgbs/a"], "maxItemsPerStartUrl": 100});
    assert!(numbers(&rows(&service, "retail/bestsellers-scraper", &params), "rank").into_iter().eq(1..=100));
    let params = json!({"productUrls": [{"url": "https://s.example/dp/B0ABCDEFGH"}], "maxReviews": 200});
    assert!(texts(&rows(&service, "retail/reviews-scraper", &params), "date").is_sorted_by(|a, b| a >= b));
}

"""One valid request for each of the nine agents of the specification."""

from rowhaul.agents import (
    BestsellersScraper,
    ChannelScraper,
    CommentScraper,
    Events,
    PincodeScraper,
    ProductScraper,
    ReviewsScraper,
    ShortsScraper,
    VideoScraper,
)

#: Each with the most rows it can bring.
REQUESTS = [
    (Events(search_queries=["jazz berlin"], max_results=7), 7),
    (ChannelScraper(start_urls=["https://video.example/@one"], max_results=3, max_results_shorts=2), 5),
    (CommentScraper(start_urls=["https://video.example/watch?v=1"], max_comments=6), 6),
    (VideoScraper(search_queries=["a", "b"], max_results=4), 8),
    (ShortsScraper(channels=["@one", "@two"], max_results_shorts=3), 6),
    (BestsellersScraper(category_urls=["https://shop.example/gp/bestsellers/books"], max_items_per_start_url=5), 5),
    (ProductScraper(category_or_product_urls=["https://shop.example/dp/B0ABCDEFGH"], max_items_per_start_url=5), 5),
    (ReviewsScraper(product_urls=["https://shop.example/Name/dp/B0ABCDEFGH?x=1"], max_reviews=4), 4),
    (PincodeScraper(products=["B0ABCDEFGH", "B0ABCDEFGI"], pincodes=["110001", "560001"]), 4),
]

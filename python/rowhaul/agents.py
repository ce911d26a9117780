"""The nine agents of the specification's section 4.7 as dataclasses: requests with typed, documented parameters.

Each is a `Request` and goes wherever one does. Fields are the parameters in snake_case, with the specification's defaults;
they are checked when the request is built, and stand in it normalised: lists as tuples, addresses as text.

>>> from rowhaul.agents import Events
>>> Events(search_queries=["jazz berlin"], max_results=5)
Events(search_queries=('jazz berlin',), start_urls=(), max_results=5)

Written by `make agents` from `src/catalogue/agents.json`; change that file instead of this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ._request import AgentRequest

__all__ = [
    "BestsellersScraper",
    "ChannelScraper",
    "CommentScraper",
    "Events",
    "PincodeScraper",
    "ProductScraper",
    "ReviewsScraper",
    "ShortsScraper",
    "VideoScraper",
]


def __dir__() -> list[str]:
    """List what is exported, without what it was made with."""
    return __all__


#: One text, or several.
Texts: TypeAlias = str | Sequence[str]
#: One address, or several, each a text or an object with the one key `url`.
Urls: TypeAlias = str | Sequence[str | Mapping[str, str]]


@dataclass(frozen=True, kw_only=True, eq=False)
class ChannelScraper(AgentRequest):
    """Channel data: video lists, subscriber counts, metadata.

    Runs `video/channel-scraper` (section 4.7 of the specification), which costs 1 credit for each row
    (`client.estimate` says what that is in USD).

    Parameters
    ----------
    start_urls : channel URLs
    max_results : maximum videos per channel; 0 means all; default 0
    sort_videos_by : order of the videos
    max_results_shorts : maximum short-form videos per channel; default 0
    max_result_streams : maximum live streams per channel; default 0

    """

    _agent_name: ClassVar[str] = "video/channel-scraper"
    _names: ClassVar[Mapping[str, str]] = {
        "start_urls": "startUrls",
        "max_results": "maxResults",
        "sort_videos_by": "sortVideosBy",
        "max_results_shorts": "maxResultsShorts",
        "max_result_streams": "maxResultStreams",
    }

    start_urls: Urls
    max_results: int = 0
    sort_videos_by: Literal["NEWEST", "POPULAR", "OLDEST"] | None = None
    max_results_shorts: int = 0
    max_result_streams: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class CommentScraper(AgentRequest):
    """Comments on videos, with replies, likes, commenter info.

    Runs `video/comment-scraper` (section 4.7 of the specification), which costs 1 credit for each row
    (`client.estimate` says what that is in USD).

    Parameters
    ----------
    start_urls : video URLs
    max_comments : maximum comments per video
    comments_sort_by : order of the comments: 0 for top comments, 1 for newest

    """

    _agent_name: ClassVar[str] = "video/comment-scraper"
    _names: ClassVar[Mapping[str, str]] = {
        "start_urls": "startUrls",
        "max_comments": "maxComments",
        "comments_sort_by": "commentsSortBy",
    }

    start_urls: Urls
    max_comments: int
    comments_sort_by: Literal["0", "1"] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class VideoScraper(AgentRequest):
    """Search or URL based video scraping with metadata, stats, captions.

    Runs `video/video-scraper` (section 4.7 of the specification), which costs 1 credit for each row
    (`client.estimate` says what that is in USD).
    At least one of `search_queries` and `start_urls` must hold something.

    Parameters
    ----------
    search_queries : search keywords
    start_urls : video, playlist or channel URLs
    max_results : maximum videos per search keyword or URL; default 50
    max_results_shorts : maximum short-form videos per search keyword or URL; default 0
    max_result_streams : maximum live streams per search keyword or URL; default 0

    """

    _agent_name: ClassVar[str] = "video/video-scraper"
    _names: ClassVar[Mapping[str, str]] = {
        "search_queries": "searchQueries",
        "start_urls": "startUrls",
        "max_results": "maxResults",
        "max_results_shorts": "maxResultsShorts",
        "max_result_streams": "maxResultStreams",
    }

    search_queries: Texts = ()
    start_urls: Urls = ()
    max_results: int = 50
    max_results_shorts: int = 0
    max_result_streams: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class ShortsScraper(AgentRequest):
    """Short-form videos of given channels, with sorting.

    Runs `video/shorts-scraper` (section 4.7 of the specification), which costs 1 credit for each row
    (`client.estimate` says what that is in USD).

    Parameters
    ----------
    channels : channel URLs or handles
    max_results_shorts : maximum short-form videos per channel; default 50
    sort_channel_shorts_by : order of the short-form videos

    """

    _agent_name: ClassVar[str] = "video/shorts-scraper"
    _names: ClassVar[Mapping[str, str]] = {
        "channels": "channels",
        "max_results_shorts": "maxResultsShorts",
        "sort_channel_shorts_by": "sortChannelShortsBy",
    }

    channels: Texts
    max_results_shorts: int = 50
    sort_channel_shorts_by: Literal["POPULAR", "NEWEST", "OLDEST"] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class BestsellersScraper(AgentRequest):
    """Bestseller lists by category: product details, ranking, pricing.

    Runs `retail/bestsellers-scraper` (section 4.7 of the specification), which costs 1 credit for each row
    (`client.estimate` says what that is in USD).

    Parameters
    ----------
    category_urls : bestseller category URLs; each must contain /zgbs/ or /bestsellers/
    max_items_per_start_url : maximum products per category URL; the platform caps it at 100; default 100, at most
        100

    """

    _agent_name: ClassVar[str] = "retail/bestsellers-scraper"
    _names: ClassVar[Mapping[str, str]] = {
        "category_urls": "categoryUrls",
        "max_items_per_start_url": "maxItemsPerStartUrl",
    }

    category_urls: Texts
    max_items_per_start_url: int = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class ProductScraper(AgentRequest):
    """Product details: pricing, ratings, descriptions, variants.

    Runs `retail/product-scraper` (section 4.7 of the specification), which costs 1 credit for each row
    (`client.estimate` says what that is in USD).

    Parameters
    ----------
    category_or_product_urls : product or category page URLs
    max_items_per_start_url : maximum products per URL; default 50

    """

    _agent_name: ClassVar[str] = "retail/product-scraper"
    _names: ClassVar[Mapping[str, str]] = {
        "category_or_product_urls": "categoryOrProductUrls",
        "max_items_per_start_url": "maxItemsPerStartUrl",
    }

    category_or_product_urls: Urls
    max_items_per_start_url: int = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class ReviewsScraper(AgentRequest):
    """Reviews: ratings, titles, verified-purchase status, reviewer info.

    Runs `retail/reviews-scraper` (section 4.7 of the specification), which costs 1 credit for each row
    (`client.estimate` says what that is in USD).

    Parameters
    ----------
    product_urls : product URLs, normalised to domain plus /dp/<ASIN>
    max_reviews : maximum reviews per product; default 100

    """

    _agent_name: ClassVar[str] = "retail/reviews-scraper"
    _names: ClassVar[Mapping[str, str]] = {"product_urls": "productUrls", "max_reviews": "maxReviews"}

    product_urls: Urls
    max_reviews: int = 100


@dataclass(frozen=True, kw_only=True, eq=False)
class PincodeScraper(AgentRequest):
    """Availability and delivery estimates per 6-digit postal code (India store).

    Runs `retail/pincode-scraper` (section 4.7 of the specification), which costs 1 credit for each row
    (`client.estimate` says what that is in USD).

    Parameters
    ----------
    products : product URLs or ASINs of the India store
    pincodes : 6-digit Indian postal codes

    """

    _agent_name: ClassVar[str] = "retail/pincode-scraper"
    _names: ClassVar[Mapping[str, str]] = {"products": "products", "pincodes": "pincodes"}

    products: Texts
    pincodes: Texts


@dataclass(frozen=True, kw_only=True, eq=False)
class Events(AgentRequest):
    """Events by keyword search or URL: one row per event.

    Runs `events/events` (section 4.7 of the specification), which costs 10 USD for 1000 events.
    At least one of `search_queries` and `start_urls` must hold something.

    Parameters
    ----------
    search_queries : keywords to discover events
    start_urls : event, explore, search or place URLs
    max_results : number of events to return per search keyword or URL; 0 or absent means all

    """

    _agent_name: ClassVar[str] = "events/events"
    _names: ClassVar[Mapping[str, str]] = {
        "search_queries": "searchQueries",
        "start_urls": "startUrls",
        "max_results": "maxResults",
    }

    search_queries: Texts = ()
    start_urls: Texts = ()
    max_results: int | None = None

use super::Tongue;

pub(super) const ENGLISH: Tongue = Tongue {
    code: "en",
    people: &["Ada Okafor", "Liam O'Brien", "Maya Patel", "Noah \"Skip\" Turner", "Zoë Hart", "Jordan Lee"],
    venues: &["The Blue Room", "Harbour Hall", "St. Mark's Yard", "Studio 54½", "The Old Mill"],
    streets: &["Market Street", "King's Road", "5th Avenue", "Canal Walk"],
    event_names: &[
        "{topic} Night at {venue}",
        "{topic} in {city}: \"The Late Set\"",
        "Open Air {topic} 🎶",
        "{topic}, Food & Friends",
        "Introduction to {topic}",
    ],
    event_descriptions: &[
        "Join us at {venue} for an evening of {topic}.\n\nDoors open one hour before. Tickets at the door, cash only.",
        "\"The best {topic} in {city}\", says everyone who has been there. Bring a friend, bring two!",
        "A day of {topic}: talks, workshops, and a party 🎉\r\nFree for members.",
        "Small, loud, friendly. No experience with {topic} needed.",
    ],
    video_titles: &[
        "{topic}: everything you need to know",
        "I tried {topic} for 30 days (and this happened)",
        "{topic} explained in 10 minutes ⏱️",
        "\"It can't be done\" | {topic}, part 2",
        "The truth about {topic}, finally",
    ],
    comments: &[
        "This is exactly what I was looking for, thanks!",
        "First 🙌🙌",
        "\"Less is more\", he said, and then talked for an hour :)",
        "Can you do one about the older model?\n\nAsking for a friend.",
        "2:14 is the best part 😂",
        "I disagree, but the editing is great.",
    ],
    reviews: [
        ("Broke after a week", "Stopped working on day 6. Support said \"try turning it off\".\nReturned."),
        ("Not what I expected", "Smaller than in the pictures, and the colour is off."),
        ("It's okay", "Does what it says, no more, no less. Fine for the price."),
        ("Good value", "Solid build, quick delivery. One star less for the manual, which is a joke."),
        ("Love it! ❤️", "Use it every day.\n\nPros: quiet, light, looks nice.\nCons: none so far."),
    ],
};

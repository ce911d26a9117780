use super::Tongue;

pub(super) const GERMAN: Tongue = Tongue {
    code: "de",
    people: &["Jürgen Groß", "Annika Weiß", "Lukas Schäfer", "Dr. Petra Müller-Lüdenscheidt", "Can Yılmaz"],
    venues: &["Kulturbrauerei", "Alte Börse", "Schloßkeller", "Werk 3", "Café Größenwahn"],
    streets: &["Schönhauser Allee", "Hauptstraße", "Am Mühlbach", "Königsplatz"],
    event_names: &[
        "{topic}-Abend im {venue}",
        "Lange Nacht: {topic} in {city}",
        "{topic} „unter Sternen“ ✨",
        "{topic}, Brot & Wein",
        "Einführung in {topic}",
    ],
    event_descriptions: &[
        "Ein Abend mit {topic} im {venue}.\n\nEinlass ab 19 Uhr, Abendkasse 12,50 €.",
        "„Das schönste {topic} in {city}“, schreibt die Presse. Für Groß & Klein.",
        "Workshop, Gespräche, danach Tanz 💃; Anmeldung erforderlich.",
    ],
    video_titles: &[
        "{topic} einfach erklärt",
        "Ich habe {topic} getestet – ehrliches Fazit",
        "{topic}: 5 Fehler, die du vermeiden solltest",
        "„Geht nicht“ gibt's nicht: {topic}",
    ],
    comments: &[
        "Endlich mal jemand, der es verständlich erklärt. Danke!",
        "Grüße aus Köln 👋",
        "Stimmt so nicht ganz, aber das Video ist schön gemacht.",
        "Teil 2 bitte!!!\nAm besten noch heute 😄",
    ],
    reviews: [
        ("Nach einer Woche kaputt", "Leider defekt. Der Support antwortet mit „Bitte neu starten“."),
        ("Enttäuschend", "Kleiner als gedacht, Farbe weicht ab; Rücksendung war mühsam."),
        ("Geht so", "Macht, was es soll. Mehr aber auch nicht."),
        ("Gutes Preis-Leistungs-Verhältnis", "Saubere Verarbeitung, schnelle Lieferung, dürftige Anleitung."),
        ("Großartig! 👍", "Täglich in Gebrauch.\nLeise, leicht, schön."),
    ],
};

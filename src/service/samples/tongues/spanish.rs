use super::Tongue;

pub(super) const SPANISH: Tongue = Tongue {
    code: "es",
    people: &["María José Núñez", "Íñigo Peña", "Lucía Fernández", "José \"Pepe\" Ibáñez", "Ximena Güiraldes"],
    venues: &["Sala Caracol", "Teatro Español", "La Peña del Sur", "Patio de los Naranjos"],
    streets: &["Calle Mayor", "Avenida de la Constitución", "Paseo del Prado", "Calle Ñuñoa"],
    event_names: &[
        "Noche de {topic} en {venue}",
        "¡{topic} en {city}!",
        "{topic}, tapas y amigos 🍷",
        "Taller de {topic}: «desde cero»",
    ],
    event_descriptions: &[
        "Una noche de {topic} en {venue}.\n\nPuertas a las 20:30. ¿Vienes?",
        "«El mejor {topic} de {city}», dicen quienes ya estuvieron. ¡Trae a tus amigos!",
        "Charlas, taller y fiesta 🎉, con entrada libre para socios.",
    ],
    video_titles: &[
        "{topic}: todo lo que necesitas saber",
        "¿Vale la pena {topic}? Opinión sincera",
        "Probé {topic} durante 30 días 😱",
        "{topic} en 10 minutos, sin rodeos",
    ],
    comments: &[
        "¡Qué buen vídeo, muchísimas gracias!",
        "Saludos desde Perú 🇵🇪",
        "No estoy de acuerdo, pero está muy bien editado.",
        "¿Para cuándo la segunda parte?\nLa espero desde enero.",
    ],
    reviews: [
        ("Se rompió a la semana", "Dejó de funcionar; el soporte contestó «reinicie el aparato»."),
        ("No es lo que esperaba", "Más pequeño que en la foto, y otro color."),
        ("Normal", "Cumple, sin más."),
        ("Buena relación calidad-precio", "Bien hecho, llegó rápido. El manual, flojo."),
        ("¡Me encanta! 😍", "Lo uso cada día.\nLigero, silencioso, bonito."),
    ],
};

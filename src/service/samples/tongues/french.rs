use super::Tongue;

pub(super) const FRENCH: Tongue = Tongue {
    code: "fr",
    people: &["Chloé Lefèvre", "Benoît D'Amboise", "Inès Benali", "François-Xavier Noël"],
    venues: &["Le Petit Bain", "La Maroquinerie", "Théâtre de l'Œuvre", "L'Hôtel du Nord"],
    streets: &["Rue de Rivoli", "Boulevard Voltaire", "Quai de Valmy", "Rue de l'Église"],
    event_names: &[
        "Soirée {topic} à {venue}",
        "{topic} à {city} : l'intégrale",
        "Atelier {topic} « pour tous »",
        "{topic}, vin & fromage 🧀",
    ],
    event_descriptions: &[
        "Une soirée {topic} à {venue}.\n\nOuverture des portes à 20 h, entrée 10 €.",
        "« Le meilleur {topic} de {city} », dit la presse ; venez nombreux !",
        "Débutants bienvenus, matériel fourni 🎨.",
    ],
    video_titles: &[
        "{topic} : le guide complet",
        "J'ai testé {topic} (vraiment)",
        "{topic} en 10 minutes, c'est possible ?",
        "« {topic} », épisode 3",
    ],
    comments: &[
        "Merci beaucoup, c'est enfin clair !",
        "Bisous de Montréal 🍁",
        "Pas d'accord, mais le montage est superbe.",
        "Et la suite ?\nOn l'attend !",
    ],
    reviews: [
        ("Cassé au bout d'une semaine", "Le service client m'a dit de « redémarrer l'appareil »."),
        ("Déçue", "Plus petit que sur la photo, et la couleur n'est pas la bonne."),
        ("Correct", "Fait le travail, sans plus."),
        ("Bon rapport qualité-prix", "Finition soignée, livraison rapide, notice inutile."),
        ("Parfait ! 🤩", "Je l'utilise tous les jours.\nLéger, discret, joli."),
    ],
};

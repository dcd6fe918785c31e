"""French, as it is written in schools in France: a narrow space before a colon and in thousands."""

from crisps24.messages.records import Language

FRENCH = Language(
    "fr",
    "Français",
    style="unicode",
    # Nought is singular.
    form=lambda count: int(count > 1),
    decimal=",",
    thousands="\u202f",
    pages={
        # What all pages have.
        "skip": "Aller au contenu",
        "pages": "Pages",
        "footer": "Rien n’est enregistré\u00a0: l’adresse d’une page est tout ce qu’il y a à "
        "garder.",
        "start": "Accueil",
        "play": "Jouer",
        "daily": "Du jour",
        "solve": "Résoudre",
        "check": "Vérifier",
        "sheet": "Fiche",
        "wrong": "Impossible de répondre",
        "level": "niveau {level} sur 5",
        "no_level": "sans niveau",
        "rules": "Autres règles",
        "rules_help": "Ce qui n’est pas changé reste comme dans le jeu.",
        "as_the_game": "comme dans le jeu",
        "or_between": " ou ",
        "yes": "oui",
        "no": "non",
        "steps": "Étapes",
        # Words of an address as they are called in forms.
        "field_game": "Jeu",
        "field_hand": "Nombres",
        "field_target": "Nombre cible",
        "field_targets": "Cibles de … à",
        "field_level": "Niveau",
        "field_solutions": "Nombre de solutions",
        "field_essential": "Les solutions qui ne diffèrent que par 1 et 0 comptent pour une",
        "field_plain": "Avec une solution sans parenthèses",
        "field_large": "Grandes plaques",
        "field_closest": "Accepter les cibles qu’on peut seulement approcher",
        "field_repeat": "Un tirage peut revenir quand tous sont sortis",
        "field_trivial": "Accepter les cibles qui figurent dans le tirage",
        "field_seed": "Graine",
        "field_count": "Nombre d’énigmes",
        "field_rising": "Du plus facile au plus difficile",
        "field_card": "Carte",
        "field_formula": "Calculs",
        "id_help": "Le code d’une énigme, comme cards:3.3.8.8=24, convient aussi\u00a0: il indique "
        "le jeu et la cible.",
        # Start.
        "start_page": "Obtenir 24",
        "start_title": "Quatre nombres, une cible.",
        "start_told": "Placez + − × ÷ entre les nombres pour obtenir celui du milieu. Jouez une "
        "énigme, résolvez un tirage, vérifiez un calcul ou imprimez une fiche.",
        "start_card": "Jouer cette carte",
        "about_play": "Une énigme, un arbitre qui montre l’erreur, un indice si vous le voulez.",
        "about_daily": "Une énigme par jour dans chaque jeu, la même pour tous, et une ligne à "
        "partager.",
        "about_solve": "Toutes les façons d’obtenir la cible, en commençant par celles que l’on "
        "trouve d’abord.",
        "about_check": "Un calcul, un calcul par étapes, ou vingt lignes de calculs.",
        "about_sheet": "Des énigmes par niveau, sur papier, avec leurs réponses, en PDF.",
        "games": "Les jeux",
        # Solve.
        "solve_title": "Résoudre un tirage",
        "solve_button": "Résoudre",
        "solve_none": "Pas de solution pour {target}.",
        "solve_nothing": "Avec ces nombres et ces règles, on ne peut rien obtenir.",
        "solve_closest": "Ce qui s’en approche le plus\u00a0:",
        "solve_odd": "on cherche quand même les solutions.",
        "solve_count": ("{count} solution", "{count:,} solutions"),
        "solve_makes": "obtenir {target} avec {hand}",
        "solve_below": "sans niveau\u00a0: on ne compte pas au-dessous de zéro",
        "solve_formula": "Solution",
        "solve_share": "Part",
        "solve_order": "Quand tous les nombres ne sont pas obligatoires, les solutions qui en "
        "utilisent moins viennent d’abord\u00a0; puis l’idée la plus naturelle, les solutions qui "
        "ne diffèrent que par des étapes avec 1 ou 0 formant une seule idée\u00a0; et pour chaque "
        "idée, la forme la plus simple. La part est la probabilité qu’une personne qui réussit "
        "trouve cette solution-là\u00a0; la somme des parts est de 100\u00a0%.",
        "solve_route": "Le chemin le plus courant",
        "solve_more": "Afficher les {count:,} solutions",
        "solve_cut": "Voici les {count:,} premières.",
        "solve_play": "Jouer cette énigme",
        # Check.
        "check_title": "Vérifier des calculs",
        "check_told": "Des calculs, en une ligne ou par étapes, jugés selon les règles du jeu.",
        "check_button": "Vérifier",
        "check_help": "Un par ligne, {most} au plus. Les étapes d’un calcul sont séparées par des "
        "virgules, 75 + 50 = 125, 125 × 6 = 750, ou écrites chacune sur sa ligne.",
        "check_count": ("Juste\u00a0: {well} sur {count}", "Justes\u00a0: {well} sur {count}"),
        "check_none": "Incorrect",
        "check_right": "Juste",
        "check_legal": "Permis",
        "check_wrong": "Faux",
        "check_illegal": "Interdit",
        "check_malformed": "Ce n’est pas un calcul",
        "check_value": "donne {value}",
        "check_fault": "l’erreur est ici\u00a0:",
        "check_fault_end": "l’erreur est à la fin",
        # Play.
        "play_number": "Énigme {number}",
        "play_puzzle": "{task}, niveau {level}",
        "play_rules": "{game}\u00a0: {rules}",
        "play_operators": "{rules}, opérations {signs}",
        "play_score": "Score {score}",
        "play_solved": ("{count} réussie", "{count:,} réussies"),
        "play_tries": ("{count} essai manqué", "{count:,} essais manqués"),
        "play_hints": ("{count} indice", "{count:,} indices"),
        "play_field": "Un calcul, ou une étape comme 8 × 3",
        "play_button": "Essayer",
        "play_taken": "Étapes faites",
        "play_hint": "Indice",
        "play_shown": "Solution",
        "play_undo": "Annuler une étape",
        "play_restart": "Recommencer",
        "play_skip": "Passer",
        "play_next": "Énigme suivante",
        "play_again": "Rejouer",
        "play_choose": "Choisir les énigmes",
        "play_choose_button": "Distribuer",
        "play_help": "Dans le champ\u00a0: ? un indice, ! la solution, u une étape en arrière, "
        "r au début.",
        "play_clock": "Temps",
        "play_left": "Temps restant",
        "play_unclocked": "Sans chronomètre",
        "play_start": "Commencer",
        "play_waits": "Prêt\u00a0?",
        "play_waits_told": ("Il y a {count} seconde.", "Il y a {count:,} secondes."),
        "play_start_help": "Avec Commencer, les nombres apparaissent et le chronomètre tourne.",
        "play_copy": "Copier le lien",
        "play_copied": "Copié",
        # Tiles.
        "tap_tiles": "Nombres et signes à toucher",
        "tap_first": "Touchez un nombre, un signe, un nombre.",
        "tap_sign": "{tapped} … Touchez un signe.",
        "tap_number": "{tapped} … Touchez un nombre.",
        "operator_+": "plus",
        "operator_-": "moins",
        "operator_x": "fois",
        "operator_:": "divisé par",
        "play_type": "Pour écrire",
        "play_erase": "Effacer",
        "play_declared": "Votre meilleur résultat",
        "play_now": "Voici l’énigme {number} de la graine {seed}\u00a0; sans graine, il en vient "
        "d’autres.",
        "play_now_id": "Voici {id}.",
        "field_puzzle": "Énigme",
        "puzzle_help": "L’énigme dont le code est donné est jouée, quels que soient les autres "
        "choix.",
        "field_limit": "Secondes par énigme",
        "like_limit": "comme d’habitude",
        "limit_help": "Sans indication, une énigme de {games} dure {seconds} secondes, et les "
        "autres n’ont pas de chronomètre\u00a0; 0 veut dire sans chronomètre.",
        "verdict_wrong": "Ce n’est pas juste",
        "verdict_illegal": "Interdit",
        "verdict_malformed": "Ce n’est pas un calcul",
        "verdict_step": "Une étape",
        "verdict_hint": "Indice",
        "verdict_shown": "Solution",
        # Daily.
        "daily_other": "Un autre jour",
        "daily_games": "Le même jour dans d’autres jeux",
        "daily_before": "La veille",
        "daily_after": "Le lendemain",
        "daily_help": "Un jour commence à minuit, UTC. Rien n’est enregistré\u00a0: la ligne est "
        "à vous, à copier.",
        "daily_result": "Votre résultat",
        "daily_copy": "Copier",
        "daily_button": "Montrer",
        "field_date": "Date",
        # Sheet.
        "sheet_title": "Imprimer une fiche",
        "sheet_told": "Des énigmes numérotées, sur papier, avec leur corrigé\u00a0; la même graine "
        "donne la même fiche.",
        "sheet_button": "Afficher",
        "sheet_pdf": "Télécharger le PDF",
        "sheet_other": "D’autres énigmes",
        "sheet_preview": "La première page sur {count}",
        "sheet_preview_one": "La page",
        "sheet_command": "La même chose en ligne de commande",
        "sheet_puzzles": "Énigmes",
        "sheet_more": "Autres conditions",
        "field_paper": "Papier",
        "field_per_page": "Énigmes par page",
        "per_page_any": "selon la place",
        "field_title": "Titre",
        "field_name_line": "Une ligne pour le nom et la date",
        "field_cut_lines": "Des lignes pour découper les cartes",
        "field_upright": "Nombres à l’endroit",
        "field_no_dots": "Sans les points du niveau",
        "field_large_print": "Gros caractères, deux énigmes par page",
        "field_no_key": "Sans le corrigé",
        "like_title": "CM2 B",
        # Refused requests.
        "status_400": "Cette adresse est illisible.",
        "status_404": "Cette page n’existe pas.",
        "status_405": "Les pages ne se demandent que par GET.",
        "status_413": "On ne peut rien envoyer avec une question\u00a0: l’adresse dit tout.",
        "status_414": "Cette adresse est trop longue.",
        "status_421": "Ce serveur ne répond pas à ce nom. Pour l’accepter, lancez le serveur avec "
        "crisps24 serve --allow-host {host}",
        "status_422_long": "Cela dure plus de {seconds} secondes et a été arrêté\u00a0: demandez "
        "moins.",
        "status_422_memory": "La mémoire n’y suffit pas\u00a0: demandez moins.",
        "status_429": "Trop de demandes à la fois\u00a0: réessayez dans un instant.",
        "status_500": "Une erreur s’est produite ici, et ce n’est pas votre faute.",
        "status_503": "Ce serveur s’arrête\u00a0: réessayez quand il sera revenu.",
        "back": "Retour à l’accueil",
        # What the choice of a language and of signs is called.
        "settings": "Langue et signes",
        "settings_language": "Langue",
        "settings_signs": "Signes",
        "signs_usual": "signes habituels",
        "percent": "{value:.1f}\u00a0%",
    },
    sheets={
        "key": "Corrigé",
        "key_of": "Corrigé\u00a0: {title}",
        "name": "Nom",
        "date": "Date",
        "page": "page {page} sur {count}",
        "foot": "{command} (tirage {version}, crisps24 {release})",
        "nearest": "{answer} = {value}, le plus près de {target}",
        "task": "Obtiens {made} avec {numbers}, avec {signs}.",
        "task_no_parentheses": "Obtiens {made} avec {numbers}, avec {signs} mais sans (\u00a0).",
        "bold": "le nombre en gras",
        "all_numbers": ("le nombre donné", "les {count} nombres, chacun une seule fois"),
        "any_numbers": (
            "le nombre donné",
            "certains des {count} nombres, chacun une fois au plus",
        ),
        "all_others": ("l’autre nombre", "les {count} autres nombres, chacun une seule fois"),
        "any_others": (
            "l’autre nombre",
            "certains des {count} autres nombres, chacun une fois au plus",
        ),
        "all_numbers_some": "tous les nombres, chacun une seule fois",
        "any_numbers_some": "certains des nombres, chacun une fois au plus",
        "all_others_some": "tous les autres nombres, chacun une seule fois",
        "any_others_some": "certains des autres nombres, chacun une fois au plus",
        "space": " ",
        "comma": ", ",
        "near": "Si ce n’est pas possible, approche-toi le plus possible.",
        "card": "obtenir {target} avec {numbers}",
        "card_level": "obtenir {target} avec {numbers}\u00a0; niveau {level} sur 5",
        "listed": "{some} et {last}",
        "marks": "Résultats",
        "marks_nobody": "(sans nom)",
        "marks_legend": "Coche : juste. Nombre : valeur d’une réponse fausse. "
        "Croix : autre erreur. Tiret : pas de réponse.",
        "marks_right": "justes",
        "marks_of": "{right} sur {count}",
        "marks_puzzle": "{target} avec {hand}",
        "marks_key": "Corrigé : chaque fois la réponse la plus naturelle",
        "marks_wrong": "Ce qui était faux",
        "marks_unsolvable": "pas de solution",
        "quiz_hand": "Avec quels nombres ne peut-on pas obtenir {target}\u00a0? {task}",
        "quiz_sign": "Quel signe manque\u00a0? {formula}",
        "quiz_step": "Quelle est la première étape\u00a0? Les nombres sont {hand}. {task}",
        "quiz_value": "Combien cela fait-il\u00a0? {formula}",
    },
    levels={"facile": 1, "moyen": 3, "difficile": 5},
    rounds={
        "help": "? un indice · ! la solution · u annuler une étape"
        " · r recommencer · Entrée suivant · q finir",
        "task": "obtenir {target} avec {hand}",
        "none": "on ne peut pas obtenir {target} avec {hand}",
        "right": "juste\u00a0: {formula} = {value}",
        "nearest": "on ne peut pas être plus près de {target}\u00a0: {formula} = {value}",
        "step": "reste\u00a0: {left}",
        "unused": "cela fait {target}, mais il faut utiliser tous les nombres\u00a0; reste\u00a0: "
        "{left}",
        "stuck": "il reste {left}, pas {target}\u00a0: annulez une étape (u) ou recommencez (r)",
        "wrong": "cela donne {value}, pas {target}",
        "closer": "{value} est à {gap} de la cible",
        "farther": "{value} est à {gap} de la cible\u00a0; votre {best} est plus près",
        "hint": "essayez {formula}",
        "there": "{formula} est déjà là\u00a0: écrivez-le",
        "lost": "d’ici, on ne peut pas obtenir {target}\u00a0: annulez une étape (u) ou "
        "recommencez (r)",
        "only": "{formula} = {value}, la seule solution",
        "likeliest": "{formula} = {value}, la plus naturelle des {count:,} solutions",
        "points": ("{text}\u00a0: {count} point", "{text}\u00a0: {count} points"),
        "closest": "votre {value} est à {gap} de la cible",
        "over": "le temps est écoulé",
        "skipped": "passée",
        "left": "laissée ainsi",
        "ended": "cette partie est terminée",
        "clock": "encore {seconds:.0f} s",
        # How the puzzle of a day went.
        "result_day": "{day} {month} {year}",
        "result_months": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
        "result_game": "{game}, niveau {level}",
        "result_points": ("{count} point", "{count} points"),
        "result_unsolved": "pas résolue",
        "result_no_hints": "sans indice",
        "result_hints": ("{count} indice", "{count} indices"),
        "streak": ("{count} jour de suite", "{count} jours de suite"),
    },
    phrases={
        # Rules in forms.
        "Numbers there are": "Nombres disponibles",
        "Numbers in a hand": "Nombres par énigme",
        "Operators": "Opérations",
        "Parentheses": "Parenthèses",
        "Fractions on the way": "Fractions en cours de calcul",
        "Results below zero": "Résultats négatifs",
        "Results of zero": "Résultats nuls",
        "No result above": "Aucun résultat au-dessus de",
        "All numbers have to be used": "Tous les nombres doivent servir",
        "Digits may be joined": "On peut accoler les chiffres",
        # Rules in a line.
        "parentheses": "parenthèses",
        "no parentheses": "sans parenthèses",
        "whole numbers": "nombres entiers",
        "fractions": "fractions",
        "below zero": "nombres négatifs",
        "fractions and below zero": "fractions et nombres négatifs",
        "no zero": "pas de zéro",
        "nothing above {most}": "rien au-dessus de {most}",
        "no numerator or denominator above {bits}": (
            "aucun numérateur ni dénominateur au-dessus de {bits}"
        ),
        "all numbers used": "tous les nombres utilisés",
        "any of the numbers": "certains des nombres",
        "digits may be joined": "chiffres accolés permis",
        "decimals": "décimaux permis",
        "repeating decimals": "décimaux périodiques permis",
        "a minus before anything": "un moins devant tout",
        # Rules for who plays.
        "Results are whole numbers, zero or more.": "Tous les résultats sont des nombres entiers, "
        "zéro ou plus.",
        "Results are whole numbers above zero.": "Tous les résultats sont des nombres entiers plus "
        "grands que zéro.",
        "Results may be fractions and below zero.": "Les résultats peuvent être des fractions et "
        "être négatifs.",
        "Results may be fractions and below zero, but not zero.": "Les résultats peuvent être des "
        "fractions et être négatifs, mais pas nuls.",
        "Results may be below zero, but not fractions.": "Les résultats peuvent être négatifs, "
        "mais pas des fractions.",
        "Results may be below zero, but not zero or fractions.": "Les résultats peuvent être "
        "négatifs, mais ni nuls ni des fractions.",
        "Results may be fractions, but not below zero.": "Les résultats peuvent être des "
        "fractions, mais pas négatifs.",
        "Results may be fractions, but not zero or below zero.": "Les résultats peuvent être des "
        "fractions, mais ni nuls ni négatifs.",
        "No result is above {most}.": "Aucun résultat ne dépasse {most}.",
        "No numerator or denominator is above {bits}.": (
            "Aucun numérateur ni dénominateur ne dépasse {bits}."
        ),
        "A point may stand before a digit: .4 is 4/10.": (
            "Un point peut précéder un chiffre\u00a0: .4 vaut 4/10."
        ),
        "A point may stand before digits: .4 is 4/10, .44 is 44/100.": (
            "Un point peut précéder des chiffres\u00a0: .4 vaut 4/10, .44 vaut 44/100."
        ),
        "Decimals may repeat: .4… is 4/9.": (
            "Les décimaux peuvent être périodiques\u00a0: .4… vaut 4/9."
        ),
        "A minus may stand before anything.": "Un moins peut précéder tout.",
        "Digits may be joined: 1 and 2 to 12.": "On peut accoler les chiffres\u00a0: 1 et 2 "
        "font 12.",
        # Games.
        "The round cards in bags of Smiths crisps in the nineties: no parentheses, and every "
        "result a whole number, zero or more.": "Les cartes rondes des paquets de chips Smiths des "
        "années 1990\u00a0: sans parenthèses, et chaque résultat est un nombre entier, zéro ou "
        "plus.",
        "The original program's slip in grouping, kept to make and check its old files; the 24 "
        "game with parentheses is cards or digits.": "L’erreur de priorité du programme d’origine, "
        "gardée pour ses anciens fichiers\u00a0; le jeu de 24 avec parenthèses, c’est cards ou "
        "digits.",
        "The 24 game with the digits of its printed cards: any order, parentheses and exact "
        "fractions.": "Le jeu de 24 avec les chiffres de ses cartes imprimées\u00a0: ordre libre, "
        "parenthèses et fractions exactes.",
        "The 24 game with playing cards, ace to king, as it is played in China and in schools "
        "everywhere.": "Le jeu de 24 avec des cartes à jouer, de l’as au roi, comme on le joue en "
        "Chine et dans les écoles du monde entier.",
        "Cifras y Letras, as a newspaper puzzle: six tiles, each at most once, and whole numbers "
        "all the way.": "Cifras y Letras, l’énigme des journaux espagnols\u00a0: six plaques, "
        "chacune une fois au plus, et toujours des nombres entiers.",
        "The numbers round of Des chiffres et des lettres and of Countdown on television: every "
        "step has to leave a number above zero.": "«\u00a0Le compte est bon\u00a0» de l’émission "
        "Des chiffres et des lettres\u00a0: chaque étape doit donner un nombre plus grand que "
        "zéro.",
        "The four digits of a Japanese railway ticket or number plate, to be made 10.": "Les "
        "quatre chiffres d’un ticket de train ou d’une plaque japonaise, avec lesquels on obtient "
        "10.",
        "The card game Krypto: all five cards have to be used, every result a whole number, to "
        "make a sixth card.": "Le jeu de cartes Krypto\u00a0: avec cinq cartes, toutes utilisées, "
        "on obtient la sixième, et chaque résultat est un nombre entier.",
    },
)

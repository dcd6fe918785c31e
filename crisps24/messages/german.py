"""German, as it is written in schools: a dot for times, a colon for divided by."""

from crisps24.messages.records import Language

GERMAN = Language(
    "de",
    "Deutsch",
    style="dot",
    decimal=",",
    thousands=".",
    pages={
        # What all pages have.
        "skip": "Zum Inhalt",
        "pages": "Seiten",
        "footer": "Nichts wird gespeichert: Die Adresse einer Seite ist alles, was bleibt.",
        "start": "Start",
        "play": "Spielen",
        "daily": "Täglich",
        "solve": "Lösen",
        "check": "Prüfen",
        "sheet": "Arbeitsblatt",
        "wrong": "Darauf gibt es keine Antwort",
        "level": "Stufe {level} von 5",
        "no_level": "keine Stufe",
        "rules": "Andere Regeln",
        "rules_help": "Was du nicht änderst, bleibt, wie es im Spiel ist.",
        "as_the_game": "wie im Spiel",
        "or_between": " oder ",
        "yes": "ja",
        "no": "nein",
        "steps": "Schritte",
        # Words of an address as they are called in forms.
        "field_game": "Spiel",
        "field_hand": "Zahlen",
        "field_target": "Zielzahl",
        "field_targets": "Zielzahlen von … bis",
        "field_level": "Stufe",
        "field_solutions": "Anzahl der Lösungen",
        "field_essential": "Lösungen, die sich nur in 1 und 0 unterscheiden, zählen als eine",
        "field_plain": "Mit einer Lösung ohne Klammern",
        "field_large": "Große Zahlen",
        "field_closest": "Auch Zielzahlen, die nur angenähert werden können",
        "field_repeat": "Dieselben Zahlen dürfen wiederkommen, wenn alle da waren",
        "field_trivial": "Auch Zielzahlen, die unter den Zahlen sind",
        "field_seed": "Startwert",
        "field_count": "Anzahl der Rätsel",
        "field_rising": "Von leicht nach schwer",
        "field_card": "Karte",
        "field_formula": "Rechnungen",
        "id_help": "Auch die Kennung eines Rätsels geht, etwa cards:3.3.8.8=24: Sie nennt Spiel "
        "und Zielzahl.",
        # Start.
        "start_page": "Bilde 24",
        "start_title": "Vier Zahlen, ein Ziel.",
        "start_told": "Setze + − · : zwischen die Zahlen, sodass die Zahl in der Mitte "
        "herauskommt. Spiele ein Rätsel, löse eine Karte, prüfe, was jemand geschrieben hat, oder "
        "drucke ein Arbeitsblatt.",
        "start_card": "Diese Karte spielen",
        "about_play": "Ein Rätsel, ein Schiedsrichter, der den Fehler zeigt, und ein Tipp, wenn "
        "du einen willst.",
        "about_daily": "Jeden Tag ein Rätsel in jedem Spiel, für alle dasselbe, und eine Zeile "
        "zum Teilen.",
        "about_solve": "Alle Wege zur Zielzahl; zuerst die, auf die man zuerst kommt.",
        "about_check": "Eine Rechnung, ein Rechenweg in Schritten oder zwanzig Zeilen davon.",
        "about_sheet": "Rätsel nach Stufen auf Papier, mit Lösungen, als PDF.",
        "games": "Die Spiele",
        # Solve.
        "solve_title": "Zahlen lösen",
        "solve_button": "Lösen",
        "solve_none": "Keine Lösung für {target}.",
        "solve_nothing": "Aus diesen Zahlen lässt sich nach diesen Regeln nichts bilden.",
        "solve_closest": "Am nächsten kommt:",
        "solve_odd": "gelöst wird es trotzdem.",
        "solve_count": ("1 Lösung", "{count:,} Lösungen"),
        "solve_makes": "aus {hand} wird {target}",
        "solve_below": "keine Stufe: Menschen rechnen nicht unter null",
        "solve_formula": "Lösung",
        "solve_share": "Anteil",
        "solve_order": "Müssen nicht alle Zahlen benutzt werden, stehen Lösungen mit weniger "
        "Zahlen vorn; dann kommt die naheliegendere Idee, wobei Lösungen, die sich nur in "
        "Schritten mit 1 oder 0 unterscheiden, eine Idee sind; von jeder Idee zuerst die "
        "einfachste Form. Der Anteil sagt, wie wahrscheinlich jemand, der das Rätsel löst, gerade "
        "diese Lösung findet; alle Anteile ergeben zusammen 100 %.",
        "solve_route": "So kommen die meisten hin",
        "solve_more": "Alle {count:,} zeigen",
        "solve_cut": "Hier stehen die ersten {count:,}.",
        "solve_play": "Dieses Rätsel spielen",
        # Check.
        "check_title": "Rechnungen prüfen",
        "check_told": "Rechnungen oder Rechenwege in Schritten, geprüft nach den Regeln des "
        "Spiels.",
        "check_button": "Prüfen",
        "check_help": "Eine je Zeile, höchstens {most}. Die Schritte eines Rechenwegs stehen durch "
        "Kommas getrennt, 75 + 50 = 125, 125 · 6 = 750, oder in eigenen Zeilen.",
        "check_count": ("1 von 1 richtig", "{well} von {count} richtig"),
        "check_none": "Stimmt nicht",
        "check_right": "Richtig",
        "check_legal": "Erlaubt",
        "check_wrong": "Falsch",
        "check_illegal": "Nicht erlaubt",
        "check_malformed": "Keine Rechnung",
        "check_value": "ergibt {value}",
        "check_fault": "hier ist der Fehler:",
        "check_fault_end": "der Fehler ist am Ende",
        # Play.
        "play_number": "Rätsel {number}",
        "play_puzzle": "{task}, Stufe {level}",
        "play_rules": "{game}: {rules}",
        "play_operators": "{rules}, Rechenzeichen {signs}",
        "play_score": "Punktestand {score}",
        "play_solved": ("1 gelöst", "{count:,} gelöst"),
        "play_tries": ("1 falscher Versuch", "{count:,} falsche Versuche"),
        "play_hints": ("1 Tipp", "{count:,} Tipps"),
        "play_field": "Eine Rechnung oder ein Schritt wie 8 · 3",
        "play_button": "Versuchen",
        "play_taken": "Schritte bisher",
        "play_hint": "Tipp",
        "play_shown": "Lösung",
        "play_undo": "Schritt zurück",
        "play_restart": "Von vorn",
        "play_skip": "Überspringen",
        "play_next": "Nächstes Rätsel",
        "play_again": "Noch einmal spielen",
        "play_choose": "Rätsel auswählen",
        "play_choose_button": "Austeilen",
        "play_help": "Im Feld: ? ein Tipp, ! die Lösung, u ein Schritt zurück, r zum Anfang.",
        "play_clock": "Zeit",
        "play_left": "Noch",
        "play_unclocked": "Ohne Uhr",
        "play_start": "Start",
        "play_waits": "Bereit?",
        "play_waits_told": ("Du hast {count} Sekunde.", "Du hast {count:,} Sekunden."),
        "play_start_help": "Mit Start erscheinen die Zahlen, und die Uhr läuft.",
        "play_copy": "Link kopieren",
        "play_copied": "Kopiert",
        # Tiles.
        "tap_tiles": "Zahlen und Zeichen zum Antippen",
        "tap_first": "Tippe eine Zahl, ein Zeichen und eine Zahl an.",
        "tap_sign": "{tapped} … Tippe ein Zeichen an.",
        "tap_number": "{tapped} … Tippe eine Zahl an.",
        "operator_+": "plus",
        "operator_-": "minus",
        "operator_x": "mal",
        "operator_:": "geteilt durch",
        "play_type": "Zum Tippen",
        "play_erase": "Löschen",
        "play_declared": "Dein bestes Ergebnis",
        "play_now": "Das ist Rätsel {number} zum Startwert {seed}; ohne Startwert kommen andere.",
        "play_now_id": "Das ist {id}.",
        "field_puzzle": "Rätsel",
        "puzzle_help": "Steht hier die Kennung eines Rätsels, wird es gespielt, was auch immer "
        "daneben gewählt ist.",
        "field_limit": "Sekunden je Rätsel",
        "like_limit": "wie üblich",
        "limit_help": "Ohne Angabe gibt es für ein Rätsel von {games} {seconds} Sekunden, für "
        "andere keine Uhr; 0 heißt ohne Uhr.",
        "verdict_wrong": "Stimmt nicht",
        "verdict_illegal": "Nicht erlaubt",
        "verdict_malformed": "Keine Rechnung",
        "verdict_step": "Ein Schritt",
        "verdict_hint": "Tipp",
        "verdict_shown": "Lösung",
        # Daily.
        "daily_other": "Ein anderer Tag",
        "daily_games": "Derselbe Tag in anderen Spielen",
        "daily_before": "Der Tag davor",
        "daily_after": "Der Tag danach",
        "daily_help": "Ein Tag beginnt um Mitternacht, UTC. Nichts wird gespeichert: Die Zeile "
        "gehört dir, zum Kopieren.",
        "daily_result": "Dein Ergebnis",
        "daily_copy": "Kopieren",
        "daily_button": "Zeigen",
        "field_date": "Datum",
        # Sheet.
        "sheet_title": "Ein Arbeitsblatt drucken",
        "sheet_told": "Nummerierte Rätsel auf Papier, mit Lösungsblatt; derselbe Startwert ergibt "
        "dasselbe Blatt.",
        "sheet_button": "Anzeigen",
        "sheet_pdf": "PDF herunterladen",
        "sheet_other": "Andere Rätsel",
        "sheet_preview": "Die erste von {count} Seiten",
        "sheet_preview_one": "Die Seite",
        "sheet_command": "Dasselbe auf der Befehlszeile",
        "sheet_puzzles": "Rätsel",
        "sheet_more": "Weitere Bedingungen",
        "field_paper": "Papier",
        "field_per_page": "Rätsel je Seite",
        "per_page_any": "wie es passt",
        "field_title": "Titel",
        "field_name_line": "Eine Zeile für Name und Datum",
        "field_cut_lines": "Linien zum Ausschneiden der Karten",
        "field_upright": "Zahlen aufrecht",
        "field_no_dots": "Ohne Punkte für die Stufe",
        "field_large_print": "Großdruck, zwei Rätsel je Seite",
        "field_no_key": "Ohne Lösungsblatt",
        "like_title": "Klasse 5b",
        # Refused requests.
        "status_400": "Diese Adresse ist nicht zu lesen.",
        "status_404": "Diese Seite gibt es nicht.",
        "status_405": "Seiten werden nur mit GET abgefragt.",
        "status_413": "Mit einer Frage kann nichts mitgeschickt werden: Die Adresse sagt alles.",
        "status_414": "Diese Adresse ist zu lang.",
        "status_421": "Auf diesen Namen hört dieser Server nicht. Um ihn zuzulassen, starte den "
        "Server mit crisps24 serve --allow-host {host}",
        "status_422_long": "Das dauert länger als {seconds} Sekunden und wurde abgebrochen: Frag "
        "nach weniger.",
        "status_422_memory": "Dafür reicht der Speicher nicht: Frag nach weniger.",
        "status_429": "Gerade wird zu viel auf einmal gefragt: Versuch es gleich noch einmal.",
        "status_500": "Hier ist etwas schiefgegangen, und es lag nicht an dir.",
        "status_503": "Dieser Server wird gerade beendet: Frag wieder, wenn er zurück ist.",
        "back": "Zum Start",
        # What the choice of a language and of signs is called.
        "settings": "Sprache und Rechenzeichen",
        "settings_language": "Sprache",
        "settings_signs": "Rechenzeichen",
        "signs_usual": "übliche Zeichen",
        "percent": "{value:.1f}\u00a0%",
    },
    sheets={
        "key": "Lösungen",
        "key_of": "Lösungen: {title}",
        "name": "Name",
        "date": "Datum",
        "page": "Seite {page} von {count}",
        "foot": "{command} (Ziehung {version}, crisps24 {release})",
        "nearest": "{answer} = {value}, am nächsten an {target}",
        "task": "Bilde {made} aus {numbers}, mit {signs}.",
        "task_no_parentheses": "Bilde {made} aus {numbers}, mit {signs} aber ohne (\u00a0).",
        "bold": "die fett gedruckte Zahl",
        "all_numbers": ("der einen Zahl", "allen {count} Zahlen, jede genau einmal"),
        "any_numbers": ("der einen Zahl", "beliebigen der {count} Zahlen, jede höchstens einmal"),
        "all_others": ("der anderen Zahl", "allen {count} anderen Zahlen, jede genau einmal"),
        "any_others": (
            "der anderen Zahl",
            "beliebigen der {count} anderen Zahlen, jede höchstens einmal",
        ),
        "all_numbers_some": "allen Zahlen, jede genau einmal",
        "any_numbers_some": "beliebigen der Zahlen, jede höchstens einmal",
        "all_others_some": "allen anderen Zahlen, jede genau einmal",
        "any_others_some": "beliebigen der anderen Zahlen, jede höchstens einmal",
        "space": " ",
        "comma": ", ",
        "near": "Wo das nicht geht, komm so nah heran, wie du kannst.",
        "card": "bilde {target} aus {numbers}",
        "card_level": "bilde {target} aus {numbers}; Stufe {level} von 5",
        "listed": "{some} und {last}",
        "marks": "Auswertung",
        "marks_nobody": "(ohne Namen)",
        "marks_legend": "Haken: richtig. Zahl: Wert einer falschen "
        "Antwort. Kreuz: anderer Fehler. Strich: keine Antwort.",
        "marks_right": "richtig",
        "marks_of": "{right} von {count}",
        "marks_puzzle": "{target} aus {hand}",
        "marks_key": "Lösungen: jeweils die naheliegendste",
        "marks_wrong": "Was falsch war",
        "marks_unsolvable": "keine Lösung",
        "quiz_hand": "Aus welchen Zahlen lässt sich {target} nicht bilden? {task}",
        "quiz_sign": "Welches Zeichen fehlt? {formula}",
        "quiz_step": "Was ist der erste Schritt? Die Zahlen sind {hand}. {task}",
        "quiz_value": "Was kommt heraus? {formula}",
    },
    levels={"leicht": 1, "mittel": 3, "schwer": 5},
    rounds={
        "help": "? ein Hinweis · ! die Lösung · u Schritt zurück"
        " · r von vorn · Enter weiter · q beenden",
        "task": "bilde {target} aus {hand}",
        "none": "{target} lässt sich mit {hand} nicht bilden",
        "right": "richtig: {formula} = {value}",
        "nearest": "näher an {target} geht es nicht: {formula} = {value}",
        "step": "übrig: {left}",
        "unused": "das ist {target}, aber jede Zahl muss benutzt werden; übrig: {left}",
        "stuck": "damit bleibt {left}, nicht {target}: geh einen Schritt zurück (u) oder fang "
        "von vorn an (r)",
        "wrong": "das ergibt {value}, nicht {target}",
        "closer": "{value} liegt {gap} daneben",
        "farther": "{value} liegt {gap} daneben; deine {best} ist näher",
        "hint": "versuch {formula}",
        "there": "{formula} liegt schon da: gib es ein",
        "lost": "von hier aus geht {target} nicht: geh einen Schritt zurück (u) oder fang von "
        "vorn an (r)",
        "only": "{formula} = {value}, die einzige Lösung",
        "likeliest": "{formula} = {value}, von {count:,} Lösungen die naheliegendste",
        "points": ("{text}: {count} Punkt", "{text}: {count} Punkte"),
        "closest": "deine {value} liegt {gap} daneben",
        "over": "die Zeit ist um",
        "skipped": "übersprungen",
        "left": "so gelassen",
        "ended": "diese Runde ist vorbei",
        "clock": "noch {seconds:.0f} s",
        # How the puzzle of a day went.
        "result_day": "{day}. {month} {year}",
        "result_months": "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
        "result_game": "{game}, Stufe {level}",
        "result_points": ("{count} Punkt", "{count} Punkte"),
        "result_unsolved": "nicht gelöst",
        "result_no_hints": "ohne Tipps",
        "result_hints": ("{count} Tipp", "{count} Tipps"),
        "streak": ("{count} Tag in Folge", "{count} Tage in Folge"),
    },
    phrases={
        # Rules in forms.
        "Numbers there are": "Welche Zahlen es gibt",
        "Numbers in a hand": "Zahlen je Rätsel",
        "Operators": "Rechenzeichen",
        "Parentheses": "Klammern",
        "Fractions on the way": "Brüche als Zwischenergebnis",
        "Results below zero": "Ergebnisse unter null",
        "Results of zero": "Null als Ergebnis",
        "No result above": "Kein Ergebnis über",
        "All numbers have to be used": "Alle Zahlen müssen benutzt werden",
        "Digits may be joined": "Ziffern dürfen verbunden werden",
        # Rules in a line.
        "parentheses": "Klammern",
        "no parentheses": "keine Klammern",
        "whole numbers": "ganze Zahlen",
        "fractions": "Brüche",
        "below zero": "unter null",
        "fractions and below zero": "Brüche und unter null",
        "no zero": "keine Null",
        "nothing above {most}": "nichts über {most}",
        "no numerator or denominator above {bits}": "kein Zähler oder Nenner über {bits}",
        "all numbers used": "alle Zahlen benutzt",
        "any of the numbers": "beliebige der Zahlen",
        "digits may be joined": "Ziffern dürfen verbunden werden",
        "decimals": "Dezimalbrüche",
        "repeating decimals": "periodische Dezimalbrüche",
        "a minus before anything": "ein Minus vor allem",
        # Rules for who plays.
        "Results are whole numbers, zero or more.": "Alle Ergebnisse sind ganze Zahlen, null oder "
        "größer.",
        "Results are whole numbers above zero.": "Alle Ergebnisse sind ganze Zahlen über null.",
        "Results may be fractions and below zero.": "Zwischenergebnisse dürfen Brüche und kleiner "
        "als null sein.",
        "Results may be fractions and below zero, but not zero.": "Zwischenergebnisse dürfen "
        "Brüche und kleiner als null sein, aber nicht null.",
        "Results may be below zero, but not fractions.": "Zwischenergebnisse dürfen kleiner als "
        "null sein, aber keine Brüche.",
        "Results may be below zero, but not zero or fractions.": "Zwischenergebnisse dürfen "
        "kleiner als null sein, aber nicht null und keine Brüche.",
        "Results may be fractions, but not below zero.": "Zwischenergebnisse dürfen Brüche sein, "
        "aber nicht kleiner als null.",
        "Results may be fractions, but not zero or below zero.": "Zwischenergebnisse dürfen Brüche "
        "sein, aber nicht null oder kleiner.",
        "No result is above {most}.": "Kein Ergebnis ist größer als {most}.",
        "No numerator or denominator is above {bits}.": (
            "Kein Zähler oder Nenner ist größer als {bits}."
        ),
        "A point may stand before a digit: .4 is 4/10.": (
            "Vor einer Ziffer darf ein Punkt stehen: .4 ist 4/10."
        ),
        "A point may stand before digits: .4 is 4/10, .44 is 44/100.": (
            "Vor Ziffern darf ein Punkt stehen: .4 ist 4/10, .44 ist 44/100."
        ),
        "Decimals may repeat: .4… is 4/9.": "Dezimalbrüche dürfen periodisch sein: .4… ist 4/9.",
        "A minus may stand before anything.": "Vor allem darf ein Minus stehen.",
        "Digits may be joined: 1 and 2 to 12.": "Ziffern dürfen verbunden werden: 1 und 2 zu 12.",
        # Games.
        "The round cards in bags of Smiths crisps in the nineties: no parentheses, and every "
        "result a whole number, zero or more.": "Die runden Karten aus den Tüten von Smiths-Chips "
        "der Neunzigerjahre: ohne Klammern, und jedes Ergebnis eine ganze Zahl, null oder größer.",
        "The original program's slip in grouping, kept to make and check its old files; the 24 "
        "game with parentheses is cards or digits.": "Der Fehler des ursprünglichen Programms in "
        "der Rechenreihenfolge, aufgehoben für seine alten Dateien; das 24-Spiel mit Klammern ist "
        "cards oder digits.",
        "The 24 game with the digits of its printed cards: any order, parentheses and exact "
        "fractions.": "Das 24-Spiel mit den Ziffern seiner gedruckten Karten: beliebige "
        "Reihenfolge, Klammern und genaue Brüche.",
        "The 24 game with playing cards, ace to king, as it is played in China and in schools "
        "everywhere.": "Das 24-Spiel mit Spielkarten, Ass bis König, wie es in China und überall "
        "in Schulen gespielt wird.",
        "Cifras y Letras, as a newspaper puzzle: six tiles, each at most once, and whole numbers "
        "all the way.": "Cifras y Letras als Zeitungsrätsel: sechs Zahlen, jede höchstens einmal, "
        "und nur ganze Zahlen.",
        "The numbers round of Des chiffres et des lettres and of Countdown on television: every "
        "step has to leave a number above zero.": "Die Zahlenrunde aus „Des chiffres et des "
        "lettres“ und „Countdown“ im Fernsehen: Jeder Schritt muss eine Zahl über null ergeben.",
        "The four digits of a Japanese railway ticket or number plate, to be made 10.": "Die vier "
        "Ziffern einer japanischen Fahrkarte oder eines Nummernschilds, aus denen 10 werden soll.",
        "The card game Krypto: all five cards have to be used, every result a whole number, to "
        "make a sixth card.": "Das Kartenspiel Krypto: Aus allen fünf Karten wird die sechste "
        "gebildet, und jedes Ergebnis ist eine ganze Zahl.",
    },
)

"""Dutch, as it is spoken in schools in the Netherlands and in Flanders."""

from crisps24.messages.records import Language

DUTCH = Language(
    "nl",
    "Nederlands",
    style="colon",
    decimal=",",
    thousands=".",
    pages={
        # What all pages have.
        "skip": "Naar de inhoud",
        "pages": "Pagina’s",
        "footer": "Er wordt niets bewaard: het adres van een pagina is alles wat er is.",
        "start": "Begin",
        "play": "Spelen",
        "daily": "Elke dag",
        "solve": "Oplossen",
        "check": "Nakijken",
        "sheet": "Werkblad",
        "wrong": "Daar is geen antwoord op",
        "level": "niveau {level} van 5",
        "no_level": "geen niveau",
        "rules": "Andere regels",
        "rules_help": "Wat je niet invult, blijft zoals het bij dit spel hoort.",
        "as_the_game": "zoals bij het spel",
        "or_between": " of ",
        "yes": "ja",
        "no": "nee",
        "steps": "Stappen",
        # Words of an address as they are called in forms.
        "field_game": "Spel",
        "field_hand": "Getallen",
        "field_target": "Doelgetal",
        "field_targets": "Doelgetallen van … tot en met",
        "field_level": "Niveau",
        "field_solutions": "Aantal oplossingen",
        "field_essential": "Oplossingen die alleen in 1 en 0 verschillen, tellen als één",
        "field_plain": "Met een oplossing zonder haakjes",
        "field_large": "Grote getallen",
        "field_closest": "Ook doelgetallen die alleen te benaderen zijn",
        "field_repeat": "Dezelfde getallen mogen terugkomen als alles is geweest",
        "field_trivial": "Ook doelgetallen die al bij de getallen zitten",
        "field_seed": "Startgetal",
        "field_count": "Aantal puzzels",
        "field_rising": "Van makkelijk naar moeilijk",
        "field_card": "Kaart",
        "field_formula": "Formules",
        "id_help": "De code van een puzzel, zoals cards:3.3.8.8=24, mag ook: daar staan het spel "
        "en het doelgetal al in.",
        # Start.
        "start_page": "Maak 24",
        "start_title": "Vier getallen, één doel.",
        "start_told": "Zet + − × : tussen de getallen, zodat het getal in het midden eruit komt. "
        "Speel een puzzel, los een kaart op, kijk na wat iemand opschreef, of druk een werkblad "
        "af voor op tafel.",
        "start_card": "Speel deze kaart",
        "about_play": "Een puzzel, een scheidsrechter die zegt waar het misgaat, en een hint als "
        "je die wilt.",
        "about_daily": "Elke dag één puzzel in elk spel, voor iedereen dezelfde, en een regel om "
        "te delen.",
        "about_solve": "Alle manieren om het doelgetal te maken, wat mensen het eerst vinden "
        "bovenaan.",
        "about_check": "Een formule, een berekening in stappen, of twintig regels vol.",
        "about_sheet": "Puzzels per niveau op papier, met de antwoorden erbij, als pdf.",
        "games": "De spellen",
        # Solve.
        "solve_title": "Getallen oplossen",
        "solve_button": "Los op",
        "solve_none": "Geen oplossing voor {target}.",
        "solve_nothing": "Met deze getallen is volgens deze regels niets te maken.",
        "solve_closest": "Dit komt het dichtst in de buurt:",
        "solve_odd": "er is toch naar oplossingen gezocht.",
        "solve_count": ("1 oplossing", "{count:,} oplossingen"),
        "solve_makes": "met {hand} naar {target}",
        "solve_below": "geen niveau: mensen rekenen niet onder nul",
        "solve_formula": "Oplossing",
        "solve_share": "Aandeel",
        "solve_order": "Als niet alle getallen gebruikt hoeven te worden, staan oplossingen met "
        "minder getallen bovenaan; daarna het idee dat het meest voor de hand ligt, waarbij alle "
        "oplossingen die alleen in stappen met 1 of 0 verschillen één idee zijn; en van elk idee "
        "de eenvoudigste vorm eerst. Het aandeel is de kans dat iemand die de puzzel oplost juist "
        "deze oplossing vindt; samen zijn alle aandelen 100%.",
        "solve_route": "Zo komen de meeste mensen er",
        "solve_more": "Toon ze alle {count:,}",
        "solve_cut": "De eerste {count:,} staan hier.",
        "solve_play": "Speel deze puzzel",
        # Check.
        "check_title": "Formules nakijken",
        "check_told": "Formules, of berekeningen in stappen, nagekeken volgens de regels van het "
        "spel.",
        "check_button": "Kijk na",
        "check_help": "Eén per regel, hooguit {most}. Zet tussen de stappen van een berekening "
        "komma’s, 75 + 50 = 125, 125 × 6 = 750, of zet ze elk op een eigen regel.",
        "check_count": ("1 van de 1 goed", "{well} van de {count} goed"),
        "check_none": "Niet goed",
        "check_right": "Goed",
        "check_legal": "Mag",
        "check_wrong": "Fout",
        "check_illegal": "Mag niet",
        "check_malformed": "Geen formule",
        "check_value": "de uitkomst is {value}",
        "check_fault": "de fout zit hier:",
        "check_fault_end": "de fout zit aan het eind",
        # Play.
        "play_number": "Puzzel {number}",
        "play_puzzle": "{task}, niveau {level}",
        "play_rules": "{game}: {rules}",
        "play_operators": "{rules}, bewerkingen {signs}",
        "play_score": "Score {score}",
        "play_solved": ("1 opgelost", "{count:,} opgelost"),
        "play_tries": ("1 foute poging", "{count:,} foute pogingen"),
        "play_hints": ("1 hint", "{count:,} hints"),
        "play_field": "Een formule, of een stap zoals 8 × 3",
        "play_button": "Probeer",
        "play_taken": "Gezette stappen",
        "play_hint": "Hint",
        "play_shown": "Oplossing",
        "play_undo": "Stap terug",
        "play_restart": "Opnieuw beginnen",
        "play_skip": "Overslaan",
        "play_next": "Volgende puzzel",
        "play_again": "Speel nog een keer",
        "play_choose": "Puzzels kiezen",
        "play_choose_button": "Geef puzzels",
        "play_help": "In het veld: ? een hint, ! de oplossing, u een stap terug, r naar het begin.",
        "play_clock": "Tijd",
        "play_left": "Nog",
        "play_unclocked": "Zonder klok",
        "play_start": "Start",
        "play_waits": "Klaar?",
        "play_waits_told": ("Je hebt {count} seconde.", "Je hebt {count:,} seconden."),
        "play_start_help": "Met Start verschijnen de getallen en loopt de klok.",
        "play_copy": "Kopieer de link",
        "play_copied": "Gekopieerd",
        # Tiles.
        "tap_tiles": "Getallen en tekens om aan te tikken",
        "tap_first": "Tik een getal, een teken en een getal aan.",
        "tap_sign": "{tapped} … Tik een teken aan.",
        "tap_number": "{tapped} … Tik een getal aan.",
        "operator_+": "plus",
        "operator_-": "min",
        "operator_x": "keer",
        "operator_:": "gedeeld door",
        "play_type": "Om mee te typen",
        "play_erase": "Wissen",
        "play_declared": "Jouw beste",
        "play_now": "Dit is puzzel {number} van startgetal {seed}; zonder startgetal komen er "
        "andere.",
        "play_now_id": "Dit is {id}.",
        "field_puzzle": "Puzzel",
        "puzzle_help": "Met de code van een puzzel speel je die puzzel, wat er verder ook gekozen "
        "is.",
        "field_limit": "Seconden per puzzel",
        "like_limit": "zoals gewoonlijk",
        "limit_help": "Als je geen tijd invult, heb je voor een puzzel van {games} {seconds} "
        "seconden, en anders geen klok; 0 is zonder klok.",
        "verdict_wrong": "Niet goed",
        "verdict_illegal": "Mag niet",
        "verdict_malformed": "Geen formule",
        "verdict_step": "Een stap",
        "verdict_hint": "Hint",
        "verdict_shown": "Oplossing",
        # Daily.
        "daily_other": "Een andere dag",
        "daily_games": "Dezelfde dag in andere spellen",
        "daily_before": "De dag ervoor",
        "daily_after": "De dag erna",
        "daily_help": "Een dag begint om middernacht, UTC. Er wordt niets bewaard: de regel is "
        "van jou om te kopiëren.",
        "daily_result": "Jouw resultaat",
        "daily_copy": "Kopieer",
        "daily_button": "Toon",
        "field_date": "Datum",
        # Sheet.
        "sheet_title": "Een werkblad afdrukken",
        "sheet_told": "Genummerde puzzels op papier, met antwoordblad; hetzelfde startgetal geeft "
        "hetzelfde werkblad.",
        "sheet_button": "Toon",
        "sheet_pdf": "Download de pdf",
        "sheet_other": "Andere puzzels",
        "sheet_preview": "De eerste pagina van {count}",
        "sheet_preview_one": "De pagina",
        "sheet_command": "Hetzelfde op de opdrachtregel",
        "sheet_puzzles": "Puzzels",
        "sheet_more": "Meer voorwaarden",
        "field_paper": "Papier",
        "field_per_page": "Puzzels per pagina",
        "per_page_any": "wat past",
        "field_title": "Titel",
        "field_name_line": "Een regel voor naam en datum",
        "field_cut_lines": "Lijnen om de kaarten uit te knippen",
        "field_upright": "Getallen rechtop",
        "field_no_dots": "Zonder stippen voor het niveau",
        "field_large_print": "Grote letters, twee puzzels per pagina",
        "field_no_key": "Zonder antwoordblad",
        "like_title": "Groep 7",
        # Refused requests.
        "status_400": "Dit adres is niet te lezen.",
        "status_404": "Die pagina is er niet.",
        "status_405": "Pagina’s worden alleen met GET opgevraagd.",
        "status_413": "Bij een vraag kan niets worden meegestuurd: het adres zegt alles.",
        "status_414": "Dit adres is te lang.",
        "status_421": "Deze server luistert niet naar deze naam. Start hem om de naam toe te laten "
        "met crisps24 serve --allow-host {host}",
        "status_422_long": "Dit duurt langer dan {seconds} seconden en is gestopt: vraag minder.",
        "status_422_memory": "Hiervoor is niet genoeg geheugen: vraag minder.",
        "status_429": "Er wordt nu te veel tegelijk gevraagd: probeer het zo nog eens.",
        "status_500": "Hier ging iets mis, en dat lag niet aan jou.",
        "status_503": "Deze server wordt afgesloten: vraag het opnieuw als hij er weer is.",
        "back": "Naar het begin",
        # What the choice of a language and of signs is called.
        "settings": "Taal en tekens",
        "settings_language": "Taal",
        "settings_signs": "Tekens",
        "signs_usual": "gewone tekens",
        "percent": "{value:.1f}%",
    },
    sheets={
        "key": "Antwoorden",
        "key_of": "Antwoorden: {title}",
        "name": "Naam",
        "date": "Datum",
        "page": "pagina {page} van {count}",
        "foot": "{command} (trekking {version}, crisps24 {release})",
        "nearest": "{answer} = {value}, het dichtst bij {target}",
        "task": "Maak {made} met {numbers}, met {signs}.",
        "task_no_parentheses": "Maak {made} met {numbers}, met {signs} maar zonder (\u00a0).",
        "bold": "het vette getal",
        "all_numbers": ("het ene getal", "alle {count} getallen, elk één keer"),
        "any_numbers": (
            "het ene getal",
            "een of meer van de {count} getallen, elk hooguit één keer",
        ),
        "all_others": ("het andere getal", "alle {count} andere getallen, elk één keer"),
        "any_others": (
            "het andere getal",
            "een of meer van de {count} andere getallen, elk hooguit één keer",
        ),
        "all_numbers_some": "alle getallen, elk één keer",
        "any_numbers_some": "een of meer van de getallen, elk hooguit één keer",
        "all_others_some": "alle andere getallen, elk één keer",
        "any_others_some": "een of meer van de andere getallen, elk hooguit één keer",
        "space": " ",
        "comma": ", ",
        "near": "Lukt dat niet, kom dan zo dicht mogelijk in de buurt.",
        "card": "maak {target} met {numbers}",
        "card_level": "maak {target} met {numbers}; niveau {level} van 5",
        "listed": "{some} en {last}",
        "marks": "Resultaten",
        "marks_nobody": "(zonder naam)",
        "marks_legend": "Vinkje: goed. Getal: de waarde van een fout "
        "antwoord. Kruis: een andere fout. Streep: geen antwoord.",
        "marks_right": "goed",
        "marks_of": "{right} van {count}",
        "marks_puzzle": "{target} met {hand}",
        "marks_key": "De antwoorden die het vaakst gevonden worden",
        "marks_wrong": "Wat er fout was",
        "marks_unsolvable": "geen oplossing",
        "quiz_hand": "Met welke getallen kun je {target} niet maken? {task}",
        "quiz_sign": "Welk teken ontbreekt? {formula}",
        "quiz_step": "Wat is de eerste stap? De getallen zijn {hand}. {task}",
        "quiz_value": "Wat komt eruit? {formula}",
    },
    levels={"makkelijk": 1, "gemiddeld": 3, "moeilijk": 5},
    rounds={
        "help": "? een hint · ! de oplossing · u een stap terug"
        " · r opnieuw · Enter volgende · q stoppen",
        "task": "maak {target} met {hand}",
        "none": "{target} is niet te maken met {hand}",
        "right": "goed: {formula} = {value}",
        "nearest": "dichter bij {target} kan niet: {formula} = {value}",
        "step": "over: {left}",
        "unused": "dat is {target}, maar alle getallen moeten gebruikt worden; over: {left}",
        "stuck": "dan blijft {left} over, niet {target}: ga een stap terug (u), of begin opnieuw "
        "(r)",
        "wrong": "de uitkomst is {value}, niet {target}",
        "closer": "{value} zit er {gap} naast",
        "farther": "{value} zit er {gap} naast; je {best} is dichterbij",
        "hint": "probeer {formula}",
        "there": "{formula} ligt er al: typ het",
        "lost": "vanaf hier is {target} niet te maken: ga een stap terug (u), of begin opnieuw (r)",
        "only": "{formula} = {value}, de enige oplossing",
        "likeliest": "{formula} = {value}, van de {count:,} oplossingen wordt deze het vaakst "
        "gevonden",
        "points": ("{text}: {count} punt", "{text}: {count} punten"),
        "closest": "je {value} zit er {gap} naast",
        "over": "de tijd is om",
        "skipped": "overgeslagen",
        "left": "zo gelaten",
        "ended": "deze ronde is voorbij",
        "clock": "nog {seconds:.0f} s",
        # How the puzzle of a day went.
        "result_day": "{day} {month} {year}",
        "result_months": "jan feb mrt apr mei jun jul aug sep okt nov dec",
        "result_game": "{game}, niveau {level}",
        "result_points": ("{count} punt", "{count} punten"),
        "result_unsolved": "niet opgelost",
        "result_no_hints": "zonder hints",
        "result_hints": ("{count} hint", "{count} hints"),
        "streak": ("{count} dag op rij", "{count} dagen op rij"),
    },
    phrases={
        # Rules in forms.
        "Numbers there are": "Welke getallen er zijn",
        "Numbers in a hand": "Aantal getallen per puzzel",
        "Operators": "Bewerkingen",
        "Parentheses": "Haakjes",
        "Fractions on the way": "Breuken onderweg",
        "Results below zero": "Uitkomsten onder nul",
        "Results of zero": "Nul als uitkomst",
        "No result above": "Geen uitkomst boven",
        "All numbers have to be used": "Alle getallen moeten gebruikt worden",
        "Digits may be joined": "Cijfers mogen aan elkaar",
        # Rules in a line.
        "parentheses": "haakjes",
        "no parentheses": "geen haakjes",
        "whole numbers": "gehele getallen",
        "fractions": "breuken",
        "below zero": "onder nul",
        "fractions and below zero": "breuken en onder nul",
        "no zero": "geen nul",
        "nothing above {most}": "niets boven {most}",
        "no numerator or denominator above {bits}": "geen teller of noemer boven {bits}",
        "all numbers used": "alle getallen gebruiken",
        "any of the numbers": "niet alle getallen nodig",
        "digits may be joined": "cijfers mogen aan elkaar",
        "decimals": "met kommagetallen",
        "repeating decimals": "met repeterende breuken",
        "a minus before anything": "een min voor alles",
        # Rules for who plays.
        "Results are whole numbers, zero or more.": "Alle uitkomsten zijn gehele getallen, nul of "
        "meer.",
        "Results are whole numbers above zero.": "Alle uitkomsten zijn gehele getallen boven nul.",
        "Results may be fractions and below zero.": "Onderweg mogen breuken en uitkomsten onder "
        "nul.",
        "Results may be fractions and below zero, but not zero.": "Onderweg mogen breuken en "
        "uitkomsten onder nul, maar geen nul.",
        "Results may be below zero, but not fractions.": "Onderweg mogen uitkomsten onder nul, "
        "maar geen breuken.",
        "Results may be below zero, but not zero or fractions.": "Onderweg mogen uitkomsten onder "
        "nul, maar geen nul en geen breuken.",
        "Results may be fractions, but not below zero.": "Onderweg mogen breuken, maar geen "
        "uitkomsten onder nul.",
        "Results may be fractions, but not zero or below zero.": "Onderweg mogen breuken, maar "
        "geen nul en geen uitkomsten onder nul.",
        "No result is above {most}.": "Geen uitkomst is groter dan {most}.",
        "No numerator or denominator is above {bits}.": (
            "Geen teller of noemer is groter dan {bits}."
        ),
        "A point may stand before a digit: .4 is 4/10.": (
            "Voor een cijfer mag een punt staan: .4 is 4/10."
        ),
        "A point may stand before digits: .4 is 4/10, .44 is 44/100.": (
            "Voor cijfers mag een punt staan: .4 is 4/10, .44 is 44/100."
        ),
        "Decimals may repeat: .4… is 4/9.": "Breuken mogen repeteren: .4… is 4/9.",
        "A minus may stand before anything.": "Voor alles mag een min staan.",
        "Digits may be joined: 1 and 2 to 12.": "Cijfers mogen aan elkaar: 1 en 2 worden 12.",
        # Games.
        "The round cards in bags of Smiths crisps in the nineties: no parentheses, and every "
        "result a whole number, zero or more.": "De ronde kaartjes uit de zakken Smiths-chips van "
        "de jaren negentig: zonder haakjes, en elke uitkomst een geheel getal, nul of meer.",
        "The original program's slip in grouping, kept to make and check its old files; the 24 "
        "game with parentheses is cards or digits.": "De fout van het oorspronkelijke programma "
        "in de volgorde van bewerkingen, bewaard voor de oude bestanden; het 24-spel met haakjes "
        "is cards of digits.",
        "The 24 game with the digits of its printed cards: any order, parentheses and exact "
        "fractions.": "Het 24-spel met de cijfers van de gedrukte kaarten: in elke volgorde, met "
        "haakjes en breuken.",
        "The 24 game with playing cards, ace to king, as it is played in China and in schools "
        "everywhere.": "Het 24-spel met speelkaarten, van aas tot heer, zoals het in China en op "
        "scholen overal gespeeld wordt.",
        "Cifras y Letras, as a newspaper puzzle: six tiles, each at most once, and whole numbers "
        "all the way.": "Cijfers en letters zoals in Spaanse kranten: zes getallen, elk hooguit "
        "één keer, en alleen gehele getallen.",
        "The numbers round of Des chiffres et des lettres and of Countdown on television: every "
        "step has to leave a number above zero.": "De cijferronde van Cijfers en letters op "
        "televisie: na elke stap blijft er een getal boven nul over.",
        "The four digits of a Japanese railway ticket or number plate, to be made 10.": "De vier "
        "cijfers van een Japans treinkaartje of nummerbord, waarvan je 10 maakt.",
        "The card game Krypto: all five cards have to be used, every result a whole number, to "
        "make a sixth card.": "Het kaartspel Krypto: maak met alle vijf kaarten het getal van een "
        "zesde, waarbij elke uitkomst een geheel getal is.",
    },
)

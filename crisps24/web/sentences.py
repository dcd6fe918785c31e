"""Every English sentence of the pages, in one place, each by its name.

What is wrong with an answer, a hand or a wish is told by the library, in its own words.
"""

from collections.abc import Mapping
from types import MappingProxyType

from crisps24.rules.rules import RULES

SENTENCES: Mapping[str, str | tuple[str, str]] = MappingProxyType(
    {
        # What all pages have.
        "title": "{page} · crisps24",
        "skip": "To the content",
        "pages": "Pages",
        "footer": "Nothing is stored: the address of a page is all there is to keep.",
        "version": "crisps24 {version}",
        "start": "Start",
        "play": "Play",
        "solve": "Solve",
        "check": "Check",
        "sheet": "Sheet",
        "daily": "Daily",
        "wrong": "That cannot be answered",
        "level": "level {level} of 5",
        "no_level": "no level",
        "rules": "Other rules",
        "rules_help": "What is left as it is, is as the game has it.",
        "as_the_game": "as the game has it",
        "any": "any",
        "yes": "yes",
        "no": "no",
        "steps": "Steps",
        # Words of an address as they are called in forms.
        "field_game": "Game",
        "field_hand": "Numbers",
        "field_target": "Target",
        "field_targets": "Targets of a range",
        "field_level": "Level",
        "field_solutions": "How many solutions",
        "field_essential": "Solutions by 1 and 0 count as one",
        "field_plain": "With a solution without parentheses",
        "field_large": "Large tiles",
        "field_closest": "Targets that can only be approached will do",
        "field_repeat": "A hand may come again, when all have come",
        "field_trivial": "Targets that are dealt will do",
        "field_seed": "Seed",
        "field_count": "How many puzzles",
        "field_rising": "From easy to hard",
        "field_card": "Card",
        "field_formula": "Formulas",
        # What may be typed there.
        "like_hand": "4 3 8 4",
        "like_target": "24",
        "like_targets": "20..30",
        "like_level": "2..4",
        "like_solutions": "1..3",
        "like_large": "2",
        "like_seed": "7",
        "like_count": "12",
        "like_card": "4 3 8 4",
        "id_help": "The id of a puzzle, such as cards:3.3.8.8=24, will do instead: it says "
        "its game and its target.",
        # Start.
        "start_page": "Make 24",
        "start_title": "Four numbers, one target.",
        "start_told": "Put + − × ÷ between the numbers so that they make the one in the middle. "
        "Play a puzzle, solve a hand, check what somebody wrote, or print a sheet for the table.",
        "start_card": "Play this card",
        "about_play": "A puzzle, a judge that says where it is wrong, a hint when you want one.",
        "about_daily": "One puzzle a day in each game, the same for everyone, and a line to share.",
        "about_solve": "Every way to make the target, those first that people find first.",
        "about_check": "A formula, a working in steps, or twenty lines of them.",
        "about_sheet": "Puzzles by level on paper, with their answers, as a PDF.",
        "games": "The games",
        # Solve.
        "solve_title": "Solve a hand",
        "solve_told": "Every way to make the target, those first that people find first.",
        "solve_button": "Solve",
        "solve_none": "No solution for {target}.",
        "solve_nothing": "Nothing can be made of these numbers by these rules.",
        "solve_closest": "The closest that can be made:",
        "solve_odd": "{why}; it is solved all the same.",
        "solve_count": ("1 solution", "{count:,} solutions"),
        "solve_makes": "{hand} to {target}",
        "solve_below": "no level: people do not go below zero",
        "solve_formula": "Solution",
        "solve_share": "Share",
        "solve_order": "Where not all numbers have to be used, fewer come first; then the likelier "
        "idea, which is all solutions together that differ only in steps by 1 or 0; of one idea "
        "the plainest. The share is how likely it is that a person who solves it finds this very "
        "one; all shares add up to 100 %.",
        "solve_route": "How most people get there",
        "solve_more": "Show all {count:,}",
        "solve_cut": "The first {count:,} are shown.",
        "solve_play": "Play it",
        # Check.
        "check_title": "Check formulas",
        "check_told": "Formulas, or workings in steps, judged by the rules of the game.",
        "check_button": "Check",
        "check_help": "One a line, at most {most}. A working has its steps apart by commas, "
        "75 + 50 = 125, 125 x 6 = 750, or in lines of their own.",
        "check_count": ("1 of 1 is well", "{well} of {count} are well"),
        "check_none": "Not well",
        "check_right": "Right",
        "check_legal": "Legal",
        "check_wrong": "Wrong",
        "check_illegal": "Illegal",
        "check_malformed": "No formula",
        "check_value": "makes {value}",
        "check_fault": "the fault is here:",
        "check_fault_end": "the fault is at the end",
        # Play.
        "play_number": "Puzzle {number}",
        "play_puzzle": "{task}, level {level}",
        "play_rules": "{game}: {rules}",
        "play_operators": "{rules}, operators {signs}",
        "play_score": "Score {score}",
        "play_solved": ("1 solved", "{count:,} solved"),
        "play_tries": ("1 wrong try", "{count:,} wrong tries"),
        "play_hints": ("1 hint", "{count:,} hints"),
        "play_field": "A formula, or a step such as 8 x 3",
        "play_button": "Try",
        "play_taken": "Steps taken",
        "play_hint": "Hint",
        "play_shown": "Solution",
        "play_undo": "Undo a step",
        "play_restart": "Start over",
        "play_skip": "Skip",
        "play_next": "Next puzzle",
        "play_again": "Play it again",
        "play_choose": "Choose puzzles",
        "play_choose_button": "Deal",
        "play_help": "In the field: ? a hint, ! the solution, u a step back, r to the start.",
        "play_clock": "Time",
        "play_left": "Time left",
        "play_unclocked": "Without the clock",
        "play_start": "Start",
        "play_waits": "Ready?",
        "play_waits_told": ("There is 1 second.", "There are {count:,} seconds."),
        "play_start_help": "With Start the numbers are shown, and the clock runs.",
        "play_id": "Puzzle",
        "play_copy": "Copy the link",
        "play_copied": "Copied",
        # Tiles.
        "tap_tiles": "Numbers and signs to tap",
        "tap_first": "Tap a number, a sign, a number.",
        "tap_sign": "{tapped} and then? Tap a sign.",
        "tap_number": "{tapped} … Tap a number.",
        "operator_+": "plus",
        "operator_-": "minus",
        "operator_x": "times",
        "operator_:": "divided by",
        "play_type": "To type with",
        "play_erase": "Erase",
        "play_declared": "Your closest",
        "play_now": "This is puzzle {number} of seed {seed}; without a seed others are dealt.",
        "play_now_id": "This is {id}.",
        "field_puzzle": "Puzzle",
        "like_puzzle": "cards:3.3.8.8=24",
        "puzzle_help": "A puzzle that is named by its id is played, whatever is chosen beside it.",
        "field_limit": "Seconds for each",
        "like_limit": "as usual",
        "limit_help": "Where no seconds are given, a puzzle of {games} has {seconds}, and any "
        "other no clock; 0 is no clock.",
        "verdict_wrong": "Not right",
        "verdict_illegal": "Not allowed",
        "verdict_malformed": "No formula",
        "verdict_step": "A step",
        "verdict_hint": "Hint",
        "verdict_shown": "Solution",
        # Daily.
        "daily_other": "Another day",
        "daily_games": "The same day in other games",
        "daily_before": "The day before",
        "daily_after": "The day after",
        "daily_help": "A day begins at midnight, by UTC. Nothing is stored: the line is yours to "
        "copy.",
        "daily_result": "Your result",
        "daily_copy": "Copy",
        "daily_button": "Show",
        "field_date": "Date",
        # Sheet.
        "sheet_title": "Print a sheet",
        "sheet_told": "Puzzles on paper, numbered, with a key; the same seed makes the same sheet.",
        "sheet_button": "Show",
        "sheet_pdf": "Download the PDF",
        "sheet_other": "Other puzzles",
        "sheet_preview": "The first page of {count}",
        "sheet_preview_one": "The page",
        "sheet_command": "The same on the command line",
        "sheet_puzzles": "Puzzles",
        "sheet_paper": "Paper",
        "sheet_more": "More conditions",
        "field_paper": "Paper",
        "field_per_page": "Puzzles on a page",
        "per_page_any": "as fits",
        "field_title": "Title",
        "field_name_line": "A line for name and date",
        "field_cut_lines": "Lines to cut the cards out by",
        "field_no_key": "Without the key",
        "like_title": "Class 5b",
        # What is refused at the door.
        "status_400": "This address cannot be read.",
        "status_404": "There is no such page.",
        "status_405": "Pages are asked for by GET alone.",
        "status_413": "Nothing can be sent with a question: the address says everything.",
        "status_414": "This address is too long.",
        "status_421": "This server does not go by that name; start it with --allow-host to let it.",
        "status_422_long": "This takes longer than {seconds} seconds, and was stopped: "
        "ask for less.",
        "status_422_memory": "This takes more memory than there is: ask for less.",
        "status_429": "More is asked than can be answered at once: try again in a moment.",
        "status_500": "Something went wrong here, and was not your fault.",
        "status_503": "This server is being ended: ask again when it is there.",
        "back": "To the start",
        # Rules of games, as their records call them.
        **{f"field_{rule.word}": rule.label for rule in RULES.values() if rule.label},
        **{f"like_{rule.word}": rule.like for rule in RULES.values() if rule.like},
    }
)


def say(name: str, count: int | None = None, **words: object) -> str:
    """Return a sentence with words put in, of one thing or of several.

    >>> say("solve_count", 1), say("solve_count", 1234)
    ('1 solution', '1,234 solutions')
    """
    told = SENTENCES[name]
    sentence = told if isinstance(told, str) else told[count != 1]
    return sentence.format(count=count, **words)

"""Spanish, as it is written in schools in Spain."""

from crisps24.messages.records import Language

SPANISH = Language(
    "es",
    "Español",
    style="colon",
    decimal=",",
    thousands=".",
    pages={
        # What all pages have.
        "skip": "Ir al contenido",
        "pages": "Páginas",
        "footer": "No se guarda nada: la dirección de una página es todo lo que hay.",
        "start": "Inicio",
        "play": "Jugar",
        "daily": "Cada día",
        "solve": "Resolver",
        "check": "Comprobar",
        "sheet": "Ficha",
        "wrong": "No se puede responder",
        "level": "nivel {level} de 5",
        "no_level": "sin nivel",
        "rules": "Otras reglas",
        "rules_help": "Lo que no cambies queda como en el juego.",
        "as_the_game": "como en el juego",
        "or_between": " o ",
        "yes": "sí",
        "no": "no",
        "steps": "Pasos",
        # Words of an address as they are called in forms.
        "field_game": "Juego",
        "field_hand": "Números",
        "field_target": "Objetivo",
        "field_targets": "Objetivos desde … hasta",
        "field_level": "Nivel",
        "field_solutions": "Número de soluciones",
        "field_essential": "Las soluciones que solo cambian en 1 y 0 cuentan como una",
        "field_plain": "Con una solución sin paréntesis",
        "field_large": "Números grandes",
        "field_closest": "También objetivos a los que solo es posible acercarse",
        "field_repeat": "Los mismos números pueden volver cuando hayan salido todos",
        "field_trivial": "También objetivos que están entre los números",
        "field_seed": "Semilla",
        "field_count": "Cuántos retos",
        "field_rising": "De fácil a difícil",
        "field_card": "Carta",
        "field_formula": "Operaciones",
        "id_help": "También vale el código de un reto, como cards:3.3.8.8=24: dice cuál es el "
        "juego y cuál el objetivo.",
        # Start.
        "start_page": "Consigue 24",
        "start_title": "Cuatro números, un objetivo.",
        "start_told": "Pon + − × : entre los números para conseguir el del centro. Juega un reto, "
        "resuelve una carta, comprueba lo que alguien escribió o imprime una ficha.",
        "start_card": "Jugar esta carta",
        "about_play": "Un reto, un juez que dice dónde está el fallo y una pista si la quieres.",
        "about_daily": "Un reto al día en cada juego, el mismo para todos, y una línea para "
        "compartir.",
        "about_solve": "Todas las formas de llegar al objetivo; primero las que antes se "
        "encuentran.",
        "about_check": "Una operación, un cálculo por pasos o veinte líneas de ellos.",
        "about_sheet": "Retos por nivel, en papel y con sus soluciones, en PDF.",
        "games": "Los juegos",
        # Solve.
        "solve_title": "Resolver unos números",
        "solve_button": "Resolver",
        "solve_none": "No hay solución para {target}.",
        "solve_nothing": "Con estos números y estas reglas no se puede conseguir nada.",
        "solve_closest": "Lo que más se acerca:",
        "solve_odd": "se resuelve de todos modos.",
        "solve_count": ("1 solución", "{count:,} soluciones"),
        "solve_makes": "conseguir {target} con {hand}",
        "solve_below": "sin nivel: nadie calcula por debajo de cero",
        "solve_formula": "Solución",
        "solve_share": "Parte",
        "solve_order": "Si no hay que usar todos los números, van primero las soluciones con menos "
        "números; después, la idea más natural, que son todas las soluciones que solo se "
        "diferencian en pasos con 1 o 0; y de cada idea, la forma más sencilla. La parte es la "
        "probabilidad de que quien resuelve el reto encuentre justo esta solución; todas suman "
        "100\u00a0%.",
        "solve_route": "El camino más habitual",
        "solve_more": "Ver las {count:,}",
        "solve_cut": "Aquí están las {count:,} primeras.",
        "solve_play": "Jugar este reto",
        # Check.
        "check_title": "Comprobar operaciones",
        "check_told": "Operaciones, o cálculos por pasos, según las reglas del juego.",
        "check_button": "Comprobar",
        "check_help": "Una por línea, {most} como mucho. Los pasos de un cálculo van separados por "
        "comas, 75 + 50 = 125, 125 × 6 = 750, o cada uno en su línea.",
        "check_count": ("1 de 1 bien", "{well} de {count} bien"),
        "check_none": "No está bien",
        "check_right": "Correcto",
        "check_legal": "Permitido",
        "check_wrong": "Incorrecto",
        "check_illegal": "No permitido",
        "check_malformed": "No es una operación",
        "check_value": "da {value}",
        "check_fault": "el fallo está aquí:",
        "check_fault_end": "el fallo está al final",
        # Play.
        "play_number": "Reto {number}",
        "play_puzzle": "{task}, nivel {level}",
        "play_rules": "{game}: {rules}",
        "play_operators": "{rules}, operaciones {signs}",
        "play_score": "Puntuación {score}",
        "play_solved": ("1 resuelto", "{count:,} resueltos"),
        "play_tries": ("1 intento fallido", "{count:,} intentos fallidos"),
        "play_hints": ("1 pista", "{count:,} pistas"),
        "play_field": "Una operación, o un paso como 8 × 3",
        "play_button": "Probar",
        "play_taken": "Pasos dados",
        "play_hint": "Pista",
        "play_shown": "Solución",
        "play_undo": "Deshacer un paso",
        "play_restart": "Empezar de nuevo",
        "play_skip": "Saltar",
        "play_next": "Siguiente reto",
        "play_again": "Jugar otra vez",
        "play_choose": "Elegir retos",
        "play_choose_button": "Repartir",
        "play_help": "En el campo: ? una pista, ! la solución, u un paso atrás, r al principio.",
        "play_clock": "Tiempo",
        "play_left": "Tiempo restante",
        "play_unclocked": "Sin reloj",
        "play_start": "Empezar",
        "play_waits": "¿Todo listo?",
        "play_waits_told": ("Hay {count} segundo.", "Hay {count:,} segundos."),
        "play_start_help": "Con Empezar se ven los números y corre el reloj.",
        "play_copy": "Copiar el enlace",
        "play_copied": "Copiado",
        # Tiles.
        "tap_tiles": "Números y signos para tocar",
        "tap_first": "Toca un número, un signo y un número.",
        "tap_sign": "{tapped} … Toca un signo.",
        "tap_number": "{tapped} … Toca un número.",
        "operator_+": "más",
        "operator_-": "menos",
        "operator_x": "por",
        "operator_:": "entre",
        "play_type": "Para escribir",
        "play_erase": "Borrar",
        "play_declared": "Tu mejor resultado",
        "play_now": "Este es el reto {number} de la semilla {seed}; sin semilla salen otros.",
        "play_now_id": "Este es {id}.",
        "field_puzzle": "Reto",
        "puzzle_help": "Si das el código de un reto, se juega ese, elijas lo que elijas al lado.",
        "field_limit": "Segundos por reto",
        "like_limit": "lo habitual",
        "limit_help": "Si no dices nada, un reto de {games} tiene {seconds} segundos y los demás "
        "no tienen reloj; 0 es sin reloj.",
        "verdict_wrong": "No está bien",
        "verdict_illegal": "No permitido",
        "verdict_malformed": "No es una operación",
        "verdict_step": "Un paso",
        "verdict_hint": "Pista",
        "verdict_shown": "Solución",
        # Daily.
        "daily_other": "Otro día",
        "daily_games": "El mismo día en otros juegos",
        "daily_before": "El día anterior",
        "daily_after": "El día siguiente",
        "daily_help": "El día empieza a medianoche, UTC. No se guarda nada: la línea es tuya, "
        "para copiarla.",
        "daily_result": "Tu resultado",
        "daily_copy": "Copiar",
        "daily_button": "Ver",
        "field_date": "Fecha",
        # Sheet.
        "sheet_title": "Imprimir una ficha",
        "sheet_told": "Retos numerados, en papel y con sus soluciones; la misma semilla da la "
        "misma ficha.",
        "sheet_button": "Mostrar",
        "sheet_pdf": "Descargar el PDF",
        "sheet_other": "Otros retos",
        "sheet_preview": "La primera página de {count}",
        "sheet_preview_one": "La página",
        "sheet_command": "Lo mismo en la línea de órdenes",
        "sheet_puzzles": "Retos",
        "sheet_more": "Más condiciones",
        "field_paper": "Papel",
        "field_per_page": "Retos por página",
        "per_page_any": "los que quepan",
        "field_title": "Título",
        "field_name_line": "Una línea para el nombre y la fecha",
        "field_cut_lines": "Líneas para recortar las cartas",
        "field_upright": "Números derechos",
        "field_no_dots": "Sin los puntos del nivel",
        "field_large_print": "Letra grande, dos retos por página",
        "field_no_key": "Sin las soluciones",
        "like_title": "5.º B",
        # Refused requests.
        "status_400": "Esta dirección no se puede leer.",
        "status_404": "Esa página no existe.",
        "status_405": "Las páginas solo se piden con GET.",
        "status_413": "No se puede enviar nada con una pregunta: la dirección lo dice todo.",
        "status_414": "Esta dirección es demasiado larga.",
        "status_421": "Este servidor no responde a este nombre. Para admitirlo, inicia el servidor "
        "con crisps24 serve --allow-host {host}",
        "status_422_long": "Esto tarda más de {seconds} segundos y se ha detenido: pide menos.",
        "status_422_memory": "No hay memoria suficiente: pide menos.",
        "status_429": "Hay demasiadas peticiones a la vez: inténtalo de nuevo en un momento.",
        "status_500": "Algo ha fallado aquí, y no ha sido culpa tuya.",
        "status_503": "Este servidor se está cerrando: vuelve cuando esté de nuevo.",
        "back": "Volver al inicio",
        # What the choice of a language and of signs is called.
        "settings": "Idioma y signos",
        "settings_language": "Idioma",
        "settings_signs": "Signos",
        "signs_usual": "signos habituales",
        "percent": "{value:.1f}\u00a0%",
    },
    sheets={
        "key": "Soluciones",
        "key_of": "Soluciones: {title}",
        "name": "Nombre",
        "date": "Fecha",
        "page": "página {page} de {count}",
        "foot": "{command} (sorteo {version}, crisps24 {release})",
        "nearest": "{answer} = {value}, lo más cercano a {target}",
        "task": "Consigue {made} con {numbers}, con {signs}.",
        "task_no_parentheses": "Consigue {made} con {numbers}, con {signs} pero sin (\u00a0).",
        "bold": "el número en negrita",
        "all_numbers": ("el número", "los {count} números, cada uno una sola vez"),
        "any_numbers": (
            "el número",
            "los que quieras de los {count} números, cada uno una vez como máximo",
        ),
        "all_others": ("el otro número", "los otros {count} números, cada uno una sola vez"),
        "any_others": (
            "el otro número",
            "los que quieras de los otros {count} números, cada uno una vez como máximo",
        ),
        "all_numbers_some": "todos los números, cada uno una sola vez",
        "any_numbers_some": "los números que quieras, cada uno una vez como máximo",
        "all_others_some": "todos los otros números, cada uno una sola vez",
        "any_others_some": "los que quieras de los otros números, cada uno una vez como máximo",
        "space": " ",
        "comma": ", ",
        "near": "Si no es posible, acércate todo lo que puedas.",
        "card": "consigue {target} con {numbers}",
        "card_level": "consigue {target} con {numbers}; nivel {level} de 5",
        "listed": "{some} y {last}",
        "marks": "Resultados",
        "marks_nobody": "(sin nombre)",
        "marks_legend": "Marca: correcto. Número: valor de una respuesta "
        "incorrecta. Cruz: otro error. Raya: sin respuesta.",
        "marks_right": "aciertos",
        "marks_of": "{right} de {count}",
        "marks_puzzle": "{target} con {hand}",
        "marks_key": "Soluciones: en cada caso, la más natural",
        "marks_wrong": "Errores",
        "marks_unsolvable": "no hay solución",
        "quiz_hand": "¿Con qué números no se puede conseguir {target}? {task}",
        "quiz_sign": "¿Qué signo falta? {formula}",
        "quiz_step": "¿Cuál es el primer paso? Los números son {hand}. {task}",
        "quiz_value": "¿Cuánto da? {formula}",
    },
    levels={"fácil": 1, "facil": 1, "medio": 3, "difícil": 5, "dificil": 5},
    rounds={
        "help": "? una pista · ! la solución · u deshacer un paso"
        " · r empezar de nuevo · Intro siguiente · q terminar",
        "task": "consigue {target} con {hand}",
        "none": "no se puede obtener {target} con {hand}",
        "right": "correcto: {formula} = {value}",
        "nearest": "no es posible acercarse más a {target}: {formula} = {value}",
        "step": "quedan: {left}",
        "unused": "eso es {target}, pero hay que usar todos los números; quedan: {left}",
        "stuck": "queda {left}, no {target}: deshaz un paso (u) o empieza de nuevo (r)",
        "wrong": "da {value}, no {target}",
        "closer": "{value} está a {gap} del objetivo",
        "farther": "{value} está a {gap} del objetivo; tu {best} está más cerca",
        "hint": "prueba {formula}",
        "there": "{formula} ya está ahí: escríbelo",
        "lost": "desde aquí no se puede conseguir {target}: deshaz un paso (u) o empieza de "
        "nuevo (r)",
        "only": "{formula} = {value}, la única solución",
        "likeliest": "{formula} = {value}, la más natural de las {count:,} soluciones",
        "points": ("{text}: {count} punto", "{text}: {count} puntos"),
        "closest": "tu {value} está a {gap} del objetivo",
        "over": "se acabó el tiempo",
        "skipped": "saltado",
        "left": "se queda así",
        "ended": "esta partida ha terminado",
        "clock": "quedan {seconds:.0f} s",
        # How the puzzle of a day went.
        "result_day": "{day} {month} {year}",
        "result_months": "ene feb mar abr may jun jul ago sept oct nov dic",
        "result_game": "{game}, nivel {level}",
        "result_points": ("{count} punto", "{count} puntos"),
        "result_unsolved": "sin resolver",
        "result_no_hints": "sin pistas",
        "result_hints": ("{count} pista", "{count} pistas"),
        "streak": ("{count} día seguido", "{count} días seguidos"),
    },
    phrases={
        # Rules in forms.
        "Numbers there are": "Números que hay",
        "Numbers in a hand": "Números por reto",
        "Operators": "Operaciones",
        "Parentheses": "Paréntesis",
        "Fractions on the way": "Fracciones en los pasos",
        "Results below zero": "Resultados por debajo de cero",
        "Results of zero": "Cero como resultado",
        "No result above": "Ningún resultado mayor que",
        "All numbers have to be used": "Hay que usar todos los números",
        "Digits may be joined": "Las cifras se pueden juntar",
        # Rules in a line.
        "parentheses": "con paréntesis",
        "no parentheses": "sin paréntesis",
        "whole numbers": "números enteros",
        "fractions": "fracciones",
        "below zero": "números bajo cero",
        "fractions and below zero": "fracciones y números bajo cero",
        "no zero": "sin el cero",
        "nothing above {most}": "nada mayor que {most}",
        "no numerator or denominator above {bits}": (
            "ningún numerador ni denominador mayor que {bits}"
        ),
        "all numbers used": "con todos los números",
        "any of the numbers": "con los números que quieras",
        "digits may be joined": "las cifras se pueden juntar",
        "decimals": "con decimales",
        "repeating decimals": "con decimales periódicos",
        "a minus before anything": "menos delante de todo",
        # Rules for who plays.
        "Results are whole numbers, zero or more.": "Todos los resultados son números enteros, "
        "cero o más.",
        "Results are whole numbers above zero.": "Todos los resultados son números enteros mayores "
        "que cero.",
        "Results may be fractions and below zero.": "Los resultados pueden ser fracciones y "
        "números negativos.",
        "Results may be fractions and below zero, but not zero.": "Los resultados pueden ser "
        "fracciones y números negativos, pero no cero.",
        "Results may be below zero, but not fractions.": "Los resultados pueden ser negativos, "
        "pero no fracciones.",
        "Results may be below zero, but not zero or fractions.": "Los resultados pueden ser "
        "negativos, pero no cero ni fracciones.",
        "Results may be fractions, but not below zero.": "Los resultados pueden ser fracciones, "
        "pero no negativos.",
        "Results may be fractions, but not zero or below zero.": "Los resultados pueden ser "
        "fracciones, pero no cero ni negativos.",
        "No result is above {most}.": "Ningún resultado es mayor que {most}.",
        "No numerator or denominator is above {bits}.": (
            "Ningún numerador ni denominador es mayor que {bits}."
        ),
        "A point may stand before a digit: .4 is 4/10.": (
            "Delante de una cifra puede ir un punto: .4 es 4/10."
        ),
        "A point may stand before digits: .4 is 4/10, .44 is 44/100.": (
            "Delante de las cifras puede ir un punto: .4 es 4/10, .44 es 44/100."
        ),
        "Decimals may repeat: .4… is 4/9.": "Los decimales pueden ser periódicos: .4… es 4/9.",
        "A minus may stand before anything.": "Delante de todo puede ir un menos.",
        "Digits may be joined: 1 and 2 to 12.": "Las cifras se pueden juntar: 1 y 2 forman 12.",
        # Games.
        "The round cards in bags of Smiths crisps in the nineties: no parentheses, and every "
        "result a whole number, zero or more.": "Las cartas redondas de las bolsas de patatas "
        "Smiths de los noventa: sin paréntesis, y cada resultado es un número entero, cero o más.",
        "The original program's slip in grouping, kept to make and check its old files; the 24 "
        "game with parentheses is cards or digits.": "El error del programa original en el orden "
        "de las operaciones, conservado para sus archivos antiguos; el juego del 24 con "
        "paréntesis es cards o digits.",
        "The 24 game with the digits of its printed cards: any order, parentheses and exact "
        "fractions.": "El juego del 24 con las cifras de sus cartas impresas: en cualquier orden, "
        "con paréntesis y fracciones exactas.",
        "The 24 game with playing cards, ace to king, as it is played in China and in schools "
        "everywhere.": "El juego del 24 con naipes, del as al rey, como se juega en China y en "
        "escuelas de todo el mundo.",
        "Cifras y Letras, as a newspaper puzzle: six tiles, each at most once, and whole numbers "
        "all the way.": "Cifras y Letras como pasatiempo de periódico: seis números, cada uno una "
        "vez como mucho, y siempre enteros.",
        "The numbers round of Des chiffres et des lettres and of Countdown on television: every "
        "step has to leave a number above zero.": "La prueba de cifras de los concursos Des "
        "chiffres et des lettres y Countdown: cada paso tiene que dar un número mayor que cero.",
        "The four digits of a Japanese railway ticket or number plate, to be made 10.": "Las "
        "cuatro cifras de un billete de tren o de una matrícula de Japón, con las que hay que "
        "conseguir 10.",
        "The card game Krypto: all five cards have to be used, every result a whole number, to "
        "make a sixth card.": "El juego de cartas Krypto: con las cinco cartas se consigue la "
        "sexta, y cada resultado es un número entero.",
    },
)

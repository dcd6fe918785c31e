/* Brute force for comparison: all texts of a length, evaluated character by character; marks of
   guesses by crossing out characters; missing signs by trying each operator. */

#include <stdlib.h>
#include <string.h>

typedef long long number;
typedef struct { number above, below; } value;
typedef struct {
    const char *signs;               /* the allowed operators, of + - * / */
    int left, right;                 /* 1 a number, 2 a formula, 3 either */
    int lone, leading, fractions, negatives, zero, most;
} rules;

static number divisor(number a, number b)
{
    while (b) {
        number rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static int step(value *a, char sign, value b, const rules *r)
{
    value c;
    if (!strchr(r->signs, sign))
        return 0;
    switch (sign) {
    case '+': c = (value){a->above * b.below + b.above * a->below, a->below * b.below}; break;
    case '-': c = (value){a->above * b.below - b.above * a->below, a->below * b.below}; break;
    case '*': c = (value){a->above * b.above, a->below * b.below}; break;
    default:
        if (!b.above)
            return 0;
        c = (value){a->above * b.below, a->below * b.above};
    }
    if (c.below < 0)
        c = (value){-c.above, -c.below};
    number shared = c.below == 1 ? 1 : divisor(c.above, c.below);
    if (shared > 1)
        c = (value){c.above / shared, c.below / shared};
    if ((!r->fractions && c.below != 1) || (!r->negatives && c.above < 0))
        return 0;
    if ((!r->zero && !c.above) || (r->most && c.above > r->most * c.below))
        return 0;
    *a = c;
    return 1;
}

/* Evaluates a side: returns 1 for a number, 2 for a formula, 0 for another text. */
static int side(const char *text, int length, const rules *r, value *made)
{
    value numbers[32];
    char signs[32];
    int count = 0, zero = 0;
    for (int at = 0; at <= length; at++) {
        int start = at;
        number whole = 0;
        while (at < length && text[at] >= '0' && text[at] <= '9')
            whole = 10 * whole + text[at++] - '0';
        if (at == start || (at - start > 1 && text[start] == '0' && !r->leading))
            return 0;
        zero |= !whole;
        numbers[count] = (value){whole, 1};
        if (at < length)
            signs[count] = text[at];
        count++;
    }
    if (text[length - 1] < '0')
        return 0;
    if (count > 1 && zero && !r->lone)
        return 0;
    int kind = count > 1 ? 2 : 1;
    for (int loose = 0; loose < 2; loose++)
        for (int at = 0; at + 1 < count;) {
            if (!loose && (signs[at] == '+' || signs[at] == '-')) {
                at++;
                continue;
            }
            if (!step(&numbers[at], signs[at], numbers[at + 1], r))
                return 0;
            count--;
            memmove(numbers + at + 1, numbers + at + 2, (count - at - 1) * sizeof *numbers);
            memmove(signs + at, signs + at + 1, count - at);
        }
    *made = numbers[0];
    return kind;
}

typedef struct { value made; int kind; char text[12]; } line;

static int by_value(const void *one, const void *other)
{
    const line *a = one, *b = other;
    if (a->made.above != b->made.above)
        return a->made.above < b->made.above ? -1 : 1;
    return (a->made.below > b->made.below) - (a->made.below < b->made.below);
}

static line *found;
static long count, room;

/* Stores all texts of a size that are sides of the allowed kinds. */
static void sides(char *text, int at, int size, int kinds, const rules *r)
{
    if (at == size) {
        line one;
        one.kind = side(text, size, r, &one.made);
        if (!(one.kind & kinds))
            return;
        if (count == room)
            found = realloc(found, (room = 2 * room + 1024) * sizeof *found);
        memcpy(one.text, text, size);
        found[count++] = one;
        return;
    }
    for (const char *each = "0123456789+-*/"; *each; each++) {
        if (*each < '0' && (kinds == 1 || !at || text[at - 1] < '0'))
            continue;
        text[at] = *each;
        sides(text, at + 1, size, kinds, r);
    }
}

/* Writes all equations without separators, in any order; returns their number. */
long equations(int length, const rules *r, char *out)
{
    long all = 0;
    char text[16];
    for (int size = 1; size < length - 1; size++) {
        int rest = length - 1 - size;
        count = 0;
        sides(text, 0, size, r->left, r);
        long lefts = count;
        line *left = found;
        found = NULL, room = 0, count = 0;
        sides(text, 0, rest, r->right, r);
        qsort(found, count, sizeof *found, by_value);
        for (long at = 0; at < lefts; at++) {
            long low = 0, high = count;
            while (low < high) {
                long middle = (low + high) / 2;
                if (by_value(&found[middle], &left[at]) < 0)
                    low = middle + 1;
                else
                    high = middle;
            }
            for (; low < count && !by_value(&found[low], &left[at]); low++) {
                if (left[at].kind == 1 && found[low].kind == 1)
                    continue;
                char *to = out + all++ * length;
                memcpy(to, left[at].text, size);
                to[size] = '=';
                memcpy(to + size + 1, found[low].text, rest);
            }
        }
        free(left);
    }
    return all;
}

/* Writes the marks g, y and b of a guess by an equation. */
void marks(const char *guess, const char *equation, int length, char *out)
{
    char rest[16];
    memcpy(rest, equation, length);
    memset(out, 'b', length);
    for (int at = 0; at < length; at++)
        if (guess[at] == rest[at])
            out[at] = 'g', rest[at] = 0;
    for (int at = 0; at < length; at++) {
        char *there = out[at] == 'g' ? NULL : memchr(rest, guess[at], length);
        if (there)
            out[at] = 'y', *there = 0;
    }
}

/* Writes 1 for each equation that gives a guess these marks, else 0. */
void fits(const char *guess, const char *seen, const char *all, long many, int length, char *out)
{
    char told[16];
    for (long at = 0; at < many; at++) {
        marks(guess, all + at * length, length, told);
        out[at] = !memcmp(told, seen, length);
    }
}

/* Tries each operator for each _ of a text, and = too if `equals` is set and the text has none.
   Writes all true equations without separators; returns their number. */
long missing(char *text, int length, const rules *r, int equals, char *out)
{
    char *gap = memchr(text, '_', length), *sign = memchr(text, '=', length);
    if (!gap) {
        value left, right;
        if (!sign || memchr(sign + 1, '=', text + length - sign - 1))
            return 0;
        int size = sign - text;
        if (!side(text, size, r, &left) || !side(sign + 1, length - size - 1, r, &right))
            return 0;
        if (left.above != right.above || left.below != right.below)
            return 0;
        memcpy(out, text, length);
        return 1;
    }
    long all = 0;
    for (const char *each = equals ? "+-*/=" : "+-*/"; *each; each++) {
        *gap = *each;
        all += missing(text, length, r, equals, out + all * length);
    }
    *gap = '_';
    return all;
}

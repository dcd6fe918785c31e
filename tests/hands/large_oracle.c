/* A brute force for large hands: it makes every expression with parentheses.
 *
 * Tests compare hands of seven numbers, and of eight in a fixed order, with it. It shares no code
 * with the package. Input, one line for each hand:
 *
 *     FRACTIONS NEGATIVES ZERO ALL IN_ORDER TARGET NUMBER...
 *
 * The first five are 0 or 1. Output, one line for each hand: the number of written forms of the
 * target (0 without a fixed order), the number of its distinct solutions, the number of values and
 * a sum of their hashes, the same two for multiples of 1/2 from 0 to below 500, and the largest
 * integer. Two expressions are the same function if they agree modulo 2^61 - 1 at random points.
 *
 * All is computed twice: first by function, where expressions of all numbers count only if they
 * make the target; then by value, where each point is 0, so that equal values are equal functions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int64_t over, under; uint64_t print; } Made;
/* A set has a hash table with open addressing: 1 + the index of an item, or 0 for an empty slot. */
typedef struct { Made *all; size_t count, room; uint32_t *slots; size_t mask; } List;

static const uint64_t P = (1ULL << 61) - 1;
static int fractions, negatives, zero, every, in_order, length, by_value, whole, last;
static int64_t target, numbers[16];
static List lists[1 << 10];
static uint64_t written;
static List found, values;

/* 2^61 is 1 modulo the prime, so that the bits above the lowest 61 are added to these. */
static uint64_t times(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t result = ((uint64_t)product & P) + (uint64_t)(product >> 61);
    return result >= P ? result - P : result;
}

static uint64_t inverse(uint64_t a) {
    uint64_t result = 1;
    for (uint64_t left = P - 2; left; left >>= 1, a = times(a, a))
        if (left & 1) result = times(result, a);
    return result;
}

static uint64_t stand_in(int64_t number) {
    if (by_value) return 0;
    uint64_t x = (uint64_t)number * 0x9E3779B97F4A7C15ULL + 0x1234567;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return (x ^ (x >> 31)) % (P - 2) + 2;
}

static int64_t gcd(int64_t a, int64_t b) {
    a = llabs(a);
    while (b) { int64_t rest = a % b; a = b; b = rest; }
    return a;
}

static void put(List *list, Made made) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->all = realloc(list->all, list->room * sizeof(Made));
        if (!list->all) exit(2);
    }
    list->all[list->count++] = made;
}

static uint32_t *slot_of(List *list, Made made) {
    uint64_t hash = (uint64_t)made.over * 0x9E3779B97F4A7C15ULL ^ made.print;
    hash = (hash ^ (hash >> 29) ^ (uint64_t)made.under) * 0xBF58476D1CE4E5B9ULL;
    size_t at = (hash ^ (hash >> 32)) & list->mask;
    while (list->slots[at] && memcmp(&list->all[list->slots[at] - 1], &made, sizeof(Made)))
        at = (at + 1) & list->mask;
    return &list->slots[at];
}

/* Without a fixed order, only distinct functions count. */
static void put_once(List *list, Made made) {
    if (2 * list->count >= list->mask) {
        list->mask = list->mask ? 2 * list->mask + 1 : 255;
        free(list->slots);
        list->slots = calloc(list->mask + 1, sizeof(uint32_t));
        if (!list->slots) exit(2);
        for (size_t at = 0; at < list->count; at++) *slot_of(list, list->all[at]) = at + 1;
    }
    uint32_t *slot = slot_of(list, made);
    if (*slot) return;
    put(list, made);
    *slot = list->count;
}

static void empty(List *list) {
    list->count = 0;
    if (list->slots) memset(list->slots, 0, (list->mask + 1) * sizeof(uint32_t));
}

static void look(Made made) {
    if (!whole) return;
    if (by_value) put_once(&values, made);
    else if (made.over == target && made.under == 1) {
        written++;
        put_once(&found, (Made){0, 0, made.print});
    }
}

static void keep(List *list, int64_t over, int64_t under, uint64_t print) {
    if (last && !by_value && over != target * under) return;
    int64_t shared = gcd(over, under);
    Made made = {over / shared, under / shared, print};
    if ((made.over < 0 && !negatives) || (made.under != 1 && !fractions)) return;
    if (made.over == 0 && !zero) return;
    look(made);
    if (last) return;
    if (in_order && !by_value) put(list, made);
    else put_once(list, made);
}

/* If a and b also change places, make commuting steps once. */
static void join(List *list, Made a, Made b, uint64_t inverted, int once) {
    int64_t under = a.under * b.under;
    keep(list, a.over * b.under - b.over * a.under, under, (a.print + P - b.print) % P);
    if (b.over) {
        int64_t sign = b.over < 0 ? -1 : 1;
        keep(list, sign * a.over * b.under, sign * a.under * b.over, times(a.print, inverted));
    }
    if (once) return;
    keep(list, a.over * b.under + b.over * a.under, under, (a.print + b.print) % P);
    keep(list, a.over * b.over, under, times(a.print, b.print));
}

static void make(unsigned mask, unsigned all) {
    List *list = &lists[mask];
    whole = !every || mask == all, last = mask == all;
    if (!(mask & (mask - 1))) {
        int64_t number = numbers[__builtin_ctz(mask)];
        Made made = {number, 1, stand_in(number)};
        put(list, made);
        look(made);
        return;
    }
    for (unsigned part = (mask - 1) & mask; part; part = (part - 1) & mask) {
        unsigned rest = mask & ~part;
        if (in_order && part > (rest & -rest)) continue;
        List *left = &lists[part], *right = &lists[rest];
        for (size_t j = 0; j < right->count; j++) {
            Made b = right->all[j];
            uint64_t inverted = b.over && !by_value ? inverse(b.print) : 0;
            for (size_t i = 0; i < left->count; i++)
                join(list, left->all[i], b, inverted, part > rest);
        }
    }
}

static void make_all(unsigned all) {
    for (unsigned mask = 1; mask <= all; mask++) empty(&lists[mask]);
    for (unsigned mask = 1; mask <= all; mask++) {
        unsigned first = mask & -mask;
        /* In a fixed order with all numbers: only neighbours. */
        if (in_order && every && ((mask + first) & mask)) continue;
        make(mask, all);
    }
}

static uint64_t hash_of(Made made) {
    return (uint64_t)made.over * 0x9E3779B97F4A7C15ULL
         ^ (uint64_t)made.under * 0xBF58476D1CE4E5B9ULL;
}

int main(void) {
    char line[1000];
    while (fgets(line, sizeof line, stdin)) {
        int used = 0, more;
        if (sscanf(line, "%d %d %d %d %d %ld%n", &fractions, &negatives, &zero, &every, &in_order,
                   &target, &used) != 6) return 1;
        length = 0;
        while (sscanf(line + used, "%ld%n", &numbers[length], &more) == 1) used += more, length++;
        written = 0;
        empty(&found);
        empty(&values);
        for (by_value = 0; by_value < 2; by_value++) make_all((1u << length) - 1);
        uint64_t sum = 0, near_sum = 0;
        size_t near = 0;
        int64_t greatest = INT64_MIN;
        for (size_t at = 0; at < values.count; at++) {
            Made made = values.all[at];
            sum += hash_of(made);
            if (made.under == 1 && made.over > greatest) greatest = made.over;
            if (made.over < 0 || made.over >= 500 * made.under || made.under > 2) continue;
            near++;
            near_sum += hash_of(made);
        }
        printf("%llu %zu %zu %llu %zu %llu %lld\n", (unsigned long long)(in_order ? written : 0),
               found.count, values.count, (unsigned long long)sum, near,
               (unsigned long long)near_sum, (long long)greatest);
        fflush(stdout);
    }
    return 0;
}

/* All positive whole values of 1 to n, for the terms n of A071603 and A071985.
 *
 * It shares no code and no idea with the package: a set of numbers is a mask, and the values of a
 * mask are marked in a bitmap, from every pair of values of every two parts by + - x and :, with no
 * canonical form. Values are positive, since 0 and negative ones make nothing that others do not.
 *
 * Call: tile_values N, up to 12. Output: how many values all subsets have, a sum of their hashes, the
 * least number that no subset makes, and the least that no subset of at most N - 1 numbers makes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { uint32_t *all; size_t count; } Values;

static Values values[1 << 16];
static uint64_t *marks, *made;

/* The numbers of a mask differ: only 1 makes more by a sum than by a product, at most half more. */
static uint64_t greatest(unsigned mask) {
    uint64_t product = 1;
    for (unsigned left = mask; left; left &= left - 1) product *= 1 + __builtin_ctz(left);
    return mask & 1 ? product + product / 2 : product;
}

static inline void mark(uint64_t value) { marks[value >> 6] |= 1ULL << (value & 63); }

static void combine(uint32_t a, Values others) {
    for (size_t i = 0; i < others.count; i++) mark((uint64_t)a + others.all[i]);
    for (size_t i = 0; i < others.count; i++) mark((uint64_t)a * others.all[i]);
    size_t smaller = 0;
    for (; smaller < others.count && others.all[smaller] < a; smaller++) {
        uint32_t b = others.all[smaller];
        mark(a - b);
        if (a % b == 0) mark(a / b);
    }
    /* b is a multiple of a if its product with the inverse of a, modulo 2^32, is small enough. */
    unsigned twos = __builtin_ctz(a);
    uint32_t odd = a >> twos, inverse = odd, most = UINT32_MAX / a;
    for (int step = 0; step < 5; step++) inverse *= 2 - odd * inverse;
    for (size_t i = smaller; i < others.count; i++) {
        uint32_t b = others.all[i], product = b * inverse;
        uint32_t quotient = twos ? product >> twos | product << (32 - twos) : product;
        mark(b - a);
        if (quotient <= most) mark(quotient);
    }
}

static uint64_t hash_of(uint64_t value) {
    value *= 0x9E3779B97F4A7C15ULL;
    return (value ^ (value >> 29)) * 0xBF58476D1CE4E5B9ULL;
}

static void collect(unsigned mask, size_t words, int keep) {
    marks[0] &= ~1ULL;
    size_t count = 0;
    for (size_t word = 0; word < words; word++) {
        made[word] |= marks[word];
        count += __builtin_popcountll(marks[word]);
    }
    if (keep) {
        Values *list = &values[mask];
        list->count = count;
        list->all = malloc((count + 1) * sizeof(uint32_t));
        if (!list->all) exit(2);
        size_t at = 0;
        for (size_t word = 0; word < words; word++)
            for (uint64_t bits = marks[word]; bits; bits &= bits - 1)
                list->all[at++] = 64 * word + __builtin_ctzll(bits);
    }
    memset(marks, 0, words * sizeof(uint64_t));
}

static uint64_t least_missing(size_t words) {
    for (uint64_t value = 1; value < 64 * words; value++)
        if (!(made[value >> 6] >> (value & 63) & 1)) return value;
    return 0;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 12) return 1;
    unsigned all = (1u << n) - 1;
    size_t room = (greatest(all) >> 6) + 2;
    marks = calloc(room, sizeof(uint64_t));
    made = calloc(room, sizeof(uint64_t));
    if (!marks || !made) return 2;
    uint64_t missed_by_parts = 1;
    /* Parts of a mask are smaller numbers than it. The whole, the last one, is not listed. */
    for (unsigned mask = 1; mask <= all; mask++) {
        size_t words = (greatest(mask) >> 6) + 1;
        if (mask == all) missed_by_parts = least_missing(room);
        if (!(mask & (mask - 1))) mark(1 + __builtin_ctz(mask));
        for (unsigned part = (mask - 1) & mask; part; part = (part - 1) & mask) {
            Values left = values[part], right = values[mask & ~part];
            if (part < (mask & ~part)) continue;
            if (left.count > right.count) { Values swap = left; left = right; right = swap; }
            for (size_t i = 0; i < left.count; i++) combine(left.all[i], right);
        }
        collect(mask, words, mask != all);
    }
    uint64_t count = 0, sum = 0;
    for (uint64_t value = 1; value < 64 * room; value++)
        if (made[value >> 6] >> (value & 63) & 1) count++, sum += hash_of(value);
    printf("%llu %llu %llu %llu\n", (unsigned long long)count, (unsigned long long)sum,
           (unsigned long long)least_missing(room), (unsigned long long)missed_by_parts);
    return 0;
}

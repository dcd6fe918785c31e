// The most points in Mathador for each target from 0 to 99, by brute force over all orders of steps.
// Each line of standard input has the five numbers of a hand; each line of output has 100 numbers,
// with -1 for a target that cannot be made. No code is shared with the package.
#include <stdio.h>
#include <string.h>

enum { NUMBERS = 5, TARGETS = 100 };
typedef struct { long value; int points, used, steps; } Part;
static int best[TARGETS];

static void answer(Part part) {
  int points = part.points + (part.steps == NUMBERS - 1 && part.used == 15 ? 6 : 0);
  if (part.value < TARGETS && points > best[part.value]) best[part.value] = points;
}

static void search(const Part *parts, int count) {
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      if (i == j) continue;
      long a = parts[i].value, b = parts[j].value;
      for (int operator = 0; operator < 4; operator++) {
        long value;
        if (operator == 0 && i < j) value = a + b;
        else if (operator == 1 && i < j) value = a * b;
        else if (operator == 2 && a >= b) value = a - b;
        else if (operator == 3 && b && a % b == 0) value = a / b;
        else continue;
        Part rest[NUMBERS];
        int size = 0;
        for (int k = 0; k < count; k++) if (k != i && k != j) rest[size++] = parts[k];
        // Points 1, 1, 2 and 3; an operator that comes again is marked by a fifth bit.
        int again = parts[i].used & parts[j].used, both = parts[i].used | parts[j].used;
        int used = both | 1 << operator | ((again | (both & 1 << operator)) ? 16 : 0);
        int points = parts[i].points + parts[j].points + (operator < 2 ? 1 : operator);
        rest[size++] = (Part){value, points, used, parts[i].steps + parts[j].steps + 1};
        answer(rest[size - 1]);
        search(rest, size);
      }
    }
  }
}

int main(void) {
  Part hand[NUMBERS];
  while (scanf("%ld %ld %ld %ld %ld", &hand[0].value, &hand[1].value, &hand[2].value, &hand[3].value, &hand[4].value) == 5) {
    memset(best, -1, sizeof best);
    for (int i = 0; i < NUMBERS; i++) {
      hand[i].points = hand[i].used = hand[i].steps = 0;
      answer(hand[i]);
    }
    search(hand, NUMBERS);
    for (int target = 0; target < TARGETS; target++) printf("%d%c", best[target], target == TARGETS - 1 ? '\n' : ' ');
  }
  return 0;
}

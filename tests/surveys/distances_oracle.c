/* A brute force for distances: it makes every value of a hand, step by step.
 *
 * It shares no code with the package. Input, one line for each hand:
 *
 *     ZERO FIRST_TARGET LAST_TARGET MOST NUMBER...
 *
 * ZERO is 1 if results can be zero. Output, one line for each hand: the distance of the closest
 * value from each target, MOST + 1 for any distance above MOST. Values are whole and not negative,
 * and not all numbers have to be used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 4096 };
static char made[LARGEST];
static int zero;

static void search(const long *numbers, int count) {
    for (int i = 0; i < count; i++)
        if (numbers[i] < LARGEST) made[numbers[i]] = 1;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            long rest[16];
            int size = 0;
            for (int k = 0; k < count; k++)
                if (k != i && k != j) rest[size++] = numbers[k];
            long low = numbers[i] < numbers[j] ? numbers[i] : numbers[j];
            long high = numbers[i] < numbers[j] ? numbers[j] : numbers[i];
            long results[4] = {high + low, high * low, high - low, -1};
            if (low && high % low == 0) results[3] = high / low;
            for (int k = 0; k < 4; k++) {
                if (results[k] < 0 || (results[k] == 0 && !zero)) continue;
                rest[size] = results[k];
                search(rest, size + 1);
            }
        }
}

int main(void) {
    char line[1024];
    while (fgets(line, sizeof line, stdin)) {
        long words[20], numbers[16];
        int count = 0, size = 0;
        for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"))
            words[count++] = atol(word);
        for (int k = 4; k < count; k++) numbers[size++] = words[k];
        zero = words[0] != 0;
        memset(made, 0, sizeof made);
        search(numbers, size);
        for (long target = words[1]; target <= words[2]; target++) {
            long away = 0;
            for (; away <= words[3]; away++)
                if (made[target + away] || (target >= away && made[target - away])) break;
            printf("%ld ", away);
        }
        printf("\n");
    }
    return 0;
}

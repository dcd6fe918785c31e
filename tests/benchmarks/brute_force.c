/* Brute force, written for comparison: every formula of the digits 1 to 9 of a length, worked out
   one after the other by the rules of the game crisps; the rows that make the target are kept.
   The formulas are in the order of a results file: all operators for the first digits, then for
   the next ones. */

enum { MINUS, PLUS, TIMES, DIVIDE };

/* Works one formula out from left to right: the sum so far, and the term that is still open.
   Returns 1 where it is legal and makes the target. */
static int makes(const int *digits, const int *operators, int length, long target)
{
    long sum = 0, term = digits[0];
    int sign = PLUS;
    for (int place = 1; place < length; place++) {
        long digit = digits[place];
        switch (operators[place - 1]) {
        case TIMES:
            term *= digit;
            break;
        case DIVIDE:
            if (term % digit)
                return 0;
            term /= digit;
            break;
        default:
            sum = sign == PLUS ? sum + term : sum - term;
            if (sum < 0)
                return 0;
            sign = operators[place - 1];
            term = digit;
        }
    }
    sum = sign == PLUS ? sum + term : sum - term;
    return sum == target;
}

/* Fills `rows` with the digits and operators of each row found, and returns how many there are. */
long brute_force(int length, long target, unsigned char *rows)
{
    int digits[16], operators[16] = {0};
    long found = 0;
    for (int place = 0; place < length; place++)
        digits[place] = 1;
    for (;;) {
        for (int place = 0; place < length - 1; place++)
            operators[place] = MINUS;
        for (;;) {
            if (makes(digits, operators, length, target)) {
                unsigned char *row = rows + found++ * (2 * length - 1);
                for (int place = 0; place < length; place++)
                    row[place] = digits[place];
                for (int place = 0; place < length - 1; place++)
                    row[length + place] = operators[place];
            }
            int place = length - 2;
            while (place >= 0 && operators[place] == DIVIDE)
                operators[place--] = MINUS;
            if (place < 0)
                break;
            operators[place]++;
        }
        int place = length - 1;
        while (place >= 0 && digits[place] == 9)
            digits[place--] = 1;
        if (place < 0)
            return found;
        digits[place]++;
    }
}

/* Brute force for comparison: evaluates every formula of a length over the digits 1 to 9 by the
   rules of the game crisps, and keeps the rows that make the target. The order is that of a results
   file: digits in ascending order, and for each row of digits all operators. */

enum { MINUS, PLUS, TIMES, DIVIDE };

/* Returns 1 if a formula is legal and makes the target. Reads it from left to right and keeps the
   sum of the finished terms and the value of the current term. */
static int is_solution(const int *digits, const int *operators, int length, long target)
{
    long sum = 0, term = digits[0];
    int sign = PLUS;
    for (int position = 1; position < length; position++) {
        long digit = digits[position];
        switch (operators[position - 1]) {
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
            sign = operators[position - 1];
            term = digit;
        }
    }
    sum = sign == PLUS ? sum + term : sum - term;
    return sum == target;
}

/* Writes the digits and operators of each solution to `rows`; returns the number of solutions. */
long brute_force(int length, long target, unsigned char *rows)
{
    int digits[16], operators[16] = {0};
    long count = 0;
    for (int position = 0; position < length; position++)
        digits[position] = 1;
    for (;;) {
        for (int position = 0; position < length - 1; position++)
            operators[position] = MINUS;
        for (;;) {
            if (is_solution(digits, operators, length, target)) {
                unsigned char *row = rows + count++ * (2 * length - 1);
                for (int position = 0; position < length; position++)
                    row[position] = digits[position];
                for (int position = 0; position < length - 1; position++)
                    row[length + position] = operators[position];
            }
            int position = length - 2;
            while (position >= 0 && operators[position] == DIVIDE)
                operators[position--] = MINUS;
            if (position < 0)
                break;
            operators[position]++;
        }
        int position = length - 1;
        while (position >= 0 && digits[position] == 9)
            digits[position--] = 1;
        if (position < 0)
            return count;
        digits[position]++;
    }
}

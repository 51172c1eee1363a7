// Stands for the command in the tests of the packages: `carnet` itself takes minutes to build.
#include <stdio.h>

static const volatile char stamp[] = "commit:........................................";

int main(void) {
    printf("%s (commit ", VERSION);
    for (int i = 7; i < 19; i++) putchar(stamp[i]);
    puts(")");
}

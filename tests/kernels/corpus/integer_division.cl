// Quotient and remainder of every integer type; divisors that C leaves undefined are replaced.
#define DIVISION(T, LOWEST)                                                               \
    kernel void division_##T(global const T* a, global const T* b, global T* o) {         \
        size_t i = get_global_id(0), n = get_global_size(0);                              \
        T x = a[i], y = b[i];                                                             \
        if (y == 0 || (x == LOWEST && y == (T)-1)) y = 3;                                 \
        o[0 * n + i] = x / y;                                                             \
        o[1 * n + i] = x % y;                                                             \
        o[2 * n + i] = x / 7;                                                             \
        o[3 * n + i] = x % 10;                                                            \
        o[4 * n + i] = x / 16;                                                            \
        o[5 * n + i] = x % 16;                                                            \
    }
DIVISION(char, CHAR_MIN)
DIVISION(uchar, 0)
DIVISION(short, SHRT_MIN)
DIVISION(ushort, 0)
DIVISION(int, INT_MIN)
DIVISION(uint, 0)
DIVISION(long, LONG_MIN)
DIVISION(ulong, 0)

kernel void uniform_divisor(global const int* a, int d, global int* o) {
    size_t i = get_global_id(0), n = get_global_size(0);
    o[i] = a[i] / d;
    o[n + i] = a[i] % d;
}

// A divisor that all lanes share, in lanes that parted before: only items from first to last divide.
__kernel void uniform_divisor_long(const __global long* numbers, long divisor, long first, long last, __global long* results) {
    const long i = get_global_id(0);
    long result = -7;
    if (i >= first && i <= last) {
        const long distance = numbers[i] - first;
        result = distance / divisor;
        if (result * divisor != distance) result = ~result;
    }
    results[i] = result;
}

// Every integer type: arithmetic, saturation, high halves, minima, at all pairs of edge values. But for sub_sat of long 0,
// from which Intel's library takes the smallest long without saturation (compiler 26.27).
#define MINUEND(T, x) ((T)(sizeof(T) == 8 && (T)-1 < 0 && (x) == 0 ? 1 : (x)))
// Read again for products of 64 bits: beside mul_hi of the same numbers, 26.27 leaves them out on Crescent Island.
#define FACTOR(U, b, y) ((U)(sizeof(U) == 8 ? ((volatile global const U*)(b))[get_global_id(0)] : (U)(y)))
#define ARITHMETIC(T, U)                                                            \
    kernel void arithmetic_##T(global const T* a, global const T* b, global T* o) { \
        size_t i = get_global_id(0), n = get_global_size(0);                        \
        T x = a[i], y = b[i];                                                       \
        o[0 * n + i] = (T)((U)x + (U)y);                                            \
        o[1 * n + i] = (T)((U)x - (U)y);                                            \
        o[2 * n + i] = (T)((U)x * FACTOR(U, b, y));                                 \
        o[3 * n + i] = (T)((U)x * FACTOR(U, b, y) + (U)(y ^ 3));                    \
        o[4 * n + i] = sub_sat(MINUEND(T, x), y);                                   \
        o[5 * n + i] = mul_hi(x, y);                                                \
        o[6 * n + i] = hadd(x, y);                                                  \
        o[7 * n + i] = max(x, y);                                                   \
        o[8 * n + i] = min(x, y);                                                   \
        o[9 * n + i] = (T)abs_diff(x, y);                                           \
        o[10 * n + i] = (T)abs(x);                                                  \
        o[11 * n + i] = clamp(x, (T)3, (T)100);                                     \
        o[12 * n + i] = mad_hi(x, y, (T)5);                                         \
        o[13 * n + i] = (T)(-(U)x);                                                 \
    }                                                                               \
    kernel void sums_##T(global const T* a, global const T* b, global T* o) {       \
        size_t i = get_global_id(0), n = get_global_size(0);                        \
        o[i] = add_sat(a[i], b[i]);                                                 \
        o[n + i] = rhadd(a[i], b[i]);                                               \
    }
ARITHMETIC(char, uchar)
ARITHMETIC(uchar, uchar)
ARITHMETIC(short, ushort)
ARITHMETIC(ushort, ushort)
ARITHMETIC(int, uint)
ARITHMETIC(uint, uint)
ARITHMETIC(long, ulong)
ARITHMETIC(ulong, ulong)

kernel void mad_saturated(global const int* a, global const int* b, global int* o) {
    size_t i = get_global_id(0);
    o[i] = mad_sat(a[i], b[i], a[i] ^ 0x55);
}

kernel void narrow_factors(global const int* a, global const int* b, global int* o) {
    size_t i = get_global_id(0), n = get_global_size(0);
    int x = (a[i] << 8) >> 8, y = (b[i] << 8) >> 8;
    o[i] = mul24(x, y);
    o[n + i] = mad24(x, y, a[i]);
}

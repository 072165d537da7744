// float and double at all pairs of edge values: denormals, infinities, NaN, signed zeroes. Results that IEEE 754 fixes.
// The sign of a zero that floor and its like return is left open by adding zero: the compiler's library drops it.
#pragma OPENCL FP_CONTRACT OFF
#define EXACT(T, I)                                                                       \
    kernel void exact_##T(global const T* a, global const T* b, global T* o, global int* c) { \
        size_t i = get_global_id(0), n = get_global_size(0);                              \
        T x = a[i], y = b[i];                                                             \
        o[0 * n + i] = x + y;                                                             \
        o[1 * n + i] = x - y;                                                             \
        o[2 * n + i] = x * y;                                                             \
        o[3 * n + i] = fma(x, y, (T)1.5);                                                 \
        o[4 * n + i] = fma(x, y, -x);                                                     \
        o[5 * n + i] = fabs(x);                                                           \
        o[6 * n + i] = copysign(x, y);                                                    \
        o[7 * n + i] = floor(x) + (T)0;\
        o[8 * n + i] = ceil(x) + (T)0;\
        o[9 * n + i] = trunc(x) + (T)0;\
        o[10 * n + i] = rint(x) + (T)0;\
        o[11 * n + i] = round(x) + (T)0;\
        o[12 * n + i] = -y;                                                               \
        o[13 * n + i] = select(x, y, (I)(x < (T)0 ? -1 : 0));                             \
        c[i] = isless(x, y) | isequal(x, y) << 1 | isgreater(x, y) << 2 | isunordered(x, y) << 3 | isnan(x) << 4 | \
               isinf(x) << 5 | isfinite(x) << 6 | isnormal(x) << 7 | (signbit(x) != 0) << 8 | (x != y) << 9 |      \
               (x <= y) << 10 | islessgreater(x, y) << 11;                                \
    }
#define SMALLER(T)                                                                        \
    kernel void smaller_##T(global const T* a, global const T* b, global T* o) {          \
        size_t i = get_global_id(0);                                                      \
        o[i] = a[i] < b[i] ? a[i] : b[i];                                                 \
    }
SMALLER(float)
SMALLER(double)

EXACT(float, int)
EXACT(double, long)

#define ROUNDED(T)                                                                        \
    kernel void rounded_##T(global const T* a, global const T* b, global T* o) {          \
        size_t i = get_global_id(0), n = get_global_size(0);                              \
        o[0 * n + i] = a[i] / b[i];                                                       \
        o[1 * n + i] = sqrt(fabs(a[i]));                                                  \
        o[2 * n + i] = (T)1 / b[i];                                                       \
    }
ROUNDED(float)
ROUNDED(double)

#define PICKED(T)                                                                         \
    kernel void picked_##T(global const T* a, global const T* b, global T* o) {           \
        size_t i = get_global_id(0), n = get_global_size(0);                              \
        o[0 * n + i] = fmin(a[i], b[i]) + (T)0;                                           \
        o[1 * n + i] = fmax(a[i], b[i]) + (T)0;                                           \
        o[2 * n + i] = clamp(a[i], (T)-1, (T)2);                                          \
        o[3 * n + i] = mix(a[i], b[i], (T)0.5);                                           \
        o[4 * n + i] = step(a[i], b[i]);                                                  \
        o[5 * n + i] = a[i] - floor(a[i]);                                                \
    }
PICKED(float)
PICKED(double)

// Conversions between all types: wrapping between integers, saturating, and every rounding mode from and to reals.
#pragma OPENCL FP_CONTRACT OFF
#define FROM(S)                                                                             \
    kernel void integers_##S(global const S* a, global char* c, global ushort* s, global int* i, global ulong* l) { \
        size_t k = get_global_id(0), n = get_global_size(0);                              \
        S x = a[k];                                                                       \
        c[k] = (char)x, c[n + k] = convert_char_sat(x), c[2 * n + k] = as_char(convert_uchar_sat(x)); \
        s[k] = (ushort)x, s[n + k] = convert_ushort_sat(x), s[2 * n + k] = as_ushort(convert_short_sat(x)); \
        i[k] = (int)x, i[n + k] = convert_int_sat(x), i[2 * n + k] = as_int(convert_uint_sat(x)); \
        l[k] = (ulong)x, l[n + k] = convert_ulong_sat(x), l[2 * n + k] = as_ulong(convert_long_sat(x)); \
    }                                                                                     \
    kernel void reals_##S(global const S* a, global float* f, global double* d) {         \
        size_t k = get_global_id(0), n = get_global_size(0);                              \
        S x = a[k];                                                                       \
        f[0 * n + k] = (float)x;                                                          \
        f[1 * n + k] = convert_float_rte(x);                                              \
        f[2 * n + k] = convert_float_rtz(x);                                              \
        f[3 * n + k] = convert_float_rtp(x);                                              \
        f[4 * n + k] = convert_float_rtn(x);                                              \
        d[0 * n + k] = (double)x;                                                         \
        d[1 * n + k] = convert_double_rtz(x);                                             \
        d[2 * n + k] = convert_double_rtp(x);                                             \
    }
FROM(char)
FROM(uchar)
FROM(short)
FROM(ushort)
FROM(int)
FROM(uint)
FROM(long)
FROM(ulong)

#define TO(S, T)                                                                          \
    kernel void S##_to_##T(global const S* a, global T* o) {                              \
        size_t k = get_global_id(0), n = get_global_size(0);                              \
        S x = a[k];                                                                       \
        o[0 * n + k] = convert_##T##_sat(x);                                              \
        o[1 * n + k] = convert_##T##_sat_rte(x);                                          \
        o[2 * n + k] = convert_##T##_sat_rtp(x);                                          \
        o[3 * n + k] = convert_##T##_sat_rtn(x);                                          \
        o[4 * n + k] = convert_##T##_sat_rtz(x);                                          \
    }
TO(float, char)
TO(float, uchar)
TO(float, short)
TO(float, ushort)
TO(float, int)
TO(float, uint)
TO(float, long)
TO(float, ulong)
TO(double, char)
TO(double, uchar)
TO(double, short)
TO(double, ushort)
TO(double, int)
TO(double, uint)
TO(double, long)
TO(double, ulong)

kernel void narrowed(global const double* a, global float* f) {
    size_t k = get_global_id(0), n = get_global_size(0);
    f[0 * n + k] = (float)a[k];
    f[1 * n + k] = convert_float_rtz(a[k]);
    f[2 * n + k] = convert_float_rtp(a[k]);
    f[3 * n + k] = convert_float_rtn(a[k]);
}

kernel void widened(global const float* a, global double* d) {
    size_t k = get_global_id(0);
    d[k] = a[k];
}

kernel void truncated(global const float* a, global int* i, global uint* u) {
    size_t k = get_global_id(0);
    i[k] = (int)a[k];
    u[k] = (uint)fabs(a[k]);
}

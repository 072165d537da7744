// What every random kernel builds on. Results are defined bit for bit by OpenCL C: no contraction, NaN has no payload.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL FP_CONTRACT OFF

#ifdef SIMD
#define WIDTH __attribute__((intel_reqd_sub_group_size(SIMD)))
#else
#define WIDTH
#endif
#define OVERLOADED __attribute__((overloadable))

// A number made of a work-item's and a variable's, so that all differ.
ulong mixed(ulong a, ulong b) {
    ulong x = a * 0x9e3779b97f4a7c15ul + b;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ul;
    return x ^ (x >> 32);
}

// The same value for every NaN, whose sign and payload nobody defines.
#define NUMBER(T) \
    T OVERLOADED number(T x) { return select(x, (T)(1.5f), isnan(x)); }
#define NUMBERS(T)                                                                \
    T OVERLOADED number(T x) { return isnan(x) ? (T)(1.5f) : x; }                 \
    NUMBER(T##2) NUMBER(T##3) NUMBER(T##4) NUMBER(T##8) NUMBER(T##16)
NUMBERS(float)
NUMBERS(double)

#define FOLD_SCALAR(T) \
    ulong OVERLOADED folded(ulong h, T x) { return mixed(h, (ulong)x); }
FOLD_SCALAR(char) FOLD_SCALAR(uchar) FOLD_SCALAR(short) FOLD_SCALAR(ushort)
FOLD_SCALAR(int) FOLD_SCALAR(uint) FOLD_SCALAR(long) FOLD_SCALAR(ulong)
ulong OVERLOADED folded(ulong h, float x) { return mixed(h, as_uint(number(x))); }
ulong OVERLOADED folded(ulong h, double x) { return mixed(h, as_ulong(number(x))); }
#define FOLD(T)                                                                              \
    ulong OVERLOADED folded(ulong h, T##2 x) { return folded(folded(h, x.x), x.y); }         \
    ulong OVERLOADED folded(ulong h, T##3 x) { return folded(folded(h, x.xy), x.z); }        \
    ulong OVERLOADED folded(ulong h, T##4 x) { return folded(folded(h, x.xy), x.zw); }       \
    ulong OVERLOADED folded(ulong h, T##8 x) { return folded(folded(h, x.lo), x.hi); }       \
    ulong OVERLOADED folded(ulong h, T##16 x) { return folded(folded(h, x.lo), x.hi); }
FOLD(char) FOLD(uchar) FOLD(short) FOLD(ushort) FOLD(int) FOLD(uint) FOLD(long) FOLD(ulong) FOLD(float) FOLD(double)

typedef struct {
    int a;
    short4 b;
    double c;
    uchar d;
    uint e[3];
} Pack;
ulong OVERLOADED folded(ulong h, Pack x) {
    return folded(folded(folded(folded(folded(folded(folded(h, x.a), x.b), x.c), x.d), x.e[0]), x.e[1]), x.e[2]);
}

__constant uint kTable[16] = {1, 2, 3, 5, 8, 13, 0x80000000u, 0xffffffffu, 0, 77, 1000, 65535, 65536, 31, 0x55555555u, 9};

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

// A number made of a scalar's bits.
#define SEED(T) \
    ulong OVERLOADED seeded(T x) { return mixed((ulong)x, 3); }
SEED(char) SEED(uchar) SEED(short) SEED(ushort) SEED(int) SEED(uint) SEED(long) SEED(ulong)
ulong OVERLOADED seeded(float x) { return mixed(as_uint(number(x)), 3); }
ulong OVERLOADED seeded(double x) { return mixed(as_ulong(number(x)), 3); }

// A result, as it is in memory.
#define KEEP_VECTOR(T, N, VALUE) \
    void OVERLOADED keep(__global uchar* at, T##N x) { vstore##N(VALUE, 0, (__global T*)at); }
#define KEEP(T, VALUE)                                                              \
    void OVERLOADED keep(__global uchar* at, T x) { *(__global T*)at = VALUE; }     \
    KEEP_VECTOR(T, 2, VALUE) KEEP_VECTOR(T, 3, VALUE) KEEP_VECTOR(T, 4, VALUE)      \
    KEEP_VECTOR(T, 8, VALUE) KEEP_VECTOR(T, 16, VALUE)
KEEP(char, x) KEEP(uchar, x) KEEP(short, x) KEEP(ushort, x) KEEP(int, x) KEEP(uint, x) KEEP(long, x) KEEP(ulong, x)
KEEP(float, number(x)) KEEP(double, number(x))

// Functions that the compilers get wrong where they see what is done with the argument or the result
// (docs/compiler-mistakes.md): the sign of rotate(-x, n), sqrt(x) * sqrt(x), clz() of a char.
#define APART(T, NAME, PARAMETERS, VALUE) \
    __attribute__((noinline)) T OVERLOADED NAME PARAMETERS { return VALUE; }
#define APART_INTEGER(T) APART(T, turned, (T x, T n), rotate(x, n)) APART(T, zeros, (T x), clz(x))
#define APART_REAL(T) APART(T, root, (T x), sqrt(x))
#define EVERY_WIDTH(KIND, T) KIND(T) KIND(T##2) KIND(T##3) KIND(T##4) KIND(T##8) KIND(T##16)
EVERY_WIDTH(APART_INTEGER, char) EVERY_WIDTH(APART_INTEGER, uchar) EVERY_WIDTH(APART_INTEGER, short)
EVERY_WIDTH(APART_INTEGER, ushort) EVERY_WIDTH(APART_INTEGER, int) EVERY_WIDTH(APART_INTEGER, uint)
EVERY_WIDTH(APART_INTEGER, long) EVERY_WIDTH(APART_INTEGER, ulong)
EVERY_WIDTH(APART_REAL, float) EVERY_WIDTH(APART_REAL, double)

// A vector that no compiler without optimization takes for one that all work-items share.
#define OWN(T, N) APART(T##N, own, (T##N x), x)
#define OWNED(T) OWN(T, 2) OWN(T, 3) OWN(T, 4) OWN(T, 8) OWN(T, 16)
OWNED(char) OWNED(uchar) OWNED(short) OWNED(ushort) OWNED(int) OWNED(uint) OWNED(long) OWNED(ulong)
OWNED(float) OWNED(double)

// An operand of arithmetic. If the elements of both are one constant each, as in max((int4)7, (int4)1) + (int4)1, the
// compilers compute the first element alone without optimization (docs/compiler-mistakes.md).
#ifdef UNOPTIMISED
#define OPERAND(X) own(X)
#else
#define OPERAND(X) X
#endif

typedef struct {
    int a;
    short4 b;
    double c;
    uchar d;
    uint e[3];
} Pack;
void OVERLOADED keep(__global uchar* at, Pack x) {
    keep(at, x.a);
    keep(at + 4, x.d);
    keep(at + 8, x.b);
    keep(at + 16, x.c);
    for (int i = 0; i < 3; ++i) keep(at + 24 + 4 * i, x.e[i]);
}

__constant uint kTable[16] = {1, 2, 3, 5, 8, 13, 0x80000000u, 0xffffffffu, 0, 77, 1000, 65535, 65536, 31, 0x55555555u, 9};

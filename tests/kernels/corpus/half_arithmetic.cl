// half at edge values. PoCL has no half arithmetic; its side computes in float and rounds once, which is exact for these
// operations because float has more than twice the bits.
#pragma OPENCL FP_CONTRACT OFF
#ifdef REFERENCE
#define VALUE float
#define LOAD(p, i) vload_half(i, p)
#define STORE(v, i, p) vstore_half_rte(v, i, p)
#else
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define VALUE half
#define LOAD(p, i) p[i]
#define STORE(v, i, p) p[i] = v
#endif

kernel void half_exact(global const half* a, global const half* b, global half* o) {
    size_t i = get_global_id(0), n = get_global_size(0);
    VALUE x = LOAD(a, i), y = LOAD(b, i);
    STORE(x + y, 0 * n + i, o);
    STORE(x - y, 1 * n + i, o);
    STORE(x * y, 2 * n + i, o);
    STORE(fabs(x), 3 * n + i, o);
    STORE(floor(x), 4 * n + i, o);
    STORE(ceil(x), 5 * n + i, o);
    STORE(trunc(x), 6 * n + i, o);
    STORE(rint(x), 7 * n + i, o);
    STORE(-y, 8 * n + i, o);
}

kernel void half_smaller(global const half* a, global const half* b, global half* o) {
    size_t i = get_global_id(0);
    VALUE x = LOAD(a, i), y = LOAD(b, i);
    STORE((x < y ? x : y), i, o);
}

kernel void half_compare(global const half* a, global const half* b, global int* o) {
    size_t i = get_global_id(0);
    VALUE x = LOAD(a, i), y = LOAD(b, i);
    o[i] = (x < y) | (x == y) << 1 | (x > y) << 2 | (x != y) << 3 | (x <= y) << 4 | (isnan(x) != 0) << 5 | (isinf(x) != 0) << 6;
}

kernel void half_rounded(global const half* a, global const half* b, global half* o) {
    size_t i = get_global_id(0), n = get_global_size(0);
    VALUE x = LOAD(a, i), y = LOAD(b, i);
    STORE(x / y, i, o);
    STORE(sqrt(fabs(x)), n + i, o);
}

// Storage of halves works in every device: all rounding modes, vectors.
kernel void half_storage(global const float* f, global half* o, global float* back) {
    size_t i = get_global_id(0), n = get_global_size(0);
    vstore_half(f[i], i, o);
    vstore_half_rte(f[i], n + i, o);
    vstore_half_rtz(f[i], 2 * n + i, o);
    vstore_half_rtp(f[i], 3 * n + i, o);
    vstore_half_rtn(f[i], 4 * n + i, o);
    back[i] = vload_half(i, o);
}

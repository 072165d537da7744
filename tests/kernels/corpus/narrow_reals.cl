// Reals narrower than float: bf16, tf32 and bf8, rounded to nearest even or stochastically. The reference works on the bits.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifdef REFERENCE
ushort half_bits(float x) {
    ushort bits;
    vstore_half_rtz(x, 0, (half*)&bits);
    return bits;
}
ushort brain(float x) { return isnan(x) ? 0x7fc0 : (as_uint(x) + 0x7fff + (as_uint(x) >> 16 & 1)) >> 16; }
uint tensor(float x) {
    uint u = as_uint(x);
    return (u & 0x7f800000) == 0 ? u & 0x80000000 : (u + 0xfff + (u >> 13 & 1)) & 0xffffe000;
}
#if FRONT_END < 16
// Compiler 22.43 hands the random number over as the float of its value: the lowest bits of that are what counts.
ushort stochastic_half(float x, short random) { return half_bits(as_float(as_uint(x) + (as_uint((float)random) & 0x1fff))); }
#else
ushort stochastic_half(float x, ushort random) { return half_bits(as_float(as_uint(x) + (random & 0x1fff))); }
#endif
uchar quarter(ushort h) { return (h + 0x7f + (h >> 8 & 1)) >> 8; }
ushort widened(uchar q) { return (ushort)q << 8; }
#else
short __builtin_IB_ftobf_1(float);
#if __clang_major__ < 16  // Intel's compiler 22.43
int __builtin_IB_ftotf32_1(float);
uint tensor(float x) { return __builtin_IB_ftotf32_1(x); }
#else
float __builtin_IB_ftotf32_1(float);
uint tensor(float x) { return as_uint(__builtin_IB_ftotf32_1(x)); }
#endif
half __builtin_IB_srnd_ftohf_1(float, ushort);
char __builtin_IB_hftobf8_1(half);
half __builtin_IB_bf8tohf_1(char);
ushort brain(float x) { return isnan(x) ? 0x7fc0 : as_ushort(__builtin_IB_ftobf_1(x)); }
ushort stochastic_half(float x, ushort random) { return as_ushort(__builtin_IB_srnd_ftohf_1(x, random)); }
uchar quarter(ushort h) { return as_uchar(__builtin_IB_hftobf8_1(as_half(h))); }
ushort widened(uchar q) { return as_ushort(__builtin_IB_bf8tohf_1(as_char(q))); }
#endif

kernel void from_float(global const float* a, global const ushort* random, global ushort* brains, global uint* tensors, global ushort* halves) {
    int i = get_global_id(0);
    brains[i] = brain(a[i]), tensors[i] = tensor(a[i]), halves[i] = stochastic_half(a[i], random[i]);
}
kernel void from_half(global const ushort* h, global uchar* quarters, global ushort* back) {
    int i = get_global_id(0);
    ushort finite = (h[i] & 0x7c00) == 0x7c00 ? h[i] & 0xbfff : h[i];
    quarters[i] = quarter(finite), back[i] = widened(h[i] >> 8 & 0xfb);
}

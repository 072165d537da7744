// Instructions that only intrinsics reach: products of four bytes (dp4a), bit fields (bfe, bfi1, bfi2), reversal (bfrev).
#ifdef REFERENCE
#define PRODUCTS(NAME, A, B)                                                                              \
    int NAME(int a, int b, int c) {                                                                       \
        for (int k = 0; k < 32; k += 8) c += (int)(A)(a >> k) * (int)(B)(b >> k);                         \
        return c;                                                                                         \
    }
PRODUCTS(signed_signed, char, char)
PRODUCTS(unsigned_unsigned, uchar, uchar)
PRODUCTS(signed_unsigned, char, uchar)
PRODUCTS(unsigned_signed, uchar, char)
uint inserted(uint width, uint offset, uint v, uint old) {
    uint mask = ((1u << (width & 31)) - 1) << (offset & 31);
    return (v << (offset & 31) & mask) | (old & ~mask);
}
uint reversed(uint x) {
    uint r = 0;
    for (int k = 0; k < 32; ++k) r |= ((x >> k) & 1) << (31 - k);
    return r;
}
int field(int width, int offset, int v) { return width ? v << (32 - width - offset) >> (32 - width) : 0; }
uint unsigned_field(uint width, uint offset, uint v) { return width ? v << (32 - width - offset) >> (32 - width) : 0; }
#else
int __builtin_IB_dp4a_ss(int c, int a, int b, bool saturated);
int __builtin_IB_dp4a_uu(int c, int a, int b, bool saturated);
int __builtin_IB_dp4a_su(int c, int a, int b, bool saturated);
int __builtin_IB_dp4a_us(int c, int a, int b, bool saturated);
uint __builtin_IB_bfi(uint width, uint offset, uint v, uint old);
uint __builtin_IB_bfrev(uint);
int __builtin_IB_ibfe(int width, int offset, int v);
uint __builtin_IB_ubfe(uint width, uint offset, uint v);
#define signed_signed(a, b, c) __builtin_IB_dp4a_ss(c, a, b, false)
#define unsigned_unsigned(a, b, c) __builtin_IB_dp4a_uu(c, a, b, false)
#define signed_unsigned(a, b, c) __builtin_IB_dp4a_su(c, a, b, false)
#define unsigned_signed(a, b, c) __builtin_IB_dp4a_us(c, a, b, false)
#define inserted __builtin_IB_bfi
#define reversed __builtin_IB_bfrev
#define field __builtin_IB_ibfe
#define unsigned_field __builtin_IB_ubfe
#endif

kernel void products(global const int* a, global const int* b, global int* o) {
    int i = get_global_id(0), n = get_global_size(0);
    o[i] = signed_signed(a[i], b[i], i);
    o[n + i] = unsigned_unsigned(a[i], b[i], i);
    o[2 * n + i] = signed_unsigned(a[i], b[i], i);
    o[3 * n + i] = unsigned_signed(a[i], b[i], i);
}

kernel void bit_fields(global const int* a, global const int* b, global int* o) {
    int i = get_global_id(0), n = get_global_size(0), width = a[i] & 15, offset = b[i] & 15;
    o[i] = inserted(width, offset, a[i], b[i]);
    o[n + i] = reversed(a[i]);
    o[2 * n + i] = field(width, offset, b[i]);
    o[3 * n + i] = unsigned_field(width, offset, b[i]);
}

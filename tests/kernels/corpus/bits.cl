// Logic, shifts, rotation, counting, fields.
#define BITS(T, S, WIDTH)                                                                 \
    kernel void bits_##T(global const T* a, global const T* b, global T* o) {             \
        size_t i = get_global_id(0), n = get_global_size(0);                              \
        T x = a[i], y = b[i], z = (T)(x ^ (y << 1));                                      \
        S s = (S)x;                                                                       \
        o[0 * n + i] = (x & y) ^ z;                                                       \
        o[1 * n + i] = (x | y) & (T)~z;                                                   \
        o[2 * n + i] = (T) ~(x ^ y ^ z);                                                  \
        o[3 * n + i] = (T)(x << (y & (WIDTH - 1)));                                       \
        o[4 * n + i] = (T)(x >> (y & (WIDTH - 1)));                                       \
        o[5 * n + i] = (T)(s >> (y & (WIDTH - 1)));                                       \
        o[6 * n + i] = rotate(x, y);                                                      \
        o[7 * n + i] = popcount(x);                                                       \
        o[8 * n + i] = clz(x);                                                            \
        o[9 * n + i] = bitselect(x, y, z);                                                \
        o[10 * n + i] = (T)((x >> 2) & 5) | (T)((y & 3) << 4);                            \
        o[11 * n + i] = x == y ? z : (T)(x < y ? x : y);                                  \
        o[12 * n + i] = (T)((x == y) + 2 * (x < z) + 4 * ((S)x < (S)z) + 8 * (y != z));   \
    }
BITS(uchar, char, 8)
BITS(ushort, short, 16)
BITS(uint, int, 32)
BITS(ulong, long, 64)

kernel void reversed(global const uint* a, global uint* o) {
    size_t i = get_global_id(0);
    uint x = a[i], r = 0;
    for (int k = 0; k < 32; ++k) r |= ((x >> k) & 1) << (31 - k);
    o[i] = r;
}

kernel void widened(global const uint* a, global ulong* o) {
    size_t i = get_global_id(0);
    o[i] = upsample(a[i], a[i] * 3u) ^ (ulong)upsample((ushort)a[i], (ushort)(a[i] >> 16)) ^ upsample((uchar)a[i], (uchar)7);
}

// Fields by hand: OpenCL C has no bit-fields.
kernel void fields(global const uint* a, global uint* o) {
    size_t i = get_global_id(0);
    uint low = a[i] & 31, high = a[i] >> 16 & 0xffff;
    int middle = (int)(a[i] << 16) >> 21;
    o[i] = (low ^ (uint)(middle << 4)) | ((high * 3 + low) & 0xffff) << 16;
}

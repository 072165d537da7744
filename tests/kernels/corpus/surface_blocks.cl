// Blocks of a two-dimensional surface, read by a sub-group of 16: plain, two side by side, transposed, and with the elements
// of a column packed into dwords. What lies outside of the surface is zero. The reference reads element by element.
#define SURFACE int width, int height, int pitch, int x, int y
#ifdef REFERENCE
uint at(global const uchar* base, SURFACE, int bytes) {
    if (x < 0 || y < 0 || (x + 1) * bytes > width || y >= height) return 0;
    uint v = 0;
    for (int k = 0; k < bytes; ++k) v |= (uint)base[y * pitch + x * bytes + k] << 8 * k;
    return v;
}
#define AT(X, Y, BYTES) at(base, width, height, pitch, x + (X), y + (Y), BYTES)
kernel void blocks(global const uchar* base, global uint* o, SURFACE) {
    int n = get_global_id(0), r;
    for (r = 0; r < 8; ++r) o[r * 16 + n] = AT(n, r, 2);
    for (r = 0; r < 16; ++r) o[(8 + r) * 16 + n] = AT(n + r / 8 * 16, r % 8, 2);
    for (r = 0; r < 8; ++r) o[(24 + r) * 16 + n] = AT(n, 2 * r, 2) | AT(n, 2 * r + 1, 2) << 16;
    for (r = 0; r < 8; ++r) o[(32 + r) * 16 + n] = AT(n, 4 * r, 1) | AT(n, 4 * r + 1, 1) << 8 | AT(n, 4 * r + 2, 1) << 16 | AT(n, 4 * r + 3, 1) << 24;
    for (r = 0; r < 8; ++r) o[(40 + r) * 16 + n] = AT(r, n, 4);
    for (r = 0; r < 8; ++r) o[(48 + r) * 16 + n] = AT(2 * n + r / 4 * 32, r % 4, 1) | AT(2 * n + 1 + r / 4 * 32, r % 4, 1) << 8;
}
#else
ushort8 __builtin_IB_subgroup_block_read_flat_u16_m8k16(long, int, int, int, int2);
ushort16 __builtin_IB_subgroup_block_read_flat_u16_m8k16v2(long, int, int, int, int2);
uint8 __builtin_IB_subgroup_block_read_flat_transform_u16_k16(long, int, int, int, int2);
uint8 __builtin_IB_subgroup_block_read_flat_transform_u8_k32(long, int, int, int, int2);
uint8 __builtin_IB_subgroup_block_read_flat_transpose_u32_k8(long, int, int, int, int2);
ushort8 __builtin_IB_subgroup_block_read_flat_u8_m4k32v2(long, int, int, int, int2);
#define READ(FORM) __builtin_IB_subgroup_block_read_flat_##FORM((long)base, width - 1, height - 1, pitch - 1, (int2)(x, y))
kernel __attribute__((intel_reqd_sub_group_size(16))) void blocks(global const uchar* base, global uint* o, SURFACE) {
    int n = get_global_id(0), r;
    ushort8 plain = READ(u16_m8k16);
    ushort16 two = READ(u16_m8k16v2);
    uint8 words = READ(transform_u16_k16), bytes = READ(transform_u8_k32), columns = READ(transpose_u32_k8);
    ushort8 narrow = READ(u8_m4k32v2);
    for (r = 0; r < 8; ++r) o[r * 16 + n] = plain[r], o[(24 + r) * 16 + n] = words[r];
    for (r = 0; r < 8; ++r) o[(32 + r) * 16 + n] = bytes[r], o[(40 + r) * 16 + n] = columns[r];
    for (r = 0; r < 16; ++r) o[(8 + r) * 16 + n] = two[r];
    for (r = 0; r < 8; ++r) o[(48 + r) * 16 + n] = narrow[r];
}
#endif

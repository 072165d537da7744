// Integer operations of every width; item i works on a[i], b[i].
kernel void arithmetic(global const int* a, global const int* b, global long* out) {
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    uint ux = x, uy = y;
    global long* o = out + i * 16;
    o[0] = (long)x * y;
    o[1] = mul_hi(x, y);
    o[2] = mul_hi(ux, uy);
    o[3] = y ? (y == -1 ? 0 : x / y) : 0;
    o[4] = y ? (y == -1 ? 0 : x % y) : 0;
    o[5] = uy ? ux / uy : 0;
    o[6] = add_sat(x, y);
    o[7] = rotate(ux, uy);
    o[8] = clz(ux) + popcount(uy) * 100;
    o[9] = hadd(x, y);
    o[10] = abs_diff(x, y);
    o[11] = (char)x + (short)y;
    o[12] = (uchar)x * (ushort)y;
    o[13] = x >> (y & 31);
    o[14] = ux >> (uy & 31);
    o[15] = clamp(x, -1000, 1000) + max(x, y) - min(ux, uy);
}

kernel void wide(global const long* a, global const long* b, global ulong* out) {
    size_t i = get_global_id(0);
    long x = a[i], y = b[i];
    global ulong* o = out + i * 8;
    o[0] = x * y;
    o[1] = y ? (y == -1 ? 0 : x / y) : 0;
    o[2] = y ? (ulong)x % (ulong)y : 0;
    o[3] = x << (y & 63);
    o[4] = x >> (y & 63);
    o[5] = (ulong)x >> (y & 63);
    o[6] = mul_hi(x, y);
    o[7] = (x < y) + ((ulong)x < (ulong)y) * 2 + popcount(x) * 4 + clz(y) * 1000;
}

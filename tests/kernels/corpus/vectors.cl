// Vector types: swizzles, geometric functions, loads and stores of every width, alignment of three, shuffles.
kernel void loads(global const char* c, global const short* s, global const int* i, global const long* l, global const float* f,
                  global const double* d, global int* o) {
    size_t k = get_global_id(0);
    char16 a = vload16(k, c);
    short8 b = vload8(k, s);
    int4 e = vload4(k, i);
    long2 g = vload2(k, l);
    float3 h = vload3(k, f);
    double4 m = vload4(k, d);
    int4 r = convert_int4(a.s0246 + a.s89ab) + convert_int4(b.hi) + e.wzyx + (int4)((int)g.x, (int)g.y, (int)h.z, (int)m.w);
    vstore4(r, k, o);
}

kernel void stores(global const int* i, global char* c, global short* s, global float* f, global double* d, global ulong* l) {
    size_t k = get_global_id(0);
    int4 v = vload4(k, i);
    vstore16((char16)(convert_char4(v), convert_char4(v + 1), convert_char4(v * 2), convert_char4(-v)), k, c);
    vstore8((short8)(convert_short4(v), convert_short4(v).wzyx), k, s);
    vstore3(convert_float4(v).zyx, k, f);
    vstore2(convert_double4(v).yw, k, d);
    vstore4(convert_ulong4(v), k, l);
}

kernel void geometry(global const float4* a, global const float4* b, global float* o) {
    size_t k = get_global_id(0), n = get_global_size(0);
    float3 x = a[k].xyz, y = b[k].xyz;
    o[0 * n + k] = dot(a[k], b[k]);
    o[1 * n + k] = length(x);
    o[2 * n + k] = distance(x, y);
    float3 c = cross(x, y), u = normalize(x);
    o[3 * n + k] = c.x;
    o[4 * n + k] = c.y;
    o[5 * n + k] = c.z;
    o[6 * n + k] = u.x + u.y * 2 + u.z * 4;
}

kernel void compared(global const int4* a, global const int4* b, global int4* o) {
    size_t k = get_global_id(0);
    int4 less = a[k] < b[k];
    o[k] = select(a[k], b[k], less) + (any(less) ? 1000000 : 0) + (all(less) ? 2000000 : 0) + (a[k] == b[k] ? (int4)7 : (int4)9);
}

kernel void shuffled(global const uint4* a, global uint4* o) {
    size_t k = get_global_id(0);
    uint4 mask = (uint4)(3, 0, 2, 1) ^ (uint4)(k & 3);
    o[k] = shuffle(a[k], mask) + shuffle2(a[k], a[k] * 2u, mask + 2u) + (uint4)(a[k].odd, a[k].even);
}

kernel void unaligned(global const uchar* a, global uint* o) {
    size_t k = get_global_id(0);
    uchar4 v = vload4(0, a + 3 * k);
    o[k] = as_uint(v) + as_ushort(vload2(0, a + k)) * 5u;
}

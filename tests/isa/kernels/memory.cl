// Private arrays, unaligned and vector accesses, atomics, program-scope constants.
constant int kTable[] = {3, 1, 4, 1, 5, 9, 2, 6};

kernel void privates(global const int* a, global int* out) {
    int i = get_global_id(0), box[24];
    for (int k = 0; k < 24; ++k) box[k] = a[i + k] * kTable[k & 7];
    for (int k = 0; k < 24; ++k) box[(a[i] + k) % 24] += box[(a[i + 1] + 3 * k) % 24];
    out[i] = box[a[i] % 24] - box[23];
}

kernel void unaligned(global const uchar* bytes, global ulong* out) {
    int i = get_global_id(0);
    uchar3 v = vload3(i, bytes);
    ushort2 w = vload2(i, (global const ushort*)(bytes + 1));
    float4 f = vload4(0, (global const float*)(bytes + 4 * i));
    out[i] = v.x + v.y * 256u + v.z * 65536ul + ((ulong)(w.x ^ w.y) << 32) + as_uint(f.z);
}

kernel void atomics(global int* cells, global const int* a) {
    int i = get_global_id(0), v = a[i];
    atomic_add(&cells[0], v);
    atomic_max(&cells[1], v);
    atomic_min(&cells[2], v);
    atomic_or(&cells[3], 1 << (v & 31));
    atomic_xor(&cells[4], v);
    atomic_inc(&cells[5 + (v & 3)]);
    int expected = cells[9], seen;
    while ((seen = atomic_cmpxchg(&cells[9], expected, expected + v)) != expected) expected = seen;
}

// Kernels whose cycles, stalls and hit rates can be worked out by hand.

kernel void walk(global volatile const uint* p, uint stride, uint n, global uint* out) {
    uint s = 0;
    for (uint k = 0; k < n; ++k) s += p[k * stride];
    *out = s;
}

/// Reads much, and keeps eight loads in flight.
kernel void sum(global const float4* in, global float* out) {
    size_t i = get_global_id(0), n = get_global_size(0);
    float4 v = 0;
    for (int k = 0; k < 32; k += 8) {
        float4 a = in[i + k * n], b = in[i + (k + 1) * n], c = in[i + (k + 2) * n], d = in[i + (k + 3) * n];
        float4 e = in[i + (k + 4) * n], f = in[i + (k + 5) * n], g = in[i + (k + 6) * n], h = in[i + (k + 7) * n];
        v += a + b + c + d + e + f + g + h;
    }
    if (v.x + v.y + v.z + v.w == 1.0f) out[i] = 1.0f;
}

#define FOUR a = fma(a, 1.5f, b); a = fma(a, 1.5f, b); a = fma(a, 1.5f, b); a = fma(a, 1.5f, b);
kernel void multiplyAdd(global float* out, uint n) {
    float a = get_global_id(0), b = a;
    for (uint k = 0; k < n; ++k) { FOUR FOUR FOUR FOUR FOUR FOUR FOUR FOUR }
    out[get_global_id(0)] = a;
}

/// One of a group is late at the barrier.
kernel void late(global const uint* p, uint n, global uint* out) {
    uint i = 0;
    if (get_local_id(0) == 0)
        for (uint k = 0; k < n; ++k) i = p[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = i;
}

/// Caches, local memory with bank conflicts, barriers, atomics, private memory, branches and all pipes.
kernel void mixture(global const float* a, global float* b, global uint* counter, local float* tile) {
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    float kept[24];
    for (int k = 0; k < 24; ++k) kept[k] = a[(i * 7 + k * 33) & 4095];
    tile[l] = kept[l % 24];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = tile[(l * 16 + l / 4) % n];
    for (uint k = 0; k < 8 + l % 5; ++k) sum = fma(sum, 0.5f, native_sin(kept[(k + l) % 24]));
    if (l % 3 == 0) atomic_inc(counter + l % 4);
    b[i] = sum;
}

// Small whole programs, close to what users run.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void multiplied(global const float* a, global const float* b, global float* c, int n) {
    local float ta[16][16], tb[16][16];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float s = 0;
    for (int t = 0; t < n; t += 16) {
        ta[ly][lx] = a[y * n + t + lx], tb[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k) s += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = s;
}

kernel void mandelbrot(global uint* o, int width, int limit) {
    int x = get_global_id(0), y = get_global_id(1), k = 0;
    // Whole numbers scaled by 4096: the same in every device.
    int cx = x * 3 * 4096 / width - 2 * 4096, cy = y * 2 * 4096 / width - 4096, zx = 0, zy = 0;
    while (k < limit && zx * (long)zx + zy * (long)zy < 4l * 4096 * 4096) {
        int t = (int)((zx * (long)zx - zy * (long)zy) >> 12) + cx;
        zy = (int)((2l * zx * zy) >> 12) + cy, zx = t, ++k;
    }
    o[y * width + x] = k;
}

kernel void bitonic(global uint* a, uint stage, uint pass) {
    uint i = get_global_id(0), distance = 1u << (stage - pass), left = (i % distance) + (i / distance) * 2 * distance;
    uint x = a[left], y = a[left + distance], low = min(x, y), high = max(x, y);
    bool up = (i / (1u << stage)) % 2 == 0;
    a[left] = up ? low : high, a[left + distance] = up ? high : low;
}

kernel void sparse(global const float* v, global const int* column, global const int* row, global const float* x, global float* y) {
    int r = get_global_id(0);
    float s = 0;
    for (int k = row[r]; k < row[r + 1]; ++k) s += v[k] * x[column[k]];
    y[r] = s;
}

kernel void dot_products(global const char4* a, global const char4* b, global const uchar4* c, global int* o) {
    int i = get_global_id(0);
    int s = 0;
    s += a[i].x * b[i].x + a[i].y * b[i].y + a[i].z * b[i].z + a[i].w * b[i].w;
    uint u = c[i].x * c[i].y + c[i].z * c[i].w;
    o[i] = s * 3 + u;
}

kernel void crc(global const uchar* a, global uint* o) {
    int i = get_global_id(0);
    uint r = ~0u;
    for (int k = 0; k < 16; ++k) {
        r ^= a[i * 16 + k];
        for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ (0xedb88320u & -(r & 1));
    }
    o[i] = ~r;
}

kernel void generators(global ulong* state, global double* o) {
    int i = get_global_id(0);
    ulong s = state[i];
    double sum = 0;
    for (int k = 0; k < 50; ++k) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        sum += (double)(s >> 11) * 0x1p-53;
    }
    state[i] = s, o[i] = sum;
}

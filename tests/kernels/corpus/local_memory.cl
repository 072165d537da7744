// Local memory and barriers: tiles, trees, several barriers in a loop, arguments beside declared arrays, every width.
kernel __attribute__((reqd_work_group_size(8, 8, 1))) void transposed(global const float* a, global float* o, int width) {
    local float tile[8][9];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = a[get_global_id(1) * width + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[(get_group_id(0) * 8 + y) * width + get_group_id(1) * 8 + x] = tile[x][y];
}

kernel void summed(global const int* a, global int* o, local int* part) {
    int i = get_local_id(0);
    part[i] = a[get_global_id(0)];
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < step) part[i] += part[i + step];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) o[get_group_id(0)] = part[0];
}

kernel void widths(global const int* a, global long* o) {
    local uchar c[64];
    local ushort s[64];
    local long l[64];
    local double d[64];
    local int4 v[64];
    int i = get_local_id(0), k = 63 - i;
    int x = a[get_global_id(0)];
    c[i] = x, s[i] = x, l[i] = (long)x << 20, d[i] = x * 0.5, v[i] = (int4)(x, x + 1, x + 2, x + 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = c[k] + s[k] * 3 + l[k] + (long)d[k] + v[k].y * 5 + v[k].w;
}

kernel void two_arguments(global const int* a, local int* first, local short* second, global int* o) {
    local int own[32];
    int i = get_local_id(0);
    first[i] = a[get_global_id(0)], second[i] = i * 3, own[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = first[(i + 5) & 31] + second[(i + 9) & 31] * 1000 + own[31 - i] * 100000;
}

kernel void prefix(global int* a) {
    local int buffer[2][128];
    int i = get_local_id(0), from = 0;
    buffer[0][i] = a[get_global_id(0)];
    for (int step = 1; step < 128; step *= 2, from ^= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        buffer[from ^ 1][i] = buffer[from][i] + (i >= step ? buffer[from][i - step] : 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = buffer[from][i];
}

kernel void copied(global const int* a, global int* o) {
    local int part[64];
    event_t event = async_work_group_copy(part, a + get_group_id(0) * 64, 64, 0);
    wait_group_events(1, &event);
    part[get_local_id(0)] *= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    event = async_work_group_copy(o + get_group_id(0) * 64, part, 64, 0);
    wait_group_events(1, &event);
}

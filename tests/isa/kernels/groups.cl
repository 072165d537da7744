// Work-group and sub-group operations.
kernel void reverse(global int* data, local int* box) {
    int l = get_local_id(0), n = get_local_size(0);
    box[l] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = box[n - 1 - l] + (int)get_group_id(0);
}

kernel void histogram(global const uint* a, global uint* out) {
    local uint bins[16];
    int l = get_local_id(0);
    if (l < 16) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[a[get_global_id(0)] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) atomic_add(&out[l], bins[l]);
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void lanes16(global const int* a, global int* out) {
    int i = get_global_id(0);
    out[i * 4] = sub_group_reduce_add(a[i]);
    out[i * 4 + 1] = sub_group_scan_inclusive_add(a[i]);
    out[i * 4 + 2] = sub_group_broadcast(a[i], 5);
    out[i * 4 + 3] = sub_group_any(a[i] > 90) + 2 * sub_group_all(a[i] < 99);
}

__attribute__((intel_reqd_sub_group_size(32)))
kernel void lanes32(global const int* a, global int* out) {
    int i = get_global_id(0);
    out[i * 4] = sub_group_reduce_max(a[i]);
    out[i * 4 + 1] = sub_group_scan_exclusive_add(a[i]);
    out[i * 4 + 2] = sub_group_broadcast(a[i], 31);
    out[i * 4 + 3] = get_sub_group_local_id() + 100 * get_sub_group_id();
}

kernel void coordinates(global int* out) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int w = get_global_size(0), h = get_global_size(1);
    out[x + w * (y + h * z)] = get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2) + 1000 * get_group_id(0) + 10000 * get_group_id(1) +
                               100000 * get_group_id(2);
}

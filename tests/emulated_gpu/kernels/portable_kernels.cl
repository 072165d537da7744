// Kernels for drivers whose machine code is not Intel's: functions of sub-groups and work-groups, atomics, fast math.
kernel void add(global uint* data, uint value) { data[get_global_id(0)] += value; }

kernel void reverse(global uint* out, local uint* words) {
    const size_t i = get_local_id(0), n = get_local_size(0);
    words[i] = (uint)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = words[n - 1 - i];
}

kernel void groups(global int* out) {
    const size_t i = get_global_id(0), n = get_global_size(0);
    const int value = (int)get_local_id(0) + 1;
    out[0 * n + i] = work_group_reduce_add(value);
    out[1 * n + i] = work_group_scan_inclusive_add(value);
    out[2 * n + i] = work_group_scan_exclusive_max(value);
    out[3 * n + i] = work_group_broadcast(value, get_local_size(0) - 1);
    out[4 * n + i] = (int)get_global_linear_id();
}

kernel void subGroups(global int* out) {
    const size_t i = get_global_id(0), n = get_global_size(0);
    const int value = (int)get_sub_group_local_id() + 1;
    out[0 * n + i] = sub_group_reduce_add(value);
    out[1 * n + i] = sub_group_scan_exclusive_add(value);
    out[2 * n + i] = sub_group_reduce_min(value);
    out[3 * n + i] = sub_group_broadcast(value, 3);
    out[4 * n + i] = (int)(get_sub_group_id() * 100 + get_sub_group_size());
    out[5 * n + i] = sub_group_all(value > 0) * 10 + sub_group_any(value == 1);
}

kernel void atomics(global atomic_int* sum, global atomic_int* most, global atomic_uint* ticket) {
    const int value = (int)get_global_id(0) - 100;
    atomic_fetch_add_explicit(sum, value, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_max(most, value);
    uint seen = 0;
    while (!atomic_compare_exchange_strong(ticket, &seen, seen + 2))
        ;
}

kernel void math(global const float* in, global float* out) {
    const size_t i = get_global_id(0), n = get_global_size(0);
    const float x = in[i];
    out[0 * n + i] = exp(x);
    out[1 * n + i] = sin(x);
    out[2 * n + i] = pow(x, 1.5f);
    out[3 * n + i] = native_exp(x);
    out[4 * n + i] = native_sin(x);
    out[5 * n + i] = native_powr(x, 1.5f);
    out[6 * n + i] = native_log(x);
}

// Messages between work items through global memory: atomics, fences, the last group to finish.
kernel void last_group(global const int* a, global volatile int* part, global volatile int* done, global int* o) {
    local int sum, last;
    int i = get_local_id(0);
    if (i == 0) sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, a[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        part[get_group_id(0)] = sum;
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(done) == (int)get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last && i == 0) {
        int total = 0;
        for (int g = 0; g < (int)get_num_groups(0); ++g) total += atomic_add(&part[g], 0);
        o[0] = total;
    }
}

kernel void swapped(global int* a) {
    int i = get_local_id(0), n = get_local_size(0), base = get_group_id(0) * n;
    int x = a[base + i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[base + n - 1 - i] = x + 1;
    barrier(CLK_GLOBAL_MEM_FENCE);
    x = a[base + (i ^ 1)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[base + i] = x * 2;
}

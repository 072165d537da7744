// Barriers of some sub-groups of a work-group, several at a time: half of the sub-groups hand values to each other while
// the others stay in a loop of their own. The reference computes what arrives.
#define ROUNDS 5
#ifdef REFERENCE
kernel void halves(global const int* a, global int* o) {
    int i = get_global_id(0), t = get_local_id(0), first = i - t, half_size = get_local_size(0) / 2;
    int side = t / half_size * half_size, x = 0;
    for (int r = 1; r <= ROUNDS * (side ? 2 : 1); ++r) x += a[first + side + (t - side + r) % half_size] * r;
    o[i] = x;
}
#else
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
// The compiler must see which barrier it is: it aborts over one that is chosen at run time.
#define HANDED(BARRIER, SIDE, TIMES)                             \
    for (int r = 1; r <= TIMES; ++r) {                           \
        l[t] = a[i] * r;                                         \
        work_group_named_barrier(BARRIER, CLK_LOCAL_MEM_FENCE);  \
        x += l[SIDE + (t - SIDE + r) % half_size];               \
        work_group_named_barrier(BARRIER, CLK_LOCAL_MEM_FENCE);  \
    }
kernel __attribute__((intel_reqd_sub_group_size(16))) void halves(global const int* a, global int* o) {
    local int l[128];
    local NamedBarrier_t* one = named_barrier_init(2);
    local NamedBarrier_t* other = named_barrier_init(2);
    int i = get_global_id(0), t = get_local_id(0), half_size = get_local_size(0) / 2, x = 0;
    if (get_sub_group_id() < get_num_sub_groups() / 2) {
        HANDED(one, 0, ROUNDS)
    } else {
        HANDED(other, half_size, ROUNDS * 2)
    }
    o[i] = x;
}
#endif

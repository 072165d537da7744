// Where work-items are if the launch has a global offset.
__attribute__((noinline)) uint column(void) { return (uint)get_global_id(0); }

kernel void offsetIds(global uint* out) {
    local uint ready;
    if (get_local_id(0) == 0) ready = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    const size_t x = get_global_id(0) - get_global_offset(0);
    const size_t y = get_global_id(1) - get_global_offset(1);
    out[y * get_global_size(0) + x] = ready * (column() + 100 * (uint)get_global_id(1) + 10000 * (uint)get_global_id(2));
}

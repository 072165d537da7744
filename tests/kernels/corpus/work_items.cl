// What a work item knows of itself: ids, sizes, offsets in one to three dimensions, groups of all shapes.
kernel void everything(global uint* o) {
    size_t item = (get_global_id(0) - get_global_offset(0)) +
                  get_global_size(0) * ((get_global_id(1) - get_global_offset(1)) +
                                        get_global_size(1) * (get_global_id(2) - get_global_offset(2)));
    global uint* p = o + item * 20;
    for (uint d = 0; d < 3; ++d) {
        p[d] = get_global_id(d);
        p[3 + d] = get_local_id(d);
        p[6 + d] = get_group_id(d);
        p[9 + d] = get_local_size(d);
        p[12 + d] = get_num_groups(d);
        p[15 + d] = get_global_offset(d);
    }
    p[18] = get_work_dim();
    p[19] = get_global_size(0) * 10000 + get_global_size(1) * 100 + get_global_size(2);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void alone(global int* o) { o[get_global_id(0)] = get_local_id(0) + get_group_id(0); }
kernel void nothing() {}
kernel void one(global int* o) { o[0] = 42; }
kernel void grouped(global int* o) { o[get_group_id(0)] = get_num_groups(0) * 100 + get_local_size(0); }

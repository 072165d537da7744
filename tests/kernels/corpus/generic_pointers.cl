// Pointers whose address space is known only at run time. OpenCL C 1.2, which PoCL offers, has none: stated expectations.
int taken(int* p, int k) { return p[k] + 1; }

kernel void three_spaces(global int* a, global int* o, int which) {
    local int l[32];
    int own[4], i = get_local_id(0);
    l[i] = i * 10;
    for (int k = 0; k < 4; ++k) own[k] = 1000 + i + k;
    barrier(CLK_LOCAL_MEM_FENCE);
    int* p = which == 0 ? (int*)a : which == 1 ? (int*)l : (int*)own;
    o[i] = taken(p, i & 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    p[i & 3] = 7;
}

kernel void by_lane(global int* a, global int* o) {
    local int l[32];
    int i = get_local_id(0);
    l[i] = 100 + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int* p = i & 1 ? (int*)&a[i] : (int*)&l[31 - i];
    o[i] = *p;
}

// Private pointers are left out: this compiler gives them no tag, so that they count as global.
kernel void named(global int* a, global int* o) {
    local int l[4];
    int i = get_local_id(0);
    int* p = i & 1 ? (int*)&l[i] : (int*)&a[i];
    o[i] = (to_global(p) != 0) + 2 * (to_local(p) != 0);
}

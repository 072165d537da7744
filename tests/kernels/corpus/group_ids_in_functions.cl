// Group ids read in functions that are called, not inlined, while pointers and ids of the caller stay in registers.
struct chain {
    int links[40];
    int* at;
};

__attribute__((noinline)) int follow(struct chain* c, int steps) {
    int sum = 0;
    for (int i = 0; i < steps; ++i) {
        c->links[i & 31] += (int)get_group_id(0) + (int)get_group_id(1) * 3 + (int)get_group_id(2) * 7;
        sum ^= *c->at;
        c->at = &c->links[sum & 7];
    }
    return sum;
}

kernel void chains(global const int* a, global int* o, int steps) {
    struct chain c;
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    for (int j = 0; j < 40; ++j) c.links[j] = a[j];
    c.at = &c.links[steps & 7];
    int first = follow(&c, steps);
    barrier(CLK_GLOBAL_MEM_FENCE);
    int second = follow(&c, steps + 1);
    o[(z * (int)get_global_size(1) + y) * (int)get_global_size(0) + x] = first + second * 3 + x + y * 10 + z * 100;
}

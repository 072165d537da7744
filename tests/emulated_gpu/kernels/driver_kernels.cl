// Kernels of the driver tests: each does one thing a test can compute by hand.
kernel void add(global const int* a, global const int* b, global int* c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}

kernel void writeIds(global uint* out, uint factor) { out[get_global_id(0)] = (uint)get_global_id(0) * factor; }

kernel void reverse(global int* data, local int* scratch) {
    size_t i = get_local_id(0), n = get_local_size(0);
    scratch[i] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = scratch[n - 1 - i];
}

kernel void spin(global volatile int* stop) {
    while (*stop == 0)
        ;
}

kernel void holdLocal(global volatile int* stop, global uint* out) {
    local volatile uint tile[8];
    tile[get_local_id(0)] = 100 + get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    while (*stop == 0)
        ;
    out[get_local_id(0)] = tile[get_local_id(0)];
}

kernel void faultOrSpin(global volatile int* stop) {
    if (get_group_id(0) == 1) stop[1 << 28] = 1;
    while (*stop == 0)
        ;
}

kernel void store(global int* where, long offset) { where[offset] = 42; }

kernel void say(int number) { printf("number %d\n", number); }

kernel void count(global int* counter) { atomic_inc(counter); }

constant int table[4] = {10, 20, 30, 40};
global int variable = 7;
kernel void useGlobals(global int* out) { out[0] = table[2] + variable; }

/// Each work-item has 300 words of private memory, in the places that its data say, and 300 words of data.
kernel void keepsMuchApart(global int* data) {
    int kept[300];
    data += get_global_id(0) * 300;
    for (int i = 0; i < 300; ++i) kept[i] = 0;
    for (int i = 0; i < 300; ++i) kept[data[i] % 300] += i;
    for (int i = 0; i < 300; ++i) data[i] = kept[i];
}

kernel void keepsMuch(global int* data) {
    int kept[300];
    for (int i = 0; i < 300; ++i) kept[i] = data[i];
    for (int i = 0; i < 300; ++i) kept[data[i] % 300] += kept[299 - i];
    for (int i = 0; i < 300; ++i) data[i] = kept[i];
}

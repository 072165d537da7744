// Functions that a debugger calls, and some that it cannot.
struct pair {
    int first;
    float second;
};
__attribute__((noinline)) int twice(int value) {
    int doubled = value * 2;
    return doubled;
}
__attribute__((noinline)) int twicePlusOne(int value) { return twice(value) + 1; }
__attribute__((noinline)) float mixed(float factor, char step, short offset) { return factor * step + offset; }
__attribute__((noinline)) long summed(global const int* from, int count) {
    long sum = 0;
    for (int k = 0; k < count; ++k) sum += from[k];
    return sum;
}
__attribute__((noinline)) float4 stretched(float4 v, float factor) { return v * factor; }
__attribute__((noinline)) float3 turned(float3 v) { return v.zxy; }
__attribute__((noinline)) void stored(global int* to, int value) { *to = value; }
__attribute__((noinline)) int endless(volatile global int* flag) {
    int turns = 0;
    while (*flag != 4711) ++turns;
    return turns;
}
__attribute__((noinline)) int together(int value) {
    barrier(CLK_LOCAL_MEM_FENCE);
    return value + 1;
}
__attribute__((noinline)) int firstOf(struct pair both) { return both.first; }
__attribute__((always_inline)) int builtIn(int value) { return value + 3; }
kernel void called(global int* data) {
    int i = get_global_id(0);
    float4 wide = (float4)(1, 2, 3, 4) * twice(i);
    struct pair both = {i, 2.0f};
    int all = twicePlusOne(i) + (int)mixed(0.5f, i, 3) + (int)summed(data + 96, 4) + firstOf(both) + builtIn(i);
    all += (int)(stretched(wide, 2.0f).y + turned(wide.xyz).x) + together(i);
    stored(data + 64, 1);
    if (i == 1000) all += endless(data);
    if (i % 3 == 0) {
        all += twice(i);
    } else {
        all -= twice(i);
    }
    data[i] = all;
}

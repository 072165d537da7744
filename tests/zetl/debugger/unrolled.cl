// In optimised code, this loop goes straight on, and debug information has a number for each turn, also where lanes
// come that left before it. The tests know which values are right.
kernel void unrolled(global int* data) {
    int i = get_global_id(0);
    int times = i & 3;
    float4 v = (float4)(i, i + 1, i + 2, i + 3);
    for (int t = 0; t < times; ++t) v = v.yzwx + 1.0f;
    data[i] = (int)(v.x + v.y * 3 + v.z * 5 + v.w * 7);
}

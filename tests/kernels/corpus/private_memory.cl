// Arrays of a work item: in registers, in scratch, spilled, indexed by data.
kernel void indexed(global const int* a, global int* o) {
    int t[64], i = get_global_id(0);
    for (int k = 0; k < 64; ++k) t[k] = a[i * 64 + k];
    for (int k = 0; k < 64; ++k) t[t[k] & 63] += k;
    int s = 0;
    for (int k = 0; k < 64; ++k) s += t[k] * k;
    o[i] = s;
}

kernel void small(global const int* a, global int* o) {
    int i = get_global_id(0);
    int t[4] = {a[i], a[i + 1], a[i + 2], a[i + 3]};
    t[a[i + 4] & 3] += 5;
    o[i] = t[a[i + 5] & 3];
}

kernel void large(global const float* a, global float* o) {
    float t[1024];
    int i = get_global_id(0);
    for (int k = 0; k < 1024; ++k) t[k] = a[(k * 7 + i) & 1023];
    float s = 0;
    for (int k = 0; k < 1024; k += 3) s += t[(k + (int)a[k]) & 1023];
    o[i] = s;
}

kernel void bytes(global const char* a, global char* o) {
    char t[256];
    int i = get_global_id(0);
    for (int k = 0; k < 256; ++k) t[k] = a[k + i];
    o[i] = t[(uchar)a[i]] + t[(uchar)(a[i + 1] * 3)];
}

kernel void longs(global const long* a, global long* o) {
    long t[20];
    int i = get_global_id(0);
    for (int k = 0; k < 20; ++k) t[k] = a[i] * (k + 1);
    for (int k = 0; k < 20; ++k) t[(uint)(t[k] >> 7) % 20u] ^= t[k];
    long s = 0;
    for (int k = 0; k < 20; ++k) s = s * 31 + t[k];
    o[i] = s;
}

// More live values than registers: the compiler spills.
kernel void spilled(global const int* a, global int* o, int rounds) {
    int i = get_global_id(0), r[120];
#pragma unroll
    for (int k = 0; k < 120; ++k) r[k] = a[i + k * 64];
    for (int n = 0; n < rounds; ++n) {
#pragma unroll
        for (int k = 0; k < 120; ++k) r[k] = r[k] * r[(k + 17) % 120] + r[(k + 31) % 120];
    }
#pragma unroll
    for (int k = 0; k < 120; ++k) o[i + k * 64] = r[k];
}

struct Node {
    int key;
    short next[3];
    double weight;
};
kernel void structures(global const int* a, global double* o) {
    struct Node nodes[8];
    int i = get_global_id(0);
    for (int k = 0; k < 8; ++k) {
        nodes[k].key = a[i + k];
        for (int j = 0; j < 3; ++j) nodes[k].next[j] = (a[i + k] >> (3 * j)) & 7;
        nodes[k].weight = a[i + k] * 0.25;
    }
    double s = 0;
    int at = 0;
    for (int k = 0; k < 20; ++k) s += nodes[at].weight * k, at = nodes[at].next[(nodes[at].key + k) & 1];
    o[i] = s;
}

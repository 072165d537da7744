// Functions that are not inlined: subroutines, nested calls under divergence, many parameters, structs by value.
__attribute__((noinline)) int sum_to(int x, global const int* p) {
    int s = 0;
    for (int i = 0; i < x; ++i) s += p[i];
    return s;
}
__attribute__((noinline)) float scaled(float x, float y) { return x * y + x; }
__attribute__((noinline)) int chosen(int x, global const int* p) { return x > 3 ? sum_to(x, p) + 1 : (int)scaled(x, 2.0f); }
kernel void divergent(global const int* a, global int* o) {
    int i = get_global_id(0);
    o[i] = chosen(a[i], a) + sum_to(3, a + (i & 15));
}

struct Pair {
    int low, high;
    double middle;
};
__attribute__((noinline)) struct Pair made(int x) {
    struct Pair p = {x - 1, x + 1, x * 0.5};
    return p;
}
__attribute__((noinline)) double used(struct Pair p, int k) { return p.low * k + p.high + p.middle; }
kernel void structures(global const int* a, global double* o) {
    int i = get_global_id(0);
    o[i] = used(made(a[i]), i) + used(made(i), a[i]);
}

__attribute__((noinline)) long many(int a, long b, float c, double d, char e, short f, int4 g, long2 h, global const int* p, int q, int r, int s) {
    return a + b * 3 + (long)c + (long)d + e + f * 2 + g.x + g.w * 7 + h.y - p[q & 31] + r * s;
}
kernel void parameters(global const int* a, global long* o) {
    int i = get_global_id(0), x = a[i];
    o[i] = many(x, x * 5l, x * 0.5f, x * 0.25, x, x, (int4)(x, 1, 2, i), (long2)(1, x), a, i, x, 3);
    if (x & 1) o[i] += many(i, x, 1.0f, 2.0, 3, 4, (int4)(i), (long2)(x), a, x, i, 5);
}

__attribute__((noinline)) void written(int* private_array, int n) {
    for (int k = 0; k < n; ++k) private_array[k] = private_array[k] * 2 + k;
}
kernel void through_pointers(global const int* a, global int* o) {
    int t[16], i = get_global_id(0);
    for (int k = 0; k < 16; ++k) t[k] = a[i] + k;
    written(t, 16);
    if (a[i] & 1) written(t + 4, 8);
    int s = 0;
    for (int k = 0; k < 16; ++k) s ^= t[k] << (k & 7);
    o[i] = s;
}

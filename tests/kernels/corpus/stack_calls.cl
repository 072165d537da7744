// Calls through the stack: recursion, mutual recursion, frames in private memory, many parameters, local memory below a
// call. The reference computes the same without recursion. Work item functions stay in the kernel: below a recursive
// call the compiler reads them from a record that it forgets to ask for.
#ifdef REFERENCE
int factorial(int n) {
    int r = 1;
    for (; n > 1; --n) r *= n;
    return r;
}
#else
__attribute__((noinline)) int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
#endif
kernel void factorials(global const int* a, global int* o) {
    int i = get_global_id(0);
    o[i] = a[i] & 1 ? factorial(a[i]) : factorial(3) + i;
}

#ifdef REFERENCE
int collatz(int n, int depth) {
    while (n > 1 && depth < 60) n = n & 1 ? n * 3 + 1 : n / 2, ++depth;
    return n > 1 ? -n : depth;
}
#else
int collatz(int n, int depth);
__attribute__((noinline)) int collatz_odd(int n, int depth) { return collatz(n * 3 + 1, depth + 1); }
__attribute__((noinline)) int collatz_even(int n, int depth) { return collatz(n / 2, depth + 1); }
__attribute__((noinline)) int collatz(int n, int depth) {
    if (n <= 1) return depth;
    if (depth >= 60) return -n;
    return n & 1 ? collatz_odd(n, depth) : collatz_even(n, depth);
}
#endif
kernel void mutual(global const int* a, global int* o) {
    int i = get_global_id(0);
    o[i] = collatz(a[i], 0);
}

#ifdef REFERENCE
int ackermann(int m, int n) { return m == 0 ? n + 1 : m == 1 ? n + 2 : m == 2 ? 2 * n + 3 : (8 << n) - 3; }
#else
__attribute__((noinline)) int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
#endif
kernel void deep(global const int* a, global int* o) {
    int i = get_global_id(0);
    o[i] = ackermann(a[i] % 3, a[i] / 3 & 3);
}

// Every lane sorts its own array in private memory.
#ifdef REFERENCE
void sorted(int* p, int low, int high) {
    for (int i = low + 1; i <= high; ++i)
        for (int k = i; k > low && p[k - 1] > p[k]; --k) {
            int t = p[k];
            p[k] = p[k - 1], p[k - 1] = t;
        }
}
#else
__attribute__((noinline)) void sorted(int* p, int low, int high) {
    if (low >= high) return;
    int pivot = p[(low + high) / 2], i = low, k = high;
    while (i <= k) {
        while (p[i] < pivot) ++i;
        while (p[k] > pivot) --k;
        if (i <= k) {
            int t = p[i];
            p[i++] = p[k], p[k--] = t;
        }
    }
    sorted(p, low, k);
    sorted(p, i, high);
}
#endif
kernel void quicksort(global const int* a, global int* o) {
    int i = get_global_id(0), p[12];
    for (int k = 0; k < 12; ++k) p[k] = a[(i + k * 7) & 63];
    sorted(p, 0, 11);
    for (int k = 0; k < 12; ++k) o[i * 12 + k] = p[k];
}

typedef struct {
    int part[5];
    double weight;
} Frame;
#ifdef REFERENCE
long walk(int n, int t, local int* l, global const int* a, private int* p, Frame f, double d, long q, char c, float4 v) {
    long sum = 0;
    int own[4] = {p[0], p[1], p[2], p[3]};
    for (; n > 0; --n) {
        for (int k = 0; k < 4; ++k) own[k] += n;
        f.part[2] += n, sum += own[n & 3] + t * 3 + a[n], d *= 1.5, q += v.y, ++c;
    }
    return sum + l[t] + own[0] + f.part[2] + (long)d + q * c;
}
#else
__attribute__((noinline)) long walk(int n, int t, local int* l, global const int* a, private int* p, Frame f, double d, long q,
                                    char c, float4 v) {
    if (n <= 0) return l[t] + p[0] + f.part[2] + (long)d + q * c;
    int own[4];
    for (int k = 0; k < 4; ++k) own[k] = p[k] + n;
    f.part[2] += n;
    long rest = walk(n - 1, t, l, a, own, f, d * 1.5, q + (long)v.y, c + 1, v);
    return rest + own[n & 3] + t * 3 + a[n];
}
#endif
kernel void frames(global const int* a, global long* o) {
    local int l[32];
    int i = get_global_id(0) - get_global_offset(0), t = get_local_id(0), p[4] = {1, 2, 3, i};
    l[t] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    Frame f = {{a[i], 2, 3, 4, 5}, 0.5};
    o[i] = walk(a[i] & 7, t, l, a, p, f, 1.0, i, 1, (float4)(1, 2, 3, 4));
}

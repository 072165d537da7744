__attribute__((noinline)) int collatz(uint n) {
    int steps = 0;
    while (n != 1 && steps < 300) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        ++steps;
    }
    return steps;
}
__attribute__((noinline)) int weigh(int k, global const int* table) { return k > 0 ? table[k & 7] + collatz(k) : -k; }

kernel void control(global const int* a, global int* out, int limit) {
    int i = get_global_id(0), sum = 0;
    if (i >= limit) return;
    for (int k = 0; k < a[i] % 13; ++k) {
        if (k == 9) break;
        if ((k ^ i) & 1) continue;
        for (int j = k; j < 5; ++j) {
            if (a[i] % 7 == j) goto done;
            sum += j * k + 1;
        }
        switch (a[i] % 5) {
            case 0: sum += 10; break;
            case 1: sum ^= 3;
            case 2: sum += 100; break;
            default: sum -= k;
        }
    }
done:
    out[i] = sum + weigh(a[i] % 11 - 3, a) * 1000;
}

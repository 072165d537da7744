// Kernels without an expectation of their own: each mixes many operations over its buffers. Addresses are masked, so that
// any data is legal; no work item writes where another reads.
#define N 1023

uint hash(uint x) {
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

kernel void integers(global const int* a, global const uint* b, global int* o, int n) {
    int i = get_global_id(0), s = n;
    for (int k = 0; k < 40; ++k) {
        int x = a[(i * 13 + k) & N], y = (int)b[(i + k * 7) & N];
        switch ((x + k) & 7) {
            case 0: s += x * y; break;
            case 1: s ^= rotate(x, y); break;
            case 2: s -= x / ((y & 15) + 1); break;
            case 3: s = mad24(s & 0xffff, x & 0xff, y); break;
            case 4: s += popcount(x) + clz(y); continue;
            case 5: s = mul_hi(s, x * 99991); break;
            case 6: s = add_sat(s, x << 24); break;
            default: s = (int)hash((uint)s);
        }
        s = max(s, -y) ^ (s >> (k & 15));
    }
    o[i] = s;
}

kernel void longs(global const long* a, global long* o, long n) {
    int i = get_global_id(0);
    long s = n;
    for (int k = 0; k < 30; ++k) {
        long x = a[(i + k * 5) & N];
        s = s * 6364136223846793005l + x;
        s ^= (s >> (x & 31)) + (long)mul_hi((ulong)s, (ulong)x * 0x9e3779b97f4a7c15ul);
        if (s % ((x & 7) + 2) == 1) s = rotate(s, x);
        s -= min(s >> 3, x);
    }
    o[i] = s;
}

kernel void narrow(global const char* a, global const short* b, global short* o, global char* c) {
    int i = get_global_id(0);
    char s = 0;
    short t = 1;
    for (int k = 0; k < 25; ++k) {
        s = add_sat(s, (char)(a[(i + k) & N] * 3)) ^ (char)k;
        t = sub_sat((short)(t * 7), b[(i * 3 + k) & N]) + s;
        t = abs_diff(t, (short)s) > 9000 ? (short)(t >> 2) : (short)(t + hadd(t, (short)k));
    }
    o[i] = t, c[i] = s;
}

kernel void reals(global const int* a, global float* o, global double* p) {
    int i = get_global_id(0);
    float s = 1;
    double t = 1;
    // Multiples of powers of two: exact, so that contraction into a fused operation cannot show.
    for (int k = 0; k < 20; ++k) {
        float x = (a[(i + k) & N] & 15) * 0.25f;
        s = floor(fmin(s + x, 900.0f) * 0.5f) + rint(x) - (s > 100 ? 64 : 0);
        t = fabs(trunc(t * 0.5) - x) + (isgreater(t, 50.0) ? -16 : 3);
    }
    o[i] = s, p[i] = t;
}

kernel void grouped(global const int* a, global int* o, local int* part) {
    int i = get_local_id(0), n = get_local_size(0);
    part[i] = a[get_global_id(0) & N];
    for (int round = 0; round < 5; ++round) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int x = part[(i * 5 + round) & (n - 1)];
        barrier(CLK_LOCAL_MEM_FENCE);
        part[i] = part[i] * 3 + (x ^ round);
    }
    o[get_global_id(0)] = part[i];
}

__attribute__((noinline)) int walk(global const int* a, int at, int depth) {
    int s = 0;
    while (depth-- > 0) at = a[at & N] + depth, s += at;
    return s;
}
kernel void called(global const int* a, global int* o) {
    int i = get_global_id(0);
    o[i] = walk(a, i, (a[i & N] & 7) + 1) - (i & 1 ? walk(a, i * 3, 5) : 0);
}

kernel void remembered(global const int* a, global int* o) {
    int t[48], i = get_global_id(0);
    for (int k = 0; k < 48; ++k) t[k] = a[(i * 48 + k) & N];
    for (int k = 0; k < 200; ++k) t[(uint)t[k % 48] % 48u] += t[(k * 7) % 48] ^ k;
    int s = 0;
    for (int k = 0; k < 48; ++k) s = s * 17 + t[k];
    o[i] = s;
}

kernel void counted(global const int* a, volatile global int* o) {
    int i = get_global_id(0);
    atomic_add(&o[a[i & N] & 15], i);
    atomic_max(&o[16 + (a[i & N] & 3)], i * 3);
    atomic_xor(&o[32], hash(i));
}

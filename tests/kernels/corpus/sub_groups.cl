// Sub-groups of 16 and 32. The reference kernels compute the same from the work items' indices, without sub-groups.
#ifdef REFERENCE
#define SG(SIZE)
#else
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#define SG(SIZE) __attribute__((intel_reqd_sub_group_size(SIZE)))
#endif

#ifdef REFERENCE
#define COLLECTIVE(SIZE, T, LOWEST)                                                       \
    kernel void collective_##T##_##SIZE(global const T* a, global T* o) {                 \
        size_t i = get_global_id(0), n = get_global_size(0), first = i / SIZE * SIZE;     \
        T sum = 0, low = a[first], high = a[first], scan = 0, before = 0, top = LOWEST;   \
        for (size_t k = first; k < first + SIZE; ++k) {                                   \
            sum += a[k], low = min(low, a[k]), high = max(high, a[k]);                    \
            if (k < i) before += a[k], top = max(top, a[k]);                              \
            if (k <= i) scan += a[k];                                                     \
        }                                                                                 \
        o[0 * n + i] = sum, o[1 * n + i] = low, o[2 * n + i] = high, o[3 * n + i] = scan; \
        o[4 * n + i] = before, o[5 * n + i] = top, o[6 * n + i] = a[first + 5];           \
    }
#else
#define COLLECTIVE(SIZE, T, LOWEST)                                                       \
    kernel SG(SIZE) void collective_##T##_##SIZE(global const T* a, global T* o) {        \
        size_t i = get_global_id(0), n = get_global_size(0);                              \
        T x = a[i];                                                                       \
        o[0 * n + i] = sub_group_reduce_add(x);                                           \
        o[1 * n + i] = sub_group_reduce_min(x);                                           \
        o[2 * n + i] = sub_group_reduce_max(x);                                           \
        o[3 * n + i] = sub_group_scan_inclusive_add(x);                                   \
        o[4 * n + i] = sub_group_scan_exclusive_add(x);                                   \
        o[5 * n + i] = sub_group_scan_exclusive_max(x);                                   \
        o[6 * n + i] = sub_group_broadcast(x, 5);                                         \
    }
#endif
COLLECTIVE(16, int, INT_MIN)
COLLECTIVE(32, int, INT_MIN)
COLLECTIVE(16, long, LONG_MIN)
COLLECTIVE(32, long, LONG_MIN)
COLLECTIVE(16, float, -INFINITY)
COLLECTIVE(32, float, -INFINITY)
COLLECTIVE(32, double, -INFINITY)

#define SHUFFLES(SIZE)                                                                    \
    kernel SG(SIZE) void shuffles_##SIZE(global const int* a, global int* o) {            \
        size_t i = get_global_id(0), n = get_global_size(0);                              \
        DECLARE(SIZE)                                                                     \
        o[0 * n + i] = ANY(i * 3 & (SIZE - 1));                                           \
        o[1 * n + i] = ANY(lane ^ 5);                                                     \
        o[2 * n + i] = ANY((lane + 1) % SIZE);                                            \
        o[3 * n + i] = SIZE * 1000 + lane + LOCALGROUP * 100;                             \
        o[4 * n + i] = VOTE(a[i] > 3, SIZE);                                              \
    }
#ifdef REFERENCE
#define DECLARE(SIZE) int lane = i % SIZE, first = i / SIZE * SIZE, any = 0, all = 1;      \
    for (int k = first; k < first + SIZE; ++k) any |= a[k] > 3, all &= a[k] > 3;          \
    int group = get_local_id(0) / SIZE;
#define ANY(index) a[first + (index)]
#define LOCALGROUP group
#define VOTE(condition, SIZE) (any + 2 * all)
#else
#define DECLARE(SIZE) int lane = get_sub_group_local_id();
#define ANY(index) intel_sub_group_shuffle(a[i], index)
#define LOCALGROUP get_sub_group_id()
#define VOTE(condition, SIZE) (sub_group_any(condition) + 2 * sub_group_all(condition))
#endif
SHUFFLES(16)
SHUFFLES(32)

#ifdef REFERENCE
kernel void blocks(global const uint* a, global const ushort* s, global uint* o, global ushort* p) {
    int i = get_global_id(0), lane = i % 16, g = i / 16;
    o[g * 64 + lane] = a[g * 64 + lane], o[g * 64 + 16 + lane] = a[g * 64 + 16 + lane] + 1;
    o[g * 64 + 32 + lane] = a[g * 64 + 32 + lane] * 2, o[g * 64 + 48 + lane] = a[g * 64 + 48 + lane] ^ 7;
    p[g * 16 + lane] = s[g * 16 + lane] * 3;
}
#else
kernel SG(16) void blocks(global const uint* a, global const ushort* s, global uint* o, global ushort* p) {
    int g = get_global_id(0) / 16;
    uint4 v = intel_sub_group_block_read4(a + g * 64);
    intel_sub_group_block_write4(o + g * 64, v + (uint4)(0, 1, v.z, (v.w ^ 7) - v.w));
    intel_sub_group_block_write_us(p + g * 16, intel_sub_group_block_read_us(s + g * 16) * 3);
}
#endif

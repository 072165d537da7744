// Collective functions of a work-group. The reference computes the same from indices.
#ifdef REFERENCE
#define COLLECTIVE(T)                                                                     \
    kernel void collective_##T(global const T* a, global T* o, global int* v) {           \
        size_t i = get_global_id(0), n = get_global_size(0), size = get_local_size(0);    \
        size_t first = i / size * size;                                                   \
        T sum = 0, low = a[first], high = a[first], scan = 0, before = 0;                 \
        int any = 0, all = 1;                                                             \
        for (size_t k = first; k < first + size; ++k) {                                   \
            sum += a[k], low = min(low, a[k]), high = max(high, a[k]);                    \
            if (k < i) before += a[k];                                                    \
            if (k <= i) scan += a[k];                                                     \
            any |= a[k] > 5, all &= a[k] > 5;                                             \
        }                                                                                 \
        o[0 * n + i] = sum, o[1 * n + i] = low, o[2 * n + i] = high, o[3 * n + i] = scan; \
        o[4 * n + i] = before, o[5 * n + i] = a[first + 3];                               \
        v[i] = any + 2 * all;                                                             \
    }
#else
#define COLLECTIVE(T)                                                                     \
    kernel void collective_##T(global const T* a, global T* o, global int* v) {           \
        size_t i = get_global_id(0), n = get_global_size(0);                              \
        T x = a[i];                                                                       \
        o[0 * n + i] = work_group_reduce_add(x);                                          \
        o[1 * n + i] = work_group_reduce_min(x);                                          \
        o[2 * n + i] = work_group_reduce_max(x);                                          \
        o[3 * n + i] = work_group_scan_inclusive_add(x);                                  \
        o[4 * n + i] = work_group_scan_exclusive_add(x);                                  \
        o[5 * n + i] = work_group_broadcast(x, 3);                                        \
        v[i] = (work_group_any(x > 5) != 0) + 2 * (work_group_all(x > 5) != 0);           \
    }
#endif
COLLECTIVE(int)
COLLECTIVE(long)
COLLECTIVE(float)

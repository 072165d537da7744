// Sub-group functions that look at the lanes that are on: ballots, reductions and scans in diverged code, clusters, and
// shuffles of every width. The reference kernels compute the same in loops over the work items of the sub-group.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define SIZE 16
#ifdef REFERENCE
#define GROUP
#else
#define GROUP __attribute__((intel_reqd_sub_group_size(SIZE)))
#endif

kernel GROUP void votes(global const int* a, global int* o) {
    int i = get_global_id(0), n = get_global_size(0), lane = i % SIZE, first = i - lane, x = a[i];
#ifdef REFERENCE
    uint ballot = 0;
    int cluster = 0, mixed = 0;
    for (int k = 0; k < SIZE; ++k) {
        ballot |= (uint)(a[first + k] > 3) << k;
        if (k / 4 == lane / 4) cluster += a[first + k];
        if (k / 8 == lane / 8) mixed ^= a[first + k];
    }
    o[i] = ballot, o[n + i] = cluster, o[2 * n + i] = mixed;
    o[3 * n + i] = popcount(ballot) + 100 * popcount(ballot & ((1u << lane) - 1));
    if (x & 1) {
        int sum = 0, before = 0, top = INT_MIN, all = 1, any = 0, equal = 1, leader = -1;
        for (int k = 0; k < SIZE; ++k) {
            int y = a[first + k];
            if (!(y & 1)) continue;
            if (leader < 0) leader = k;
            sum += y, all &= y > 0, any |= y > 7, equal &= y == a[first + leader];
            if (k < lane) before += y;
            if (k <= lane) top = max(top, y);
        }
        o[4 * n + i] = sum, o[5 * n + i] = before, o[6 * n + i] = top, o[7 * n + i] = all | any << 1 | equal << 2;
    }
#else
    uint4 ballot = sub_group_ballot(x > 3);
    o[i] = ballot.x, o[n + i] = sub_group_clustered_reduce_add(x, 4), o[2 * n + i] = sub_group_clustered_reduce_xor(x, 8);
    o[3 * n + i] = sub_group_ballot_bit_count(ballot) + 100 * sub_group_ballot_exclusive_scan(ballot);
    if (x & 1) {
        o[4 * n + i] = sub_group_non_uniform_reduce_add(x), o[5 * n + i] = sub_group_non_uniform_scan_exclusive_add(x);
        o[6 * n + i] = sub_group_non_uniform_scan_inclusive_max(x);
        o[7 * n + i] = (sub_group_non_uniform_all(x > 0) != 0) | (sub_group_non_uniform_any(x > 7) != 0) << 1 |
                       (sub_group_non_uniform_all_equal(x) != 0) << 2;
    }
#endif
}

#ifdef REFERENCE
#define OTHER(T, INDEX) ((T)a[first + (INDEX)])
#define BEFORE(T) (lane ? (T)a[i - 1] : (T)5)
#define AFTER(T) (lane + 1 < SIZE ? (T)a[i + 1] : (T)7)
#else
#define OTHER(T, INDEX) intel_sub_group_shuffle((T)a[i], INDEX)
#define BEFORE(T) intel_sub_group_shuffle_up((T)5, (T)a[i], 1u)
#define AFTER(T) intel_sub_group_shuffle_down((T)a[i], (T)7, 1u)
#endif
#define SHUFFLED(T)                                                            \
    kernel GROUP void shuffled_##T(global const int* a, global T* o) {         \
        int i = get_global_id(0), n = get_global_size(0), lane = i % SIZE, first = i - lane; \
        o[i] = OTHER(T, (lane * 7 + 3) % SIZE);                                \
        o[n + i] = OTHER(T, lane ^ 9);                                         \
        o[2 * n + i] = BEFORE(T);                                              \
        o[3 * n + i] = AFTER(T);                                               \
    }
SHUFFLED(uchar)
SHUFFLED(short)
SHUFFLED(int)
SHUFFLED(long)
SHUFFLED(float)
SHUFFLED(double)

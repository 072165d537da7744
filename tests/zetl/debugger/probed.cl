// In optimised code, a parameter shares its register with what the function computes from it. The tests know which values
// are right.
static inline __attribute__((always_inline)) uint mixed(uint h) {
    h ^= h >> 3;
    h *= 7u;
    h ^= h >> 2;
    return h;
}
static inline __attribute__((always_inline)) int probes(uint start, int most) {
    int probe = 0;
    uint h = start;
    do {
        h = mixed(h + probe);
        ++probe;
    } while ((h & 3u) != 0 && probe < most);
    return probe;
}
kernel void probed(global int* data) {
    uint i = get_global_id(0);
    int first = probes(i, 5);
    int second = i & 1 ? probes(i + first, 9) : -first;
    data[i] = first * 100 + second;
}

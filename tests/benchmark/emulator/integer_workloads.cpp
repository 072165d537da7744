// Classes whose kernels compute on integers: loops, branches, atomics, bytes and shorts.
#include "workload.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr const char* kLoop = R"(
kernel void loop(global uint* out, uint n) {
    uint x = get_global_id(0);
    for (uint i = 0; i < n; ++i) x = (x * 1664525u + 1013904223u) ^ i;
    out[get_global_id(0)] = x;
})";

constexpr const char* kBranches = R"(
kernel void branches(global uint* out, uint n) {
    uint x = get_global_id(0) + 1, steps = 0;
    for (uint i = 0; i < n; ++i) {
        if (x & 1) { if (x % 3 == 0) x = x * 5 + 1; else x = x * 3 + 1; }
        else x >>= 1;
        if (x < 2) { x = get_global_id(0) + i; ++steps; }
    }
    out[get_global_id(0)] = x + steps;
})";

constexpr const char* kAtomics = R"(
kernel void histogram(global uint* bins, uint n) {
    uint x = get_global_id(0);
    for (uint i = 0; i < n; ++i) { x = x * 1664525u + 1013904223u; atomic_inc(bins + (x >> 24)); }
})";

constexpr const char* kBytes = R"(
kernel void bytes(global const uchar4* a, global const uchar4* b, global uchar4* out, uint n) {
    uint i = get_global_id(0);
    uchar4 x = a[i], y = b[i];
    short4 sum = 0;
    for (uint k = 0; k < n; ++k) {
        ushort4 mix = convert_ushort4(x) * (ushort)(k & 255) + convert_ushort4(y) * (ushort)(255 - (k & 255));
        x = convert_uchar4(mix >> (ushort)8);
        y = add_sat(y, (uchar4)(3)) ^ x;
        sum += convert_short4(x) - convert_short4(y);
    }
    out[i] = convert_uchar4(sum) ^ x;
})";

Run loop(Size size) {
    const std::uint32_t items = pick(size, 1024, 16384, 262144);
    const std::uint32_t rounds = pick(size, 128, 2048, 2048);
    return {{items, 1}, {256, 1}, {std::vector<std::uint32_t>(items)}, {rounds}, 0, double(items) * rounds};
}

Run branches(Size size) {
    const std::uint32_t items = pick(size, 1024, 16384, 262144);
    const std::uint32_t rounds = pick(size, 64, 512, 512);
    return {{items, 1}, {256, 1}, {std::vector<std::uint32_t>(items)}, {rounds}, 0, double(items) * rounds};
}

Run atomics(Size size) {
    const std::uint32_t items = pick(size, 1024, 16384, 262144);
    const std::uint32_t rounds = pick(size, 16, 256, 256);
    return {{items, 1}, {256, 1}, {std::vector<std::uint32_t>(256)}, {rounds}, 0, double(items) * rounds};
}

Run bytes(Size size) {
    const std::uint32_t items = pick(size, 1024, 16384, 262144);
    const std::uint32_t rounds = pick(size, 32, 512, 512);
    std::vector<std::uint32_t> words(items);
    for (std::uint32_t i = 0; i < items; ++i) words[i] = i * 2654435761u;
    std::vector<std::uint32_t> others(words.rbegin(), words.rend());
    return {{items, 1}, {256, 1}, {std::move(words), std::move(others), std::vector<std::uint32_t>(items)},
            {rounds},   2,        4.0 * items * rounds};
}

}  // namespace

std::span<const Workload> integerWorkloads() {
    static constexpr Workload kAll[] = {
        {"integer loop", "iterations", kLoop, "loop", loop},
        {"divergent branches", "iterations", kBranches, "branches", branches},
        {"atomics on 256 words", "atomics", kAtomics, "histogram", atomics},
        {"bytes and shorts", "elements", kBytes, "bytes", bytes},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator

#include "workload.h"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace zetl::benchmark::emulator {
namespace {

constexpr const char* kMatmul = R"(
kernel void matmul(global const float* a, global const float* b, global float* c, uint n) {
    local float ta[16][16], tb[16][16];
    uint x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint t = 0; t < n; t += 16) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 16; ++k) sum = fma(ta[y][k], tb[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
})";

constexpr const char* kLoop = R"(
kernel void loop(global uint* out, uint n) {
    uint x = get_global_id(0);
    for (uint i = 0; i < n; ++i) x = (x * 1664525u + 1013904223u) ^ i;
    out[get_global_id(0)] = x;
})";

constexpr const char* kStream = R"(
kernel void stream(global const float* a, global const float* b, global float* c) {
    size_t i = get_global_id(0);
    c[i] = a[i] * 3.0f + b[i];
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

std::vector<std::uint32_t> floats(std::size_t count, std::uint32_t period) {
    std::vector<std::uint32_t> bits(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(i % period) * 0.125f;
        std::memcpy(&bits[i], &value, sizeof value);
    }
    return bits;
}

Run matmul(bool reduced) {
    const std::uint32_t n = reduced ? 64 : 512;
    return {{n, n},
            {16, 16},
            {floats(std::size_t{n} * n, 17), floats(std::size_t{n} * n, 13),
             std::vector<std::uint32_t>(std::size_t{n} * n)},
            {n},
            2,
            double(n) * n * n};
}

Run loop(bool reduced) {
    const std::uint32_t items = reduced ? 1024 : 16384;
    const std::uint32_t rounds = reduced ? 128 : 2048;
    return {{items, 1}, {256, 1}, {std::vector<std::uint32_t>(items)}, {rounds}, 0, double(items) * rounds};
}

Run stream(bool reduced) {
    const std::uint32_t items = reduced ? 1 << 14 : 1 << 22;
    return {{items, 1}, {256, 1}, {floats(items, 1001), floats(items, 997), std::vector<std::uint32_t>(items)},
            {},         2,        double(items)};
}

Run branches(bool reduced) {
    const std::uint32_t items = reduced ? 1024 : 16384;
    const std::uint32_t rounds = reduced ? 64 : 512;
    return {{items, 1}, {256, 1}, {std::vector<std::uint32_t>(items)}, {rounds}, 0, double(items) * rounds};
}

Run atomics(bool reduced) {
    const std::uint32_t items = reduced ? 1024 : 16384;
    const std::uint32_t rounds = reduced ? 16 : 256;
    return {{items, 1}, {256, 1}, {std::vector<std::uint32_t>(256)}, {rounds}, 0, double(items) * rounds};
}

}  // namespace

Time Time::now() {
    const auto read = [](clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    return {read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID)};
}

void Time::improve(const Time& other, bool first) {
    seconds = first ? other.seconds : std::min(seconds, other.seconds);
    processor = first ? other.processor : std::min(processor, other.processor);
}

std::span<const Workload> workloads() {
    static constexpr Workload kAll[] = {
        {"matrix multiplication, 16x16 tiles in local memory", "FMA", kMatmul, "matmul", matmul},
        {"integer loop", "iterations", kLoop, "loop", loop},
        {"memory streaming", "elements", kStream, "stream", stream},
        {"divergent branches", "iterations", kBranches, "branches", branches},
        {"atomics on 256 words", "atomics", kAtomics, "histogram", atomics},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator

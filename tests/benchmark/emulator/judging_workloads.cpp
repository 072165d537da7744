// Kernels by which nothing is chosen: how good a sample and its errors are shows in them. Each is of the kind of one in
// tuning_workloads.cpp.
#include "workload_data.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr const char* kLife = R"(
kernel void life(global const uint* a, global uint* out, uint width) {
    local uint tile[10][34];
    uint x = get_local_id(0), y = get_local_id(1), l = y * 32 + x, mask = width - 1;
    uint left = get_group_id(0) * 32 - 1, top = get_group_id(1) * 8 - 1;
    for (uint k = l; k < 340; k += 256) tile[k / 34][k % 34] = a[((top + k / 34) & mask) * width + ((left + k % 34) & mask)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint near = 0;
    for (uint j = 0; j < 3; ++j) near += (tile[y + j][x] & 1) + (tile[y + j][x + 1] & 1) + (tile[y + j][x + 2] & 1);
    uint alive = tile[y + 1][x + 1] & 1;
    near -= alive;
    out[get_global_id(1) * width + get_global_id(0)] = near == 3 || (alive && near == 2);
})";

constexpr const char* kTiled = R"(
kernel void tiled(global const float* a, global float* out, uint width) {
    local float tile[32][33];
    uint x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * 32, top = get_group_id(1) * 32;
    for (uint k = 0; k < 32; k += 8) tile[y + k][x] = a[(top + y + k) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 32; k += 8) out[(left + y + k) * width + top + x] = tile[x][y + k];
})";

constexpr const char* kVoted = R"(
kernel void voted(global const uint* values, global uint* counts, uint each) {
    local uint box[1024];
    uint l = get_local_id(0), first = get_group_id(0) * each * 256;
    for (uint k = l; k < 1024; k += 256) box[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < each; ++k) {
        uint v = values[first + k * 256 + l];
        atomic_inc(&box[v >> 22]);
        atomic_inc(&box[v >> 12 & 1023]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < 1024; k += 256) counts[get_group_id(0) * 1024 + k] = box[k];
})";

constexpr const char* kEll = R"(
kernel void ell(global const uint* columns, global const float* values, global const float* x, global float* out,
                uint mask) {
    uint row = get_global_id(0), n = get_global_size(0);
    float sum = 0;
    for (uint k = 0; k < 8; ++k) sum = fma(values[k * n + row], x[(row + (columns[k * n + row] >> 20)) & mask], sum);
    out[row] = sum;
})";

constexpr const char* kBlurred = R"(
kernel void blurred(global const float* a, global float* out, uint last) {
    local float box[288];
    uint l = get_local_id(0), i = get_global_id(0);
    box[l] = a[i];
    if (l < 32) box[256 + l] = a[min(i + 256, last)];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (uint k = 0; k < 17; ++k) sum = fma(box[l + k], 1.0f / (k + 1), sum);
    out[i] = sum;
})";

constexpr const char* kTransform = R"(
kernel void transform(global const float2* in, global float2* out) {
    local float2 box[256];
    uint l = get_local_id(0), first = get_group_id(0) * 256;
    box[l] = in[first + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint h = 1; h < 256; h <<= 1) {
        uint k = l & (h - 1), at = (((l & 127) - (k & 127)) << 1) + k;
        float2 a = box[at & 255], b = box[(at + h) & 255];
        float angle = -3.14159265f * k / h;
        float2 w = (float2)(native_cos(angle), native_sin(angle));
        float2 t = (float2)(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < 128) {
            box[at & 255] = a + t;
            box[(at + h) & 255] = a - t;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[first + l] = box[l];
})";

constexpr const char* kPrefixes = R"(
kernel void prefixes(global const uint* in, global uint* out, global uint* ends) {
    local uint sums[32];
    uint i = get_global_id(0), s = get_sub_group_id();
    uint sum = sub_group_scan_inclusive_add(in[i]);
    if (get_sub_group_local_id() == get_sub_group_size() - 1) sums[s] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < s; ++k) sum += sums[k];
    out[i] = sum;
    if (get_local_id(0) == 255) ends[get_group_id(0)] = sum;
})";

constexpr const char* kClusters = R"(
kernel void clusters(global const float4* points, global const float4* centres, global uint* out, uint count) {
    local float4 box[64];
    uint i = get_global_id(0), l = get_local_id(0), best = 0;
    if (l < 64) box[l] = centres[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 p = points[i];
    float least = INFINITY;
    for (uint k = 0; k < count; ++k) {
        float4 d = box[k] - p;
        float far = dot(d, d);
        best = far < least ? k : best;
        least = fmin(far, least);
    }
    out[i] = best;
})";

constexpr const char* kDigits = R"(
kernel void digits(global const uint* keys, global uint* out, uint shift) {
    local uint counts[16], begins[16];
    uint l = get_local_id(0), first = get_group_id(0) * 256, key = keys[first + l], digit = key >> shift & 15;
    if (l < 16) counts[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint rank = atomic_inc(&counts[digit]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        for (uint k = 0, sum = 0; k < 16; ++k) {
            begins[k] = sum;
            sum += counts[k];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + begins[digit] + rank % counts[digit]] = key;
})";

constexpr const char* kJumps = R"(
kernel void jumps(global const uint* next, global uint* out, uint mask) {
    uint i = get_global_id(0), at = i;
    for (uint k = 0; k < 6; ++k) at = next[at] & mask;
    out[i] = at;
})";

constexpr const char* kShifted = R"(
kernel void shifted(global const uint* a, global uint* out, uint last) {
    uint i = get_global_id(0);
    out[i] = a[min(i + 3, last)];
})";

constexpr const char* kTriad = R"(
kernel void triad(global const float4* b, global const float4* c, global float4* a, uint unused) {
    uint i = get_global_id(0);
    a[i] = b[i] + 0.4f * c[i];
})";

constexpr const char* kCollatz = R"(
kernel void collatz(global uint* out, uint first) {
    uint i = get_global_id(0), n = i + first, steps = 0;
    while (n != 1 && steps < 300) {
        n = n & 1 ? n * 3 + 1 : n >> 1;
        ++steps;
    }
    out[i] = steps;
})";

constexpr const char* kBlocks = R"(
kernel void blocks(global const float* a, global const float* b, global float* c, uint n) {
    local float x[16][16], y[16][17];
    uint column = get_local_id(0), row = get_local_id(1), i = get_global_id(0), j = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < n; k += 16) {
        x[row][column] = a[j * n + k + column];
        y[row][column] = b[(k + row) * n + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint m = 0; m < 16; ++m) sum = fma(x[row][m], y[m][column], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[j * n + i] = sum;
})";

Run life(Size size) {
    const std::uint32_t n = pick(size, 128, 1024, 2048);
    const std::size_t count = std::size_t{n} * n;
    return {{n, n}, {32, 8}, {anyWords(count), zeros(count)}, {n}, 1, double(count)};
}
Run tiled(Size size) {
    const std::uint32_t n = pick(size, 128, 1024, 2048);
    const std::size_t count = std::size_t{n} * n;
    return {{n, n / 4}, {32, 8}, {someFloats(count), zeros(count)}, {n}, 1, double(count)};
}
Run voted(Size size) {
    const std::uint32_t groups = pick(size, 16, 512, 2048);
    return {{groups * 256, 1},
            {256, 1},
            {anyWords(std::size_t{groups} * 256 * 16), zeros(std::size_t{groups} * 1024)},
            {16},
            1,
            double(groups) * 256 * 16};
}
Run ell(Size size) {
    const std::uint32_t rows = pick(size, 1 << 12, 1 << 17, 1 << 19);
    const std::size_t elements = std::size_t{rows} * 8;
    return inALine(rows, {anyWords(elements), someFloats(elements), someFloats(rows), zeros(rows)}, {rows - 1});
}
Run blurred(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 19, 1 << 21);
    return inALine(items, {someFloats(items), zeros(items)}, {items - 1});
}
Run transform(Size size) {
    const std::uint32_t items = pick(size, 1 << 12, 1 << 18, 1 << 20);
    return inALine(items, {someFloats(std::size_t{items} * 2), zeros(std::size_t{items} * 2)}, {});
}
Run prefixes(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 20, 1 << 22);
    return inALine(items, {anyWords(items), zeros(items), zeros(items / 256)}, {});
}
Run clusters(Size size) {
    const std::uint32_t items = pick(size, 1 << 11, 1 << 17, 1 << 19);
    return inALine(items, {someFloats(std::size_t{items} * 4), someFloats(256), zeros(items)}, {64});
}
Run digits(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 19, 1 << 21);
    return inALine(items, {anyWords(items), zeros(items)}, {8});
}
Run jumps(Size size) {
    const std::uint32_t items = pick(size, 1 << 12, 1 << 17, 1 << 19);
    std::vector<std::uint32_t> next(items);
    for (std::uint32_t i = 0; i < items; ++i) next[i] = i * 40503u + 12345u;
    return inALine(items, {std::move(next), zeros(items)}, {items - 1});
}
Run shifted(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 18, 1 << 19);
    return inALine(items, {anyWords(items), zeros(items)}, {items - 1});
}
Run triad(Size size) {
    const std::uint32_t items = pick(size, 1 << 12, 1 << 18, 1 << 20);
    const std::size_t words = std::size_t{items} * 4;
    Run run = inALine(items, {someFloats(words), someFloats(words), zeros(words)}, {0});
    return run;
}
Run collatz(Size size) {
    const std::uint32_t items = pick(size, 1 << 11, 1 << 17, 1 << 19);
    return inALine(items, {zeros(items)}, {1});
}
Run blocks(Size size) {
    const std::uint32_t n = pick(size, 64, 256, 512);
    const std::size_t count = std::size_t{n} * n;
    return {{n, n}, {16, 16}, {someFloats(count), someFloats(count), zeros(count)}, {n}, 2, double(count) * n};
}

}  // namespace

std::span<const Workload> judgingWorkloads() {
    static constexpr Workload kAll[] = {
        {"game of life in tiles", "cells", kLife, "life", life},
        {"transposition by tiles of 32x32", "elements", kTiled, "tiled", tiled, Result::floats},
        {"two histograms in local memory", "elements", kVoted, "voted", voted},
        {"rows of eight elements", "rows", kEll, "ell", ell, Result::floats},
        {"filter of 17 taps in local memory", "elements", kBlurred, "blurred", blurred, Result::floats},
        {"Fourier transforms in local memory", "items", kTransform, "transform", transform, Result::floats},
        {"prefixes by sub-group", "elements", kPrefixes, "prefixes", prefixes},
        {"nearest of 64 centres", "points", kClusters, "clusters", clusters},
        {"digits of keys in local memory", "keys", kDigits, "digits", digits},
        {"jumps along lists", "items", kJumps, "jumps", jumps},
        {"few words moved", "words", kShifted, "shifted", shifted},
        {"triad of float4", "vectors", kTriad, "triad", triad, Result::floats},
        {"Collatz sequences", "numbers", kCollatz, "collatz", collatz},
        {"matrix product by tiles of 16x16", "FMA", kBlocks, "blocks", blocks, Result::floats},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator

// Shapes that programs give their kernels: bounds that ids are compared with, vectors and bytes, rows of two
// dimensions, lists of neighbours.
#include <cstring>

#include "workload.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr const char* kGuarded = R"(
kernel void guarded(global const float* a, global const float* b, global float* out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] * 1.5f + b[i];
})";

constexpr const char* kEdges = R"(
kernel void edges(global const float* a, global const float* b, global float* out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = 0.25f * (a[max(i - 1, 0)] + a[min(i + 1, n - 1)]) + 0.5f * a[i] + b[i];
})";

constexpr const char* kVectors = R"(
kernel void vectors(global const float4* a, global const float4* b, global float4* out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] * 1.5f + b[i];
})";

constexpr const char* kPixels = R"(
kernel void pixels(global const uchar* a, global const uchar* b, global uchar* out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = (a[i] + b[i]) >> 1;
})";

constexpr const char* kRows = R"(
kernel void rows(global const float* a, global float* out, int width) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < width) out[y * width + x] = a[y * width + x] + 1.0f;
})";

constexpr const char* kTransposed = R"(
kernel void transposed(global const float* a, global float* out, int width) {
    local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * 16, top = get_group_id(1) * 16;
    tile[y][x] = a[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(left + y) * width + top + x] = tile[x][y];
})";

constexpr const char* kSparse = R"(
kernel void sparse(global const uint* column, global const uint* a, global uint* out) {
    int row = get_global_id(0), n = get_global_size(0), first = row * 16 & (n - 1);
    uint sum = 0;
    for (int k = first; k < first + 8 + (row & 7); ++k) sum += a[k & (n - 1)] * a[column[k & (n - 1)]];
    out[row] = sum;
})";

std::vector<std::uint32_t> reals(std::size_t count) {
    std::vector<std::uint32_t> bits(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(i % 1001) * 0.125f;
        std::memcpy(&bits[i], &value, sizeof value);
    }
    return bits;
}
std::vector<std::uint32_t> scattered(std::size_t count) {
    std::vector<std::uint32_t> words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<std::uint32_t>(i * 40503 & (count - 1));
    return words;
}

/// Groups of 256, and two of work-items beyond the end.
Run lineOf(std::uint32_t words, std::uint32_t items) {
    return {{items + 512, 1}, {256, 1}, {reals(words), reals(words), std::vector<std::uint32_t>(words)},
            {items},          2,        double(items)};
}
std::uint32_t wordsOf(Size size) { return pick(size, 1 << 14, 1 << 22, 1 << 24); }
Run boundedLine(Size size) { return lineOf(wordsOf(size), wordsOf(size)); }
Run boundedFours(Size size) { return lineOf(wordsOf(size), wordsOf(size) / 4); }
Run boundedBytes(Size size) { return lineOf(wordsOf(size) / 4, wordsOf(size)); }

Run plane(Size size) {
    const std::uint32_t n = pick(size, 128, 1024, 4096);
    const std::size_t count = std::size_t{n} * n;
    return {{n, n}, {16, 16}, {reals(count), std::vector<std::uint32_t>(count)}, {n}, 1, double(count)};
}

Run neighbours(Size size) {
    const std::uint32_t rows = pick(size, 1 << 14, 1 << 20, 1 << 22);
    return {{rows, 1}, {256, 1}, {scattered(rows), scattered(rows), std::vector<std::uint32_t>(rows)},
            {},        2,        double(rows)};
}

}  // namespace

std::span<const Workload> shapeWorkloads() {
    static constexpr Workload kAll[] = {
        {"stream within a bound", "elements", kGuarded, "guarded", boundedLine, Result::floats},
        {"stencil of three points within edges", "elements", kEdges, "edges", boundedLine, Result::floats},
        {"stream of float4", "vectors", kVectors, "vectors", boundedFours, Result::floats},
        {"mean of bytes", "elements", kPixels, "pixels", boundedBytes},
        {"copy by 16x16 items", "elements", kRows, "rows", plane, Result::floats},
        {"transposition by tiles of 16x16", "elements", kTransposed, "transposed", plane, Result::floats},
        {"sums over lists of neighbours", "rows", kSparse, "sparse", neighbours},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator

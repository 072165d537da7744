// Classes whose kernels move data: tiles, streams, reductions, permutations, private arrays, sorting.
#include <cstring>

#include "workload.h"

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

constexpr const char* kStream = R"(
kernel void stream(global const float* a, global const float* b, global float* c) {
    size_t i = get_global_id(0);
    c[i] = a[i] * 3.0f + b[i];
})";

// The kernel that streams is beside one with a remainder in its module, as in the modules of languages.
constexpr const char* kSeveral = R"(
kernel void beside(global const float* a, global const float* b, global float* c) {
    size_t i = get_global_id(0);
    c[i] = a[i] * 3.0f + b[i];
}
kernel void remainder(global const uint* a, global const uint* b, global uint* c) {
    size_t i = get_global_id(0);
    c[i] = a[i] % 7 + b[i];
})";

constexpr const char* kReduction = R"(
kernel void reduction(global const uint* a, global uint* out) {
    local uint box[256];
    uint l = get_local_id(0), i = get_group_id(0) * 2048 + l, sum = 0;
    for (uint k = 0; k < 8; ++k) sum += a[i + k * 256];
    box[l] = sum;
    for (uint n = 128; n > 0; n >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n) box[l] += box[l + n];
    }
    if (l == 0) out[get_group_id(0)] = box[0];
})";

constexpr const char* kPermutation = R"(
kernel void permutation(global const uint* index, global const uint* a, global uint* out) {
    uint i = get_global_id(0), n = get_global_size(0);
    out[index[i]] = a[index[(i + 12345) & (n - 1)]] + i;
})";

constexpr const char* kPrivate = R"(
kernel void private_array(global uint* out, uint n) {
    uint t[32], x = get_global_id(0);
    for (uint k = 0; k < 32; ++k) t[k] = x * k;
    for (uint i = 0; i < n; ++i) {
        t[x & 31] += x ^ i;
        x = x * 1664525u + t[x >> 27];
    }
    for (uint k = 0; k < 32; ++k) x ^= t[k];
    out[get_global_id(0)] = x;
})";

constexpr const char* kSort = R"(
kernel void sort(global uint* data) {
    local uint box[512];
    uint l = get_local_id(0), first = get_group_id(0) * 512;
    box[l] = data[first + l];
    box[l + 256] = data[first + l + 256];
    for (uint size = 2; size <= 512; size <<= 1)
        for (uint distance = size >> 1; distance > 0; distance >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint low = 2 * l - (l & (distance - 1)), high = low + distance;
            uint x = box[low], y = box[high];
            bool upward = (low & size) == 0;
            if ((x > y) == upward) {
                box[low] = y;
                box[high] = x;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[first + l] = box[l];
    data[first + l + 256] = box[l + 256];
})";

std::vector<std::uint32_t> floats(std::size_t count, std::uint32_t period) {
    std::vector<std::uint32_t> bits(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(i % period) * 0.125f;
        std::memcpy(&bits[i], &value, sizeof value);
    }
    return bits;
}

std::vector<std::uint32_t> mixed(std::size_t count) {
    std::vector<std::uint32_t> words(count);
    for (std::size_t i = 0; i < count; ++i) words[i] = static_cast<std::uint32_t>(i) * 2654435761u;
    return words;
}

Run matmul(Size size) {
    const std::uint32_t n = pick(size, 64, 512, 1024);
    return {{n, n},
            {16, 16},
            {floats(std::size_t{n} * n, 17), floats(std::size_t{n} * n, 13),
             std::vector<std::uint32_t>(std::size_t{n} * n)},
            {n},
            2,
            double(n) * n * n};
}

Run stream(Size size) {
    const std::uint32_t items = pick(size, 1 << 14, 1 << 22, 1 << 24);
    return {{items, 1}, {256, 1}, {floats(items, 1001), floats(items, 997), std::vector<std::uint32_t>(items)},
            {},         2,        double(items)};
}

Run reduction(Size size) {
    const std::uint32_t elements = pick(size, 1 << 16, 1 << 22, 1 << 25);
    return {{elements / 8, 1}, {256, 1}, {mixed(elements), std::vector<std::uint32_t>(elements / 2048)}, {}, 1,
            double(elements)};
}

Run permutation(Size size) {
    const std::uint32_t items = pick(size, 1 << 14, 1 << 20, 1 << 24);
    std::vector<std::uint32_t> index(items);
    for (std::uint32_t i = 0; i < items; ++i) index[i] = i * 40503 & (items - 1);
    return {{items, 1}, {256, 1}, {std::move(index), mixed(items), std::vector<std::uint32_t>(items)},
            {},         2,        double(items)};
}

Run privateArray(Size size) {
    const std::uint32_t items = pick(size, 1024, 16384, 262144);
    const std::uint32_t rounds = pick(size, 64, 512, 512);
    return {{items, 1}, {256, 1}, {std::vector<std::uint32_t>(items)}, {rounds}, 0, double(items) * rounds};
}

Run sort(Size size) {
    const std::uint32_t elements = pick(size, 1 << 12, 1 << 18, 1 << 22);
    return {{elements / 2, 1}, {256, 1}, {mixed(elements)}, {}, 0, double(elements)};
}

}  // namespace

std::span<const Workload> memoryWorkloads() {
    static constexpr Workload kAll[] = {
        {"matrix multiplication, 16x16 tiles in local memory", "FMA", kMatmul, "matmul", matmul},
        {"memory streaming", "elements", kStream, "stream", stream},
        {"memory streaming beside a remainder", "elements", kSeveral, "beside", stream},
        {"remainder beside streaming", "elements", kSeveral, "remainder", stream},
        {"reduction with barriers", "elements", kReduction, "reduction", reduction},
        {"gather and scatter", "elements", kPermutation, "permutation", permutation},
        {"private array", "updates", kPrivate, "private_array", privateArray},
        {"bitonic sort in local memory", "elements", kSort, "sort", sort},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator

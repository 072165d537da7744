// Kernels by which causes of a sample's errors are found. Each has a counterpart of its kind in judging_workloads.cpp.
#include "workload_data.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr const char* kHeat = R"(
kernel void heat(global const float* a, global float* out, uint width) {
    uint i = get_global_id(0), n = get_global_size(0), layer = width * width;
    float sum = a[i] * -6.0f;
    sum += a[i >= 1 ? i - 1 : i] + a[i + 1 < n ? i + 1 : i];
    sum += a[i >= width ? i - width : i] + a[i + width < n ? i + width : i];
    sum += a[i >= layer ? i - layer : i] + a[i + layer < n ? i + layer : i];
    out[i] = a[i] + 0.1f * sum;
})";

constexpr const char* kTurned = R"(
kernel void turned(global const float* a, global float* out, uint width) {
    uint x = get_global_id(0), y = get_global_id(1);
    out[x * width + y] = a[y * width + x];
})";

constexpr const char* kCounted = R"(
kernel void counted(global const uint* values, global uint* counts, uint shift) {
    atomic_inc(&counts[values[get_global_id(0)] >> shift]);
})";

// Rows of 1 to 31 elements: begins come first in the buffer of columns.
constexpr const char* kCsr = R"(
kernel void csr(global const uint* begins, global const uint* columns, global const float* x, global float* out,
                uint mask) {
    uint row = get_global_id(0), end = begins[row + 1];
    float sum = 0;
    for (uint k = begins[row]; k < end; ++k) sum = fma(0.5f, x[columns[k] & mask], sum);
    out[row] = sum;
})";

constexpr const char* kConvolved = R"(
kernel void convolved(global const float* a, global const float* weights, global float* out, uint width) {
    uint x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (uint j = 0; j < 5; ++j)
        for (uint i = 0; i < 5; ++i)
            sum = fma(a[min(y + j, width - 1) * width + min(x + i, width - 1)], weights[j * 5 + i], sum);
    out[y * width + x] = sum;
})";

constexpr const char* kButterfly = R"(
kernel void butterfly(global const float2* in, global float2* out, uint half_, uint unused) {
    uint i = get_global_id(0), k = i & (half_ - 1), at = ((i - k) << 1) + k;
    float angle = -3.14159265f * k / half_;
    float2 a = in[at], b = in[at + half_], w = (float2)(native_cos(angle), native_sin(angle));
    float2 t = (float2)(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    out[at] = a + t;
    out[at + half_] = a - t;
})";

constexpr const char* kSummed = R"(
kernel void summed(global const uint* a, global uint* out, uint each) {
    uint sum = 0, first = get_group_id(0) * get_local_size(0) * each + get_local_id(0);
    for (uint k = 0; k < each; ++k) sum += a[first + k * get_local_size(0)];
    sum = sub_group_reduce_add(sum);
    if (get_sub_group_local_id() == 0) atomic_add(out, sum);
})";

constexpr const char* kClosest = R"(
kernel void closest(global const float2* points, global const float2* places, global uint* out, uint count) {
    uint i = get_global_id(0), best = 0;
    float2 p = points[i];
    float least = INFINITY;
    for (uint k = 0; k < count; ++k) {
        float2 d = places[k] - p;
        float far = d.x * d.x + d.y * d.y;
        if (far < least) {
            least = far;
            best = k;
        }
    }
    out[i] = best;
})";

constexpr const char* kExchanged = R"(
kernel void exchanged(global uint* keys, uint distance, uint run) {
    uint i = get_global_id(0), at = ((i & ~(distance - 1)) << 1) | (i & (distance - 1));
    uint a = keys[at], b = keys[at + distance];
    bool up = (at & run) == 0;
    keys[at] = (a < b) == up ? a : b;
    keys[at + distance] = (a < b) == up ? b : a;
})";

constexpr const char* kWalk = R"(
kernel void walk(global const uint* steps, global uint* out, uint mask) {
    uint i = get_global_id(0), at = i, n = 0;
    while (n < 24) {
        at = (at + steps[at & mask]) & mask;
        ++n;
        if ((at & 15) == 0) break;
    }
    out[i] = at + n;
})";

constexpr const char* kAxpy = R"(
kernel void axpy(global const float* x, global float* y, uint unused) {
    uint i = get_global_id(0);
    y[i] = fma(1.5f, x[i], y[i]);
})";

constexpr const char* kThree = R"(
kernel void three(global const float* a, global const float* b, global const float* c, global float* out) {
    uint i = get_global_id(0);
    out[i] = a[i] * b[i] + c[i];
})";

constexpr const char* kTail = R"(
kernel void tail(global const uint* in, global uint* out, uint unused) {
    uint i = get_global_id(0), h = get_group_id(0) * 2654435761u >> 22, n = 4096 / (h + 8) + 4, x = in[i];
    for (uint k = 0; k < n; ++k) x = x * 1664525u + 1013904223u;
    out[i] = x;
})";

constexpr const char* kPanel = R"(
float8 __attribute__((overloadable)) intel_sub_group_f16_f16_matrix_mad_k16(short8 a, int8 b, float8 c);
__attribute__((intel_reqd_sub_group_size(16)))
kernel void panel(global const ushort* a, global const uint* b, global float* c, uint n) {
    uint row = get_group_id(0) * 8, column = get_local_id(0);
    float8 sums = 0;
    for (uint k = 0; k < n; k += 16) {
        global const ushort* x = a + row * n + k + get_sub_group_local_id();
        global const uint* y = b + k / 2 * 64 + column;
        short8 rows = (short8)(x[0], x[n], x[2 * n], x[3 * n], x[4 * n], x[5 * n], x[6 * n], x[7 * n]);
        int8 columns = (int8)(y[0], y[64], y[128], y[192], y[256], y[320], y[384], y[448]);
        sums = intel_sub_group_f16_f16_matrix_mad_k16(rows, columns, sums);
    }
    c[row * 64 + column] = sums.s0 + sums.s1 + sums.s2 + sums.s3 + sums.s4 + sums.s5 + sums.s6 + sums.s7;
})";

Run heat(Size size) {
    const std::uint32_t n = pick(size, 32, 96, 256);
    const std::uint32_t items = n * n * n;
    return inALine(items, {someFloats(items), zeros(items)}, {n});
}
Run turned(Size size) {
    const std::uint32_t n = pick(size, 128, 1024, 2048);
    const std::size_t count = std::size_t{n} * n;
    return {{n, n}, {32, 8}, {someFloats(count), zeros(count)}, {n}, 1, double(count)};
}
Run counted(Size size) {
    const std::uint32_t items = pick(size, 1 << 14, 1 << 19, 1 << 21);
    return inALine(items, {anyWords(items), zeros(4096)}, {20});
}
Run csr(Size size) {
    const std::uint32_t rows = pick(size, 1 << 12, 1 << 17, 1 << 19);
    std::vector<std::uint32_t> begins(rows + 1);
    for (std::uint32_t i = 0; i < rows; ++i) begins[i + 1] = begins[i] + 1 + (i * 40503u >> 7) % 31;
    const std::size_t elements = begins.back();
    return inALine(rows, {std::move(begins), anyWords(elements), someFloats(rows), zeros(rows)}, {rows - 1});
}
Run convolved(Size size) {
    const std::uint32_t n = pick(size, 64, 512, 1024);
    const std::size_t count = std::size_t{n} * n;
    return {{n, n}, {16, 16}, {someFloats(count), someFloats(25), zeros(count)}, {n}, 2, double(count)};
}
Run butterfly(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 19, 1 << 21);
    return inALine(items, {someFloats(std::size_t{items} * 4), zeros(std::size_t{items} * 4)}, {1 << 9, 0});
}
Run summed(Size size) {
    const std::uint32_t items = pick(size, 1 << 12, 1 << 18, 1 << 20);
    return inALine(items, {anyWords(std::size_t{items} * 16), zeros(1)}, {16});
}
Run closest(Size size) {
    const std::uint32_t items = pick(size, 1 << 10, 1 << 16, 1 << 18);
    return inALine(items, {someFloats(std::size_t{items} * 2), someFloats(256), zeros(items)}, {128});
}
Run exchanged(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 20, 1 << 22);
    return inALine(items, {anyWords(std::size_t{items} * 2)}, {1 << 12, 1 << 15});
}
Run walk(Size size) {
    const std::uint32_t items = pick(size, 1 << 12, 1 << 18, 1 << 20);
    return inALine(items, {anyWords(items), zeros(items)}, {items - 1});
}
Run axpy(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 17, 1 << 18);
    return inALine(items, {someFloats(items), someFloats(items)}, {0});
}
Run three(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 19, 1 << 21);
    return inALine(items, {someFloats(items), someFloats(items), someFloats(items), zeros(items)}, {});
}
Run tail(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 18, 1 << 20);
    return inALine(items, {anyWords(items), zeros(items)}, {0});
}
Run panel(Size size) {
    const std::uint32_t groups = pick(size, 16, 1024, 2048);
    constexpr std::uint32_t kDepth = 256;
    return {{groups * 64, 1},
            {64, 1},
            {zeros(std::size_t{groups} * 8 * kDepth / 2), zeros(std::size_t{kDepth} * 64 / 2),
             zeros(std::size_t{groups} * 8 * 64)},
            {kDepth},
            2,
            double(groups) * 8 * 64 * kDepth};
}

}  // namespace

std::span<const Workload> tuningWorkloads() {
    static constexpr Workload kAll[] = {
        {"stencil of seven points", "elements", kHeat, "heat", heat, Result::floats},
        {"transposition without local memory", "elements", kTurned, "turned", turned, Result::floats},
        {"histogram in memory", "elements", kCounted, "counted", counted},
        {"rows of different lengths", "rows", kCsr, "csr", csr, Result::floats},
        {"convolution of 5x5", "elements", kConvolved, "convolved", convolved, Result::floats},
        {"step of a Fourier transform", "pairs", kButterfly, "butterfly", butterfly, Result::floats},
        {"sums of sub-groups", "items", kSummed, "summed", summed},
        {"nearest of 128 places", "points", kClosest, "closest", closest},
        {"step of a bitonic sort", "pairs", kExchanged, "exchanged", exchanged},
        {"random walks", "walks", kWalk, "walk", walk},
        {"few products and sums", "elements", kAxpy, "axpy", axpy, Result::floats},
        {"three inputs", "elements", kThree, "three", three, Result::floats},
        {"heavy tail by group", "items", kTail, "tail", tail},
        {"narrow product by dpas", "FMA", kPanel, "panel", panel, Result::floats},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator

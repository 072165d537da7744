// Kernels by which nearly nothing was chosen: how good the errors of a sample are shows in them.
#include "workload_data.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr const char* kStrided = R"(
kernel void strided(global const float* a, global float* out, uint stride) {
    uint i = get_global_id(0);
    out[i] = a[i * stride] + a[i * stride + 1];
})";

constexpr const char* kPlus = R"(
kernel void plus(global const float* a, global float* out, uint width) {
    uint x = get_global_id(0), y = get_global_id(1), last = width - 1;
    float sum = a[y * width + x] * 4.0f;
    sum += a[y * width + (x > 0 ? x - 1 : 0)] + a[y * width + min(x + 1, last)];
    sum += a[(y > 0 ? y - 1 : 0) * width + x] + a[min(y + 1, last) * width + x];
    out[y * width + x] = sum * 0.125f;
})";

constexpr const char* kScan = R"(
kernel void scan(global const uint* in, global uint* out) {
    local uint sums[2][256];
    uint l = get_local_id(0), i = get_global_id(0), at = 0;
    sums[0][l] = in[i];
    for (uint n = 1; n < 256; n <<= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[1 - at][l] = sums[at][l] + (l >= n ? sums[at][l - n] : 0);
        at = 1 - at;
    }
    out[i] = sums[at][l];
})";

constexpr const char* kTaps = R"(
kernel void taps(global const float* in, global const float* weights, global float* out) {
    uint i = get_global_id(0);
    float sum = 0;
    for (uint k = 0; k < 32; ++k) sum = fma(in[i + k], weights[k], sum);
    out[i] = sum;
})";

constexpr const char* kMandelbrot = R"(
kernel void mandelbrot(global uint* out, uint width) {
    uint px = get_global_id(0), py = get_global_id(1), n = 0;
    float cx = px * 3.0f / width - 2.0f, cy = py * 2.0f / width - 1.0f, x = 0, y = 0;
    while (n < 200 && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++n;
    }
    out[py * width + px] = n;
})";

constexpr const char* kVector = R"(
kernel void product(global const float* matrix, global const float* vector, global float* out, uint columns) {
    uint row = get_global_id(0);
    float sum = 0;
    for (uint k = 0; k < columns; ++k) sum = fma(matrix[k * get_global_size(0) + row], vector[k], sum);
    out[row] = sum;
})";

constexpr const char* kHashed = R"(
kernel void hashed(global const uint* table, global uint* out, uint mask) {
    uint i = get_global_id(0), sum = 0;
    for (uint k = 0; k < 4; ++k) {
        uint h = (i * 4 + k) * 2654435761u;
        sum += table[(h ^ h >> 15) & mask];
    }
    out[i] = sum;
})";

constexpr const char* kTriangle = R"(
kernel void triangle(global const float* a, global float* out, uint n) {
    uint i = get_global_id(0);
    float sum = 0;
    for (uint k = 0; k <= i; k += 16) sum += a[k];
    out[i] = sum;
})";

constexpr const char* kBins = R"(
kernel void bins(global const uint* values, global uint* counts, uint each) {
    local uint box[256];
    uint l = get_local_id(0), first = get_group_id(0) * each * 256;
    box[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < each; ++k) atomic_inc(&box[values[first + k * 256 + l] >> 24]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[l], box[l]);
})";

constexpr const char* kOptions = R"(
kernel void options(global const float* spot, global float* out) {
    uint i = get_global_id(0);
    float s = spot[i] + 1.0f, d = (native_log(s) + 0.07f) * 4.0f;
    float n = 1.0f / (1.0f + native_exp(-1.702f * d)), m = 1.0f / (1.0f + native_exp(-1.702f * (d - 0.25f)));
    out[i] = s * n - 0.95f * m;
})";

Run strided(Size size) {
    const std::uint32_t items = pick(size, 1 << 14, 1 << 20, 1 << 22);
    return inALine(items, {someFloats(std::size_t{items} * 5 + 2), zeros(items)}, {5});
}
Run plus(Size size) {
    const std::uint32_t n = pick(size, 128, 1024, 4096);
    const std::size_t count = std::size_t{n} * n;
    return {{n, n}, {32, 8}, {someFloats(count), zeros(count)}, {n}, 1, double(count)};
}
Run scan(Size size) {
    const std::uint32_t items = pick(size, 1 << 14, 1 << 20, 1 << 22);
    return inALine(items, {anyWords(items), zeros(items)}, {});
}
Run taps(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 19, 1 << 21);
    return inALine(items, {someFloats(items + 32), someFloats(32), zeros(items)}, {});
}
Run mandelbrot(Size size) {
    const std::uint32_t n = pick(size, 64, 512, 1024);
    return {{n, n}, {16, 16}, {zeros(std::size_t{n} * n)}, {n}, 0, double(n) * n};
}
Run product(Size size) {
    const std::uint32_t rows = pick(size, 1 << 11, 1 << 15, 1 << 16);
    return inALine(rows, {someFloats(std::size_t{rows} * 64), someFloats(64), zeros(rows)}, {64});
}
Run hashed(Size size) {
    const std::uint32_t items = pick(size, 1 << 13, 1 << 18, 1 << 20);
    return inALine(items, {anyWords(1 << 21), zeros(items)}, {(1 << 21) - 1});
}
Run triangle(Size size) {
    const std::uint32_t items = pick(size, 1 << 11, 1 << 15, 1 << 16);
    return inALine(items, {someFloats(items), zeros(items)}, {items});
}
Run bins(Size size) {
    const std::uint32_t groups = pick(size, 16, 1024, 4096);
    return {{groups * 256, 1},       {256, 1}, {anyWords(std::size_t{groups} * 256 * 8), zeros(256)}, {8}, 1,
            double(groups) * 256 * 8};
}
Run options(Size size) {
    const std::uint32_t items = pick(size, 1 << 14, 1 << 21, 1 << 23);
    return inALine(items, {someFloats(items), zeros(items)}, {});
}

}  // namespace

std::span<const Workload> unseenWorkloads() {
    static constexpr Workload kAll[] = {
        {"pairs at a distance", "elements", kStrided, "strided", strided, Result::floats},
        {"stencil of five points", "elements", kPlus, "plus", plus, Result::floats},
        {"sums of prefixes in local memory", "elements", kScan, "scan", scan},
        {"filter of 32 taps", "elements", kTaps, "taps", taps, Result::floats},
        {"Mandelbrot set", "points", kMandelbrot, "mandelbrot", mandelbrot},
        {"matrix times vector", "rows", kVector, "product", product, Result::floats},
        {"look-ups at random places", "items", kHashed, "hashed", hashed},
        {"triangle of sums", "rows", kTriangle, "triangle", triangle, Result::floats},
        {"bins in local memory", "elements", kBins, "bins", bins},
        {"prices of options", "options", kOptions, "options", options, Result::floats},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator

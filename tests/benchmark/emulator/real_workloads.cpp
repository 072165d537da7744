// Classes whose kernels compute on reals: double precision, matrices of halves and bfloat16, transcendental functions.
#include <array>
#include <bit>
#include <cstring>

#include "workload.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr const char* kBodies = R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void bodies(global const double4* at, global double4* speed, uint n) {
    uint i = get_global_id(0);
    double4 me = at[i];
    double x = 0, y = 0, z = 0;
    for (uint j = 0; j < n; ++j) {
        double4 other = at[j];
        double dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        double square = fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.01)));
        double inverse = 1.0 / sqrt(square);
        double pull = other.w * inverse * inverse * inverse;
        x = fma(dx, pull, x);
        y = fma(dy, pull, y);
        z = fma(dz, pull, z);
    }
    speed[i] = (double4)(x, y, z, 0);
})";

// Sub-groups of 16 multiply by dpas; without it, in plain OpenCL C, an item has the same column of the same eight rows.
// b holds two rows in a word: the layout that dpas takes. Before it: VALUE, MULTIPLY, and NAME of the kernel.
constexpr const char* kProduct = R"(
#ifdef XE
float8 __attribute__((overloadable)) MULTIPLY(short8 a, int8 b, float8 c);
__attribute__((intel_reqd_sub_group_size(16)))
#endif
kernel void NAME(global const ushort* a, global const uint* b, global float* c, uint n) {
    uint column = get_global_id(0), row = get_global_id(1) * 8;
    float sum[8] = {0};
#ifdef XE
    float8 sums = 0;
    for (uint k = 0; k < n; k += 16) {
        global const ushort* x = a + row * n + k + get_sub_group_local_id();
        global const uint* y = b + k / 2 * n + column;
        short8 rows = (short8)(x[0], x[n], x[2 * n], x[3 * n], x[4 * n], x[5 * n], x[6 * n], x[7 * n]);
        int8 columns = (int8)(y[0], y[n], y[2 * n], y[3 * n], y[4 * n], y[5 * n], y[6 * n], y[7 * n]);
        sums = MULTIPLY(rows, columns, sums);
    }
    vstore8(sums, 0, sum);
#else
    for (uint k = 0; k < n; ++k) {
        float y = VALUE((global const ushort*)b, (k / 2 * n + column) * 2 + (k & 1));
        for (uint r = 0; r < 8; ++r) sum[r] = fma(VALUE(a, (row + r) * n + k), y, sum[r]);
    }
#endif
    for (uint r = 0; r < 8; ++r) c[(row + r) * n + column] = sum[r];
})";
constexpr const char* kOfHalves =
    "#define NAME halves\n"
    "#define VALUE(p, i) vload_half(i, (global const half*)(p))\n"
    "#define MULTIPLY intel_sub_group_f16_f16_matrix_mad_k16\n";
constexpr const char* kOfBrains =
    "#define NAME brains\n"
    "#define VALUE(p, i) as_float((uint)(p)[i] << 16)\n"
    "#define MULTIPLY intel_sub_group_bf16_bf16_matrix_mad_k16\n";

constexpr const char* kFunctions = R"(
kernel void functions(global const float* a, global float* out) {
    uint i = get_global_id(0);
    float x = a[i];
    out[i] = sin(x) + cos(x) * exp(-x) + log(x + 1.0f) + pow(x + 0.5f, 1.7f) + tanh(x);
})";

Run bodies(Size size) {
    const std::uint32_t n = pick(size, 128, 1024, 4096);
    std::vector<std::uint32_t> places(std::size_t{n} * 8);
    for (std::uint32_t i = 0; i < n * 4; ++i) {
        const double value = static_cast<double>(i * 7919 % 1009) / 1009;
        std::memcpy(&places[std::size_t{i} * 2], &value, sizeof value);
    }
    return {{n, 1}, {64, 1}, {std::move(places), std::vector<std::uint32_t>(std::size_t{n} * 8)},
            {n},    1,       double(n) * n};
}

/// Small multiples of a quarter in 16 bits, two in a word, so that sums are exact in any order.
std::vector<std::uint32_t> shortReals(std::size_t count, std::uint32_t period, bool brain) {
    constexpr std::array<std::uint16_t, 8> kHalf{0, 0x3400, 0x3800, 0x3a00, 0x3c00, 0x3d00, 0x3e00, 0x3f00};
    constexpr std::array<std::uint16_t, 8> kBrain{0, 0x3e80, 0x3f00, 0x3f40, 0x3f80, 0x3fa0, 0x3fc0, 0x3fe0};
    const auto at = [&](std::size_t i) -> std::uint32_t { return (brain ? kBrain : kHalf)[i % period % 8]; };
    std::vector<std::uint32_t> words(count / 2);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = at(2 * i) | at(2 * i + 1) << 16;
    return words;
}
Run product(Size size, bool brain) {
    const std::uint32_t n = pick(size, 64, 512, 1024);
    const std::size_t elements = std::size_t{n} * n;
    return {{n, n / 8},
            {16, 1},
            {shortReals(elements, 17, brain), shortReals(elements, 13, brain), std::vector<std::uint32_t>(elements)},
            {n},
            2,
            double(n) * n * n};
}
Run halves(Size size) { return product(size, false); }
Run brains(Size size) { return product(size, true); }

Run functions(Size size) {
    const std::uint32_t items = pick(size, 1 << 12, 1 << 18, 1 << 22);
    std::vector<std::uint32_t> x(items);
    for (std::uint32_t i = 0; i < items; ++i)
        x[i] = std::bit_cast<std::uint32_t>(static_cast<float>(i % 4096) * 0.005f);
    return {{items, 1}, {256, 1}, {std::move(x), std::vector<std::uint32_t>(items)}, {}, 1, double(items)};
}

}  // namespace

std::span<const Workload> realWorkloads() {
    static const std::string halvesProduct = std::string(kOfHalves) + kProduct;
    static const std::string brainsProduct = std::string(kOfBrains) + kProduct;
    static const Workload kAll[] = {
        {"n bodies in double precision", "pairs", kBodies, "bodies", bodies, Result::doubles},
        {"product of halves by dpas", "FMA", halvesProduct.c_str(), "halves", halves},
        {"product of bfloat16 by dpas", "FMA", brainsProduct.c_str(), "brains", brains},
        {"transcendental functions", "items", kFunctions, "functions", functions, Result::floats},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator

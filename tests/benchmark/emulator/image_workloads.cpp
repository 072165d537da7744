// Images that kernels read through samplers, on a device that has images.
#include "workload.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr const char* kNearest = R"(
constant sampler_t byTexel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void nearest(read_only image2d_t from, global float4* out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 left = read_imagef(from, byTexel, at - (int2)(1, 0)), right = read_imagef(from, byTexel, at + (int2)(1, 0));
    out[at.y * get_global_size(0) + at.x] = right - left;
})";

// A picture made a quarter smaller: every texel is the mean of four.
constexpr const char* kLinear = R"(
constant sampler_t mixed = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void linear(read_only image2d_t from, global float4* out) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    out[at.y * get_global_size(0) + at.x] = read_imagef(from, mixed, convert_float2(at) * 0.75f + 0.5f);
})";

Picture picture(std::uint32_t width, std::uint32_t height) {
    Picture made{width, height, std::vector<std::uint32_t>(std::size_t{width} * height)};
    for (std::size_t i = 0; i < made.texels.size(); ++i) made.texels[i] = static_cast<std::uint32_t>(i * 2654435761u);
    return made;
}

Run everyTexel(Size size) {
    const std::uint32_t n = pick(size, 128, 1024, 4096);
    const std::size_t count = std::size_t{n} * n;
    return {{n, n}, {16, 16}, {std::vector<std::uint32_t>(count * 4)}, {}, 0, double(count), {picture(n, n)}};
}

}  // namespace

std::span<const Workload> imageWorkloads() {
    static constexpr Workload kAll[] = {
        {"image, nearest texels", "texels", kNearest, "nearest", everyTexel, Result::floats, "b580"},
        {"image, mean of four texels", "texels", kLinear, "linear", everyTexel, Result::floats, "b580"},
    };
    return kAll;
}

}  // namespace zetl::benchmark::emulator

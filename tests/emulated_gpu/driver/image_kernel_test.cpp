// What kernels read and write of images, against a plain reference: formats, types, samplers, coordinates.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "image_bench.h"
#include "support/effort.h"
#include "support/scenario.h"

namespace zetl::test::images {
namespace {

SCENARIO(kernelsSampleImages) {
    Images images;
    int compared = 0;
    for (const ReferenceFormat& format : referenceFormats())
        for (const ze_image_type_t type : kTypes) {
            ReferenceImage image = imageOf(format, type);
            const auto handle = images.make(image);
            const auto kernel = images.kernel("sample", image);
            for (int mode = ZE_SAMPLER_ADDRESS_MODE_REPEAT; mode <= ZE_SAMPLER_ADDRESS_MODE_MIRROR; ++mode)
                for (int how = 0; how < 4; ++how) {
                    const bool linear = (how & 1) != 0;
                    const bool normalized = (how & 2) != 0;
                    const auto address = static_cast<ze_sampler_address_mode_t>(mode);
                    const bool repeats =
                        address == ZE_SAMPLER_ADDRESS_MODE_REPEAT || address == ZE_SAMPLER_ADDRESS_MODE_MIRROR;
                    if ((repeats && !normalized) || (linear && format.isInteger())) continue;
                    const ze_sampler_desc_t sampler{
                        ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, address,
                        linear ? ZE_SAMPLER_FILTER_MODE_LINEAR : ZE_SAMPLER_FILTER_MODE_NEAREST, normalized};
                    const auto made = images.make(sampler);
                    const auto places = placesFor(image, normalized);
                    images.launch(kernel, places, handle, made);
                    const std::string what = nameOf(type) + " of layout " + std::to_string(format.layout) + " type " +
                                             std::to_string(format.type) + " mode " + std::to_string(mode) +
                                             (linear ? " linear" : " nearest") + (normalized ? " normalized" : "");
                    for (std::uint32_t i = 0; i < kItems; ++i)
                        expectValues(images, image, i, image.sample(sampler, places[i]), linear, what);
                    ASSERT_OK(zeSamplerDestroy(made));
                    ++compared;
                }
            ASSERT_OK(zeImageDestroy(handle));
        }
    EXPECT_GT(compared, 1000);
}

SCENARIO(kernelsLoadImages) {
    Images images;
    for (const ReferenceFormat& format : referenceFormats())
        for (const ze_image_type_t type : kTypes) {
            ReferenceImage image = imageOf(format, type);
            const auto handle = images.make(image);
            // Inside: what lies outside is undefined without a sampler.
            const std::vector<Place> places = wholePlacesFor(image);
            images.launch(images.kernel("load", image), places, handle);
            for (std::uint32_t i = 0; i < kItems; ++i)
                expectValues(images, image, i, image.load(places[i]), false,
                             "load of " + nameOf(type) + " layout " + std::to_string(format.layout));
            ASSERT_OK(zeImageDestroy(handle));
        }
    // A buffer as an image.
    const ReferenceFormat& format = referenceFormats().front();
    ReferenceImage image{&format, ZE_IMAGE_TYPE_BUFFER, {64, 1, 1}, {}};
    auto* const memory = images.gpu.shared<std::uint8_t>(64);
    for (int i = 0; i < 64; ++i) memory[i] = static_cast<std::uint8_t>(3 * i);
    const ze_image_pitched_exp_desc_t pitched{ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC, nullptr, memory};
    ze_image_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
    description.pNext = &pitched;
    description.type = ZE_IMAGE_TYPE_BUFFER;
    description.width = 64;
    ze_image_handle_t handle = nullptr;
    ASSERT_OK(zeImageCreate(images.gpu.context(), images.gpu.device(), &description, &handle));
    std::vector<Place> places(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) places[i] = {static_cast<float>(63 - i), 0, 0, 0};
    images.launch(images.kernel("load", image), places, handle);
    for (std::uint32_t i = 0; i < kItems; ++i) EXPECT_EQ(images.values()[i][0], 3 * (63 - i));
}

SCENARIO(kernelsWriteImages) {
    Images images;
    for (const ReferenceFormat& format : referenceFormats())
        for (const ze_image_type_t type : kTypes) {
            ReferenceImage image = imageOf(format, type);
            const auto handle = images.make(image);
            // Each texel once, and others outside of the image.
            std::vector<Place> places;
            for (int z = 0; z < image.sizes[2]; ++z)
                for (int y = 0; y < image.sizes[1]; ++y)
                    for (int x = 0; x < image.sizes[0]; ++x) {
                        const auto fx = static_cast<float>(x);
                        const auto fy = static_cast<float>(y);
                        const auto fz = static_cast<float>(z);
                        places.push_back(image.dimensions() == 1 ? Place{fx, fz, 0, 0} : Place{fx, fy, fz, 0});
                    }
            while (places.size() < kItems) {
                constexpr Place kOutside[] = {{-1, 0, 0, 0}, {kWidth, 0, 0, 0}, {1e9f, 1, 1, 0}, {-1e9f, 0, 0, 0}};
                places.push_back(kOutside[places.size() % 4]);
            }
            for (std::uint32_t i = 0; i < kItems; ++i) {
                const int n = static_cast<int>(i) - 25;
                Values values{n / 40.0, n / 20.0, -n / 30.0, n * 0.013};
                if (format.isInteger()) values = {n * 1000.0, n * 9.0, n * -3.0, n * 100000.0};
                if (format.type == ZE_IMAGE_FORMAT_TYPE_UINT)
                    for (double& v : values) v = std::fabs(v);
                for (unsigned c = 0; c < 4; ++c) {
                    const auto real = static_cast<float>(values[c]);
                    if (format.isInteger())
                        images.values()[i][c] = static_cast<std::uint32_t>(static_cast<std::int64_t>(values[c]));
                    else
                        std::memcpy(&images.values()[i][c], &real, sizeof real);
                    if (!format.isInteger()) values[c] = static_cast<double>(real);
                }
                const Place& place = places[i];
                const bool inside = place[0] >= 0 && place[0] < kWidth;
                if (!inside) continue;
                const auto x = static_cast<int>(place[0]);
                const auto second = static_cast<int>(place[1]);
                const auto third = static_cast<int>(place[2]);
                format.encode(values, image.dimensions() == 1 ? image.at(x, 0, second) : image.at(x, second, third));
            }
            images.launch(images.kernel("write", image), places, handle);
            std::vector<std::uint8_t> written(image.bytes.size());
            ASSERT_OK(zeCommandListAppendImageCopyToMemory(images.list(), written.data(), handle, nullptr, nullptr, 0,
                                                           nullptr));
            EXPECT_EQ(written, image.bytes) << nameOf(type) << " layout " << format.layout << " type " << format.type;
            ASSERT_OK(zeImageDestroy(handle));
        }
}

SCENARIO(kernelsKnowTheirImages) {
    Images images;
    const ReferenceFormat* format = &referenceFormats().front();  // 8, UINT
    const auto a = images.make(imageOf(*format, ZE_IMAGE_TYPE_1D));
    const auto b = images.make(imageOf(*format, ZE_IMAGE_TYPE_1DARRAY));
    const auto c = images.make(imageOf(*format, ZE_IMAGE_TYPE_2D));
    const auto d = images.make(imageOf(*format, ZE_IMAGE_TYPE_2DARRAY));
    const auto e = images.make(imageOf(referenceFormats().back(), ZE_IMAGE_TYPE_3D));  // 5_5_5_1
    auto* const out = images.gpu.shared<int>(16);
    const auto kernel = images.kernel("sizes", 1);
    Gpu::arguments(kernel, a, b, c, d, e, out);
    ASSERT_OK(zeCommandListAppendLaunchKernel(images.list(), kernel, &kOneGroup, nullptr, 0, nullptr));
    const int expected[] = {5, 5, 3, 5, 4, 5, 4, 3, 5, 4, 3, 0x10da, 0x10b0, 0x10d5};
    for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(out[i], expected[i]) << i;

    // In place.
    const ReferenceFormat& bytes = formatOf(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT);
    const ReferenceImage image = imageOf(bytes, ZE_IMAGE_TYPE_2D);
    const auto handle = images.make(image);
    const auto increment = images.kernel("increment", 1);
    Gpu::arguments(increment, handle);
    const ze_group_count_t groups{kWidth, kHeight, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(images.list(), increment, &groups, nullptr, 0, nullptr));
    std::vector<std::uint8_t> written(image.bytes.size());
    ASSERT_OK(
        zeCommandListAppendImageCopyToMemory(images.list(), written.data(), handle, nullptr, nullptr, 0, nullptr));
    for (std::size_t i = 0; i < written.size(); ++i)
        EXPECT_EQ(written[i], std::min<std::size_t>(image.bytes[i] + i % 4 + 1, 255)) << i;

    // Samplers of the program.
    const auto declared = images.kernel("declared");
    ReferenceImage first = imageOf(bytes, ZE_IMAGE_TYPE_2D);
    const ReferenceFormat& norm = formatOf(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM);
    first.format = &norm;
    ReferenceImage second = first;
    std::ranges::reverse(second.bytes);
    const auto places = placesFor(first, true);
    images.launch(declared, places, images.make(first), images.make(second));
    const ze_sampler_desc_t edge{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                 ZE_SAMPLER_FILTER_MODE_LINEAR, false};
    const ze_sampler_desc_t around{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_REPEAT,
                                   ZE_SAMPLER_FILTER_MODE_NEAREST, true};
    for (std::uint32_t i = 0; i < kItems; ++i) {
        Values values = i % 3 == 0 ? first.sample(edge, places[i]) : second.sample(around, places[i]);
        if (i % 3 != 0) values = {values[1], values[0], values[3], values[2]};
        expectValues(images, first, i, values, true, "declared");
    }

    // Nothing behind a handle, and no image at all.
    ze_image_handle_t gone = images.make(first);
    ASSERT_OK(zeImageDestroy(gone));
    EXPECT_EQ(zeKernelSetArgumentValue(declared, 0, sizeof(void*), &gone), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zeKernelSetArgumentValue(declared, 0, 4, &gone), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    ASSERT_OK(zeKernelSetArgumentValue(declared, 0, sizeof(void*), nullptr));
    EXPECT_EQ(zeCommandListAppendLaunchKernel(images.list(), declared, &kOneGroup, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_DEVICE_LOST);
}

/// Xe2 and Xe3 have no other compiler than Intel's newest.
class ImageKernels : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
            GTEST_SKIP() << "run scripts/compiler newest";
    }
    static Process run(const char* scenario) { return emulated(scenario, GetParam()).with("ZETL_COMPILER", "newest"); }
};
TEST_P(ImageKernels, Sample) { EXPECT_RUNS(run("kernelsSampleImages")); }
TEST_P(ImageKernels, Load) { EXPECT_RUNS(run("kernelsLoadImages")); }
TEST_P(ImageKernels, Write) { EXPECT_RUNS(run("kernelsWriteImages")); }
TEST_P(ImageKernels, KnowTheirImages) {
    const Outcome outcome = run("kernelsKnowTheirImages").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.times("no image or sampler"), 0u) << outcome;
}
constexpr std::array kDevices{"b580-small", "ptl-small"};
INSTANTIATE_TEST_SUITE_P(Devices, ImageKernels, testing::ValuesIn(kDevices.begin(), kDevices.begin() + effort(2, 1)));

}  // namespace
}  // namespace zetl::test::images

// Messages to images that plain reads and writes do not need: levels, gradients, halves, blocks of rows, single
// channels. Compiled by Intel's compiler.
#include <cstring>
#include <filesystem>

#include "image_bench.h"
#include "support/scenario.h"

namespace zetl::test::images {
namespace {

constexpr ze_sampler_desc_t kSamplers[] = {
    {ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_CLAMP, ZE_SAMPLER_FILTER_MODE_NEAREST, false},
    {ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, ZE_SAMPLER_FILTER_MODE_LINEAR,
     true},
    {ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_REPEAT, ZE_SAMPLER_FILTER_MODE_LINEAR, true},
};

const ReferenceFormat& bytes() { return formatOf(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM); }

/// Images have one level: whatever level a kernel asks for, and whatever gradients it gives, that one is read.
SCENARIO(kernelsSampleLevels) {
    Images images("image_message_kernels");
    for (const ze_image_type_t type : kTypes)
        for (const ze_sampler_desc_t& sampler : kSamplers)
            for (const std::string how : {"level", "gradient"}) {
                if (how == "gradient" && type == ZE_IMAGE_TYPE_2DARRAY) continue;  // which the compiler does not take
                ReferenceImage image = imageOf(bytes(), type);
                const bool linear = sampler.filterMode == ZE_SAMPLER_FILTER_MODE_LINEAR;
                const auto places = placesFor(image, sampler.isNormalized != 0);
                images.launch(images.kernel(how.c_str(), image), places, images.make(image), images.make(sampler));
                for (std::uint32_t i = 0; i < kItems; ++i)
                    expectValues(images, image, i, image.sample(sampler, places[i]), linear,
                                 how + ' ' + nameOf(type));
            }
    // Whole numbers.
    ReferenceImage whole =
        imageOf(formatOf(ZE_IMAGE_FORMAT_LAYOUT_16_16, ZE_IMAGE_FORMAT_TYPE_SINT), ZE_IMAGE_TYPE_2D);
    const auto places = placesFor(whole, false);
    images.launch(images.kernel("level", whole), places, images.make(whole), images.make(kSamplers[0]));
    for (std::uint32_t i = 0; i < kItems; ++i)
        expectValues(images, whole, i, whole.sample(kSamplers[0], places[i]), false, "level of whole numbers");
    // How many levels there are.
    auto* const out = images.gpu.shared<int>(1);
    const auto kernel = images.kernel("levels", 1);
    Gpu::arguments(kernel, images.make(whole), out);
    ASSERT_OK(zeCommandListAppendLaunchKernel(images.list(), kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_EQ(*out, 1);
}

SCENARIO(kernelsSampleParts) {
    Images images("image_message_kernels");
    ReferenceImage image = imageOf(bytes(), ZE_IMAGE_TYPE_2D);
    const auto handle = images.make(image);
    const auto sampler = images.make(kSamplers[0]);
    const auto places = wholePlacesFor(image);

    // The third channel without a sampler, the second and the fourth with one.
    images.launch(images.kernel("channels"), places, handle, sampler);
    for (std::uint32_t i = 0; i < kItems; ++i) {
        const Values texel = image.sample(kSamplers[0], places[i]);
        expectValues(images, image, i, {texel[2], texel[1], texel[3], 1}, false, "channels");
    }
    // Halves: those of bytes / 255, as floats rounded once.
    images.launch(images.kernel("halves"), places, handle, sampler);
    for (std::uint32_t i = 0; i < kItems; ++i)
        for (unsigned c = 0; c < 4; ++c) {
            float value;
            std::memcpy(&value, &images.values()[i][c], sizeof value);
            EXPECT_NEAR(static_cast<double>(value), image.sample(kSamplers[0], places[i])[c], 1.0 / 2048);
        }
    // Whole coordinates and a sampler that is known at run time alone: outside, there is the edge or the border.
    ReferenceImage whole =
        imageOf(formatOf(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_SINT), ZE_IMAGE_TYPE_2D);
    const auto wholeHandle = images.make(whole);
    for (const auto mode : {ZE_SAMPLER_ADDRESS_MODE_CLAMP, ZE_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER}) {
        const ze_sampler_desc_t description{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, mode,
                                            ZE_SAMPLER_FILTER_MODE_NEAREST, false};
        std::vector<Place> outside(kItems);
        for (std::uint32_t i = 0; i < kItems; ++i)
            outside[i] = {static_cast<float>(i % 9) - 2, static_cast<float>(i / 9) - 2, 0, 0};
        images.launch(images.kernel("whole_coordinates"), outside, wholeHandle, images.make(description));
        for (std::uint32_t i = 0; i < kItems; ++i)
            expectValues(images, whole, i, whole.sample(description, outside[i]), false,
                         "whole coordinates, mode " + std::to_string(mode));
    }
}

/// Rows of bytes, by sub-groups. Reads beyond the edge give what is at the edge; writes there do nothing.
SCENARIO(kernelsMoveBlocks) {
    constexpr std::uint32_t kColumns = 40;
    constexpr std::uint32_t kRows = 6;
    Images images("image_message_kernels");
    const ReferenceFormat& words = formatOf(ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_UINT);
    ReferenceImage image{&words, ZE_IMAGE_TYPE_2D, {kColumns, kRows, 1}, {}};
    std::vector<std::uint32_t> texels(std::size_t{kColumns} * kRows);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::uint32_t>(i * 0x01010101);
    image.bytes.resize(texels.size() * sizeof(std::uint32_t));
    std::memcpy(image.bytes.data(), texels.data(), image.bytes.size());
    const auto from = images.make(image);
    const auto texel = [&](int x, int y) {
        const auto column = static_cast<std::size_t>(std::clamp(x, 0, static_cast<int>(kColumns) - 1));
        return texels[static_cast<std::size_t>(std::clamp(y, 0, static_cast<int>(kRows) - 1)) * kColumns + column];
    };
    const auto kernel = images.kernel("move_blocks", 16);
    auto* const out = images.gpu.shared<std::uint32_t>(64);
    constexpr std::array<int, 2> kPlaces[] = {{0, 0}, {8, 1}, {24, 2}, {32, 4}, {-4, -1}};
    for (const auto& [x, y] : kPlaces) {
        ReferenceImage target = image;
        std::ranges::fill(target.bytes, std::uint8_t{0});
        const auto to = images.make(target);
        const std::array<int, 2> at{x * 4, y};  // of bytes and rows
        Gpu::arguments(kernel, from, to, out, at);
        ASSERT_OK(zeCommandListAppendLaunchKernel(images.list(), kernel, &kOneGroup, nullptr, 0, nullptr));
        std::vector<std::uint32_t> written(texels.size());
        ASSERT_OK(zeCommandListAppendImageCopyToMemory(images.list(), written.data(), to, nullptr, nullptr, 0,
                                                       nullptr));
        for (int lane = 0; lane < 16; ++lane)
            for (int row = 0; row < 4; ++row)
                ASSERT_EQ(out[lane * 4 + row], texel(x + lane, y + row)) << x << ' ' << y << ' ' << lane << ' ' << row;
        for (int row = 0; row < static_cast<int>(kRows); ++row)
            for (int column = 0; column < static_cast<int>(kColumns); ++column) {
                const bool inside = column >= x && column < x + 16 && row >= y && row < y + 2;
                const std::uint32_t expected = inside ? static_cast<std::uint32_t>(100 * (row - y) + column - x) : 0;
                ASSERT_EQ(written[static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column)],
                          expected)
                    << x << ' ' << y << ' ' << column << ' ' << row;
            }
    }
    // Elements of 16 bits.
    const auto narrow = images.kernel("read_narrow_blocks", 16);
    auto* const halves = images.gpu.shared<std::uint16_t>(32);
    const std::array<int, 2> at{32, 3};
    Gpu::arguments(narrow, from, halves, at);
    ASSERT_OK(zeCommandListAppendLaunchKernel(images.list(), narrow, &kOneGroup, nullptr, 0, nullptr));
    for (int lane = 0; lane < 16; ++lane)
        for (int row = 0; row < 2; ++row)
            ASSERT_EQ(halves[lane * 2 + row],
                      static_cast<std::uint16_t>(texel(8 + lane / 2, 3 + row) >> (lane % 2 * 16)))
                << lane << ' ' << row;
}

class ImageMessages : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
            GTEST_SKIP() << "run scripts/compiler newest";
    }
    static Process run(const char* scenario) { return emulated(scenario, GetParam()).with("ZETL_COMPILER", "newest"); }
};
TEST_P(ImageMessages, Levels) { EXPECT_RUNS(run("kernelsSampleLevels")); }
TEST_P(ImageMessages, Parts) { EXPECT_RUNS(run("kernelsSampleParts")); }
TEST_P(ImageMessages, Blocks) { EXPECT_RUNS(run("kernelsMoveBlocks")); }
INSTANTIATE_TEST_SUITE_P(Devices, ImageMessages, testing::Values("b580-small", "ptl-small"));

}  // namespace
}  // namespace zetl::test::images

// Counters of messages to images and of texels, for kernels whose counts are known.
#include <filesystem>

#include "emulated_gpu/queries.h"
#include "image_bench.h"
#include "support/scenario.h"

namespace zetl::test::images {
namespace {

struct Counts {
    std::uint64_t sampler = 0;
    std::uint64_t typedReads = 0;
    std::uint64_t typedWrites = 0;
    std::uint64_t texelsRead = 0;
    std::uint64_t texelsWritten = 0;
};

SCENARIO(accessesToImagesAreCounted) {
    Images images;
    const Queries queries(images.gpu, "MemoryTraffic");
    std::uint32_t next = 0;
    const auto expectCounts = [&](ze_kernel_handle_t kernel, const ze_group_count_t& groups, const Counts& expected) {
        const auto query = queries[next++];
        Queries::around(images.gpu, query, [&](ze_command_list_handle_t list) {
            EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
        });
        const Row row = queries.row(query);
        EXPECT_EQ(row.at("SAMPLER_MESSAGE_COUNT").value.ui64, expected.sampler);
        EXPECT_EQ(row.at("TYPED_READ_MESSAGE_COUNT").value.ui64, expected.typedReads);
        EXPECT_EQ(row.at("TYPED_WRITE_MESSAGE_COUNT").value.ui64, expected.typedWrites);
        EXPECT_EQ(row.at("TEXEL_READ_COUNT").value.ui64, expected.texelsRead);
        EXPECT_EQ(row.at("TEXEL_WRITE_COUNT").value.ui64, expected.texelsWritten);
    };
    const auto messagesOf = [](ze_kernel_handle_t kernel) {
        ze_kernel_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
        EXPECT_OK(zeKernelGetProperties(kernel, &properties));
        return kItems / properties.maxSubgroupSize;  // one of each hardware thread
    };
    const ze_group_count_t groups{kItems / 32, 1, 1};
    const ReferenceFormat& format = formatOf(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM);
    const ReferenceImage image = imageOf(format, ZE_IMAGE_TYPE_2D);
    const auto handle = images.make(image);
    // Corners of texels inside: a linear filter reads four of them.
    auto* const places = images.gpu.shared<Place>(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i)
        places[i] = {static_cast<float>(1 + i % (kWidth - 1)), static_cast<float>(1 + i % (kHeight - 1)), 0, 0};
    auto* const values = images.gpu.shared<Bits>(kItems);

    const auto load = images.kernel("load", image);
    Gpu::arguments(load, handle, places, values);
    expectCounts(load, groups, {.sampler = messagesOf(load), .texelsRead = kItems});

    const ze_sampler_desc_t linear{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                   ZE_SAMPLER_FILTER_MODE_LINEAR, false};
    const auto sample = images.kernel("sample", image);
    Gpu::arguments(sample, handle, images.make(linear), places, values);
    expectCounts(sample, groups, {.sampler = messagesOf(sample), .texelsRead = std::uint64_t{4} * kItems});

    const auto write = images.kernel("write", image);
    Gpu::arguments(write, handle, places, values);
    expectCounts(write, groups, {.typedWrites = messagesOf(write), .texelsWritten = kItems});

    const ReferenceFormat& whole = formatOf(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT);
    const auto increment = images.kernel("increment", 1);
    Gpu::arguments(increment, images.make(imageOf(whole, ZE_IMAGE_TYPE_2D)));
    constexpr std::uint64_t kTexels = kWidth * kHeight;
    expectCounts(increment, {kWidth, kHeight, 1},
                 {.typedReads = kTexels, .typedWrites = kTexels, .texelsRead = kTexels, .texelsWritten = kTexels});
}

class ImageCounts : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
            GTEST_SKIP() << "run scripts/compiler newest";
    }
};
TEST_P(ImageCounts, AreThoseOfTheKernel) {
    EXPECT_RUNS(measured("accessesToImagesAreCounted", GetParam()).with("ZETL_COMPILER", "newest"));
}
INSTANTIATE_TEST_SUITE_P(Devices, ImageCounts, testing::Values("b580-small", "ptl-small"));

}  // namespace
}  // namespace zetl::test::images

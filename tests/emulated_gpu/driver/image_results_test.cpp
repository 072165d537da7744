// What `zetl diff` compares of images: their texels at the end of each launch.
#include <cstring>
#include <filesystem>

#include "image_bench.h"
#include "results/reader.h"
#include "support/scenario.h"

namespace zetl::test::images {
namespace {

namespace fs = std::filesystem;

SCENARIO(aKernelIncrementsAnImage) {
    Images images;
    const ReferenceFormat& format = formatOf(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT);
    const ReferenceImage image = imageOf(format, ZE_IMAGE_TYPE_2D);
    const auto increment = images.kernel("increment", 1);
    Gpu::arguments(increment, images.make(image));
    const ze_group_count_t groups{kWidth, kHeight, 1};
    for (int i = 0; i < 2; ++i)
        EXPECT_OK(zeCommandListAppendLaunchKernel(images.list(), increment, &groups, nullptr, 0, nullptr));
}

TEST(ImageResults, HaveTheTexels) {
    if (!fs::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
        GTEST_SKIP() << "run scripts/compiler newest";
    std::string directory = testing::TempDir() + "/image_results_XXXXXX";
    ASSERT_NE(mkdtemp(directory.data()), nullptr);
    EXPECT_RUNS(emulated("aKernelIncrementsAnImage", "b580-small")
                    .with("ZETL_COMPILER", "newest")
                    .with("ZETL_RESULTS", directory));
    const auto processes = results::readProcesses(directory);
    ASSERT_EQ(processes.size(), 1u);
    ASSERT_EQ(processes[0].launches.size(), 2u);
    std::uint8_t first[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& buffers = processes[0].launches[i].buffers;
        ASSERT_EQ(buffers.size(), 1u);
        EXPECT_EQ(buffers[0].argument, 0);
        ASSERT_FALSE(buffers[0].blocks.empty());
        const auto content = results::contentOf(processes[0], buffers[0].blocks[0]);
        ASSERT_GT(content.size(), buffers[0].offset);
        first[i] = static_cast<std::uint8_t>(content[buffers[0].offset]);
    }
    EXPECT_EQ(first[1], static_cast<std::uint8_t>(first[0] + 1)) << "each launch adds one";
    fs::remove_all(directory);
}

}  // namespace
}  // namespace zetl::test::images

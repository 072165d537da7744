// The emulated GPU in processes that are somebody else's: with tools preloaded, with little of everything.
#include <filesystem>

#include "driver_gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

namespace fs = std::filesystem;

/// A directory of its own for a test, gone afterwards.
struct Directory {
    Directory() {
        std::string name = testing::TempDir() + "zetl_host.XXXXXX";
        path = mkdtemp(name.data());
    }
    ~Directory() { fs::remove_all(path); }
    fs::path path;
};

SCENARIO(buildsAModule) { EXPECT_NE(Gpu().module(), nullptr); }

TEST(Host, PreloadedToolsAreNotInTheCompiler) {
    const Directory directory;
    const fs::path tool = directory.path / "libtool.so";
    fs::copy_file(inBuildTree("tests/layer/libpreloaded_tool.so"), tool);
    EXPECT_RUNS(emulated("buildsAModule").withFirst("LD_PRELOAD", tool));
    const auto files = std::distance(fs::directory_iterator(directory.path), fs::directory_iterator());
    EXPECT_EQ(files, 2) << "the tool and what it left in one process";
}

}  // namespace
}  // namespace zetl::test

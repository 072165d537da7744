// `zetl run` for a program whose libraries use up the room that the C library keeps for thread-local data.
#include <gtest/gtest.h>

#include "says.h"
#include "support/process.h"

namespace zetl::command {
namespace {

using test::inBuildTree;

test::Outcome crowdedRun(std::vector<std::string> options) {
    options.insert(options.begin(), {inBuildTree("bin/zetl"), "run", "--device", "tiny"});
    options.insert(options.end(),
                   {"--", inBuildTree("tests/zetl/crowded_program"), inBuildTree("tests/zetl/libcrowding_library.so")});
    return test::Process(options).run(std::chrono::seconds(60));
}

TEST(CrowdedProcess, HasDriverAndLayer) {
    const auto alone = crowdedRun({});
    EXPECT_EQ(alone.exitCode, 0) << alone;
    EXPECT_TRUE(test::says(alone, "1 drivers")) << alone;
    EXPECT_EQ(crowdedRun({"--fail", "zeDriverGet:1=OUT_OF_HOST_MEMORY"}).exitCode, 1) << "the layer is not there";
}

}  // namespace
}  // namespace zetl::command

// What the environment switches: the experimental tracer, the log, the chained validation layer; and what stays quiet.
#include <dirent.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

int entriesOf(const char* directory) {
    int count = 0;
    DIR* const opened = opendir(directory);
    while (readdir(opened)) ++count;
    closedir(opened);
    return count;
}

std::set<std::filesystem::path> openFiles() {
    std::set<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        if (std::filesystem::is_regular_file(entry.path())) files.insert(std::filesystem::read_symlink(entry.path()));
    return files;
}

/// No thread, no open file, before something is asked of the layer. What the test runner left open does not count.
SCENARIO(idleLayerKeepsToItself) {
    const auto before = openFiles();
    Objects::get();
    EXPECT_EQ(entriesOf("/proc/self/task"), 1 + 2);
    for (const auto& file : openFiles()) EXPECT_TRUE(before.contains(file)) << file;
}
TEST(Settings, IdleLayerKeepsToItself) { EXPECT_RUNS(fresh("idleLayerKeepsToItself", Slots::both)); }

SCENARIO(refusedCall) {
    Objects::get();
    EXPECT_EQ(zelTracerDestroy(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

TEST(Log, SilentByDefault) {
    const auto outcome = fresh("refusedCall").run();
    EXPECT_TRUE(outcome.good());
    EXPECT_EQ(outcome.output, "");
}
TEST(Log, NamesTheFunctionThatRefused) {
    for (const char* setting :
         {"tracing=warn", "warn", "all=warn", "layer=error,tracing=debug", "layer=error, tracing=debug", " warn "}) {
        const auto outcome = fresh("refusedCall").with("ZETL_LOG", setting).run();
        EXPECT_NE(outcome.output.find("[tracing]"), std::string::npos) << setting << outcome;
        EXPECT_NE(outcome.output.find("zelTracerDestroy"), std::string::npos) << setting << outcome;
    }
}
TEST(Log, OtherModulesAndNonsenseStaySilent) {
    for (const char* setting : {"metrics=trace", "tracing=error", "nonsense", "tracing=", "=,,=", "tracing=loud"})
        EXPECT_EQ(fresh("refusedCall").with("ZETL_LOG", setting).run().output, "") << setting;
}
TEST(Log, GoesToTheFile) {
    const std::string path = inBuildTree("tests/layer/log_test.txt");
    std::filesystem::remove(path);
    const auto outcome = fresh("refusedCall").with("ZETL_LOG", "tracing=warn").with("ZETL_LOG_FILE", path).run();
    EXPECT_EQ(outcome.output, "");
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_NE(text.str().find("zelTracerDestroy"), std::string::npos) << text.str();
}
TEST(Log, FileThatCannotBeOpened) {
    const auto outcome =
        fresh("refusedCall").with("ZETL_LOG", "tracing=warn").with("ZETL_LOG_FILE", "/proc/no/such/file").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("zelTracerDestroy"), std::string::npos) << "standard error serves instead" << outcome;
}

SCENARIO(nullListIsRejected) {
    Objects::get();
    EXPECT_EQ(zeCommandListReset(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
SCENARIO(nullListReachesTheDriver) {
    Objects::get();
    EXPECT_EQ(zeCommandListReset(nullptr), ZE_RESULT_SUCCESS);
}
SCENARIO(tracedAboveTheNextLayer) {
    BarrierTracer tracer;
    tracer.enable();
    EXPECT_EQ(zeCommandListAppendBarrier(nullptr, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(tracer.epilogues, 1);
}

const char* const kStockValidation = "/usr/lib/x86_64-linux-gnu/libze_validation_layer.so.1";
Process chained(const char* scenario, Slots slots, const char* next) {
    return fresh(scenario, slots).with("ZETL_NEXT_VALIDATION_LAYER", next).with("ZE_ENABLE_PARAMETER_VALIDATION", "1");
}

TEST(NextValidationLayer, ChecksWhatPassesTheLayer) {
    EXPECT_RUNS(chained("nullListIsRejected", Slots::validation, kStockValidation));
    EXPECT_RUNS(chained("nullListIsRejected", Slots::both, kStockValidation));
    EXPECT_RUNS(chained("tracedAboveTheNextLayer", Slots::both, kStockValidation));
}
TEST(NextValidationLayer, IsNotThereUnlessAsked) {
    EXPECT_RUNS(fresh("nullListReachesTheDriver", Slots::validation).with("ZE_ENABLE_PARAMETER_VALIDATION", "1"));
}
TEST(NextValidationLayer, MissingOneIsReportedAndDoneWithout) {
    EXPECT_RUNS(chained("nullListReachesTheDriver", Slots::validation, "/no/such/layer.so"));
    const auto outcome = chained("nullListReachesTheDriver", Slots::validation, "/no/such/layer.so")
                             .with("ZETL_LOG", "layer=error")
                             .run();
    EXPECT_NE(outcome.output.find("ZETL_NEXT_VALIDATION_LAYER=/no/such/layer.so"), std::string::npos) << outcome;
}

}  // namespace
}  // namespace zetl::test

// A child that is forked while another thread is inside the layer, with its locks: it can use the layer.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "layer/fake_loader.h"
#include "support/process.h"
#include "support/slow_variable.h"
#include "support/tables.h"

namespace zetl::test {
namespace {

constexpr auto kVersion = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, kNewestMinor));

ze_result_t lacking() { return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE; }

std::atomic<bool> isAsked{false};
std::atomic<bool> mayAnswer{false};

/// A driver's zeDriverGet that takes its time.
ze_result_t slowDriverGet(std::uint32_t* count, ze_driver_handle_t*) {
    isAsked = true;
    while (!mayAnswer) std::this_thread::yield();
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

/// The tests below are one process each (gtest_discover_tests): what they meet comes once.
class LayerFork : public testing::Test {
  protected:
    using Entries = std::array<void*, 64>;

    void SetUp() override {
        ASSERT_TRUE(loader_.call) << loader_.error;
        ASSERT_TRUE(layer_) << dlerror();
    }
    /// Has the layer take a table over whose functions are `first` and others that the driver lacks.
    ze_result_t fill(const char* getter, void* first, Entries& entries) {
        entries.fill(reinterpret_cast<void*>(&lacking));
        entries[0] = first;
        return loader_.call(dlsym(layer_, getter), kVersion, entries.data());
    }
    ze_result_t fill(const char* getter) {
        Entries entries;
        return fill(getter, reinterpret_cast<void*>(&lacking), entries);
    }

    FakeLoader loader_;
    void* const layer_ = dlopen(inBuildTree("lib/libze_tools_layer.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
};

// The switches are read while a table is filled.
TEST_F(LayerFork, WhileATableIsFilled) {
    const auto first = [&] { EXPECT_EQ(fill("zeGetGlobalProcAddrTable"), ZE_RESULT_SUCCESS); };
    const auto child = [&] { return fill("zeGetDeviceProcAddrTable") == ZE_RESULT_SUCCESS ? 0 : 1; };
    EXPECT_EQ(exitOfChildMeanwhile("ZET_ENABLE_METRICS", first, child), 0);
}

// The modules are made when first needed, of what the driver says.
TEST_F(LayerFork, WhileTheModulesAreMade) {
    Entries drivers;
    Entries groups;
    ASSERT_EQ(fill("zeGetDriverProcAddrTable", reinterpret_cast<void*>(&slowDriverGet), drivers), ZE_RESULT_SUCCESS);
    ASSERT_EQ(fill("zetGetMetricGroupProcAddrTable", reinterpret_cast<void*>(&lacking), groups), ZE_RESULT_SUCCESS);
    const auto get = [&] {
        using Get = ze_result_t(ZE_APICALL*)(void* device, std::uint32_t* count, void** list);
        std::uint32_t count = 0;
        return reinterpret_cast<Get>(groups[0])(&count, &count, nullptr);
    };
    std::thread first([&] { EXPECT_EQ(get(), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE); });
    while (!isAsked) std::this_thread::yield();
    const int code = exitOfChild([&] { return get() == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ? 0 : 1; });
    mayAnswer = true;
    first.join();
    EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace zetl::test

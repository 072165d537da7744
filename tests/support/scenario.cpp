#include "support/scenario.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string_view>

/// What the loader and the fake driver keep until the end of the process is theirs. Read by LeakSanitizer, if it is
/// there.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libze_loader.so\nleak:libze_fake_driver"; }

namespace zetl::test {
namespace {

std::map<std::string, void (*)()>& scenarios() {
    static std::map<std::string, void (*)()> all;
    return all;
}

constexpr std::string_view kOption = "--scenario=";

int runScenario(const std::string& name) {
    const auto found = scenarios().find(name);
    if (found == scenarios().end()) {
        std::cerr << "no scenario named " << name << '\n';
        return 2;
    }
    found->second();
    return testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? 1 : 0;
}

}  // namespace

detail::Scenario::Scenario(const char* name, void (*body)()) { scenarios()[name] = body; }

Process layered(Process process, Slots slots) {
    if (slots == Slots::none) return process;
    if (!std::getenv("ZETL_TEST_STOCK_TRACER")) {
        // Without the file the loader would take the stock layer and say nothing.
        if (!std::filesystem::exists(inBuildTree("lib/libze_tools_layer.so.1")))
            throw std::runtime_error("no layer built");
        process.withFirst("LD_LIBRARY_PATH", inBuildTree("lib/ze-tools-layer"));
    }
    if (slots != Slots::validation) process.with("ZE_ENABLE_TRACING_LAYER", "1");
    if (slots != Slots::tracing) process.with("ZE_ENABLE_VALIDATION_LAYER", "1");
    return process;
}

Process fresh(const std::string& scenario, Slots slots, Drivers drivers) {
    auto driverList = inBuildTree("tests/support/libze_fake_driver.so.1");
    if (drivers == Drivers::two) driverList.append(",").append(inBuildTree("tests/support/libze_fake_driver_b.so.1"));
    return layered(Process({thisProgram(), std::string(kOption) + scenario}).with("ZE_ENABLE_ALT_DRIVERS", driverList),
                   slots);
}

int mainOf(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (argc == 2 && std::string_view(argv[1]).starts_with(kOption)) return runScenario(argv[1] + kOption.size());
    return RUN_ALL_TESTS();
}

}  // namespace zetl::test

// A program linked with -lze_tools_layer: the 69 tools functions are there whatever the loader knows, go to the driver
// where it has them, and answer with a documented code where it does not.
#include <cstring>
#include <string>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

using AnyFunction = std::uint64_t (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                                      void*);

/// All arguments the same: null, or an address that holds zeroes.
ze_result_t callWith(void* a, void* function) {
    return static_cast<ze_result_t>(reinterpret_cast<AnyFunction>(function)(a, a, a, a, a, a, a, a, a, a, a, a));
}

bool isTools(const Table& table) { return std::strncmp(table.getter, "zetGet", 6) == 0; }
/// Implemented by the layer whatever the driver has.
bool isTracer(const std::string& function) { return function.rfind("zetTracerExp", 0) == 0; }

template <class F>
int forEachToolsFunction(F&& visit) {
    int functions = 0;
    for (const auto& table : kTables) {
        if (!isTools(table)) continue;
        for (int i = 0; i < table.maxEntries(); ++i, ++functions) visit(std::string(table.function(i)));
    }
    return functions;
}

SCENARIO(all69AreLinked) {
    EXPECT_EQ(forEachToolsFunction([](const std::string& function) {
                  EXPECT_TRUE(layerFunction(function.c_str())) << function << " is not exported";
              }),
              69);
    // Taken at link time, from the layer: some of them newer than the loader.
    EXPECT_TRUE(reinterpret_cast<void*>(&zetCommandListAppendMarkerExp));
    EXPECT_EQ(zetDeviceEnableMetricsExp(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetMetricTracerDestroyExp(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

SCENARIO(nullHandlesAreRefusedByAll69) {
    Objects::get();
    forEachToolsFunction([](const std::string& function) {
        EXPECT_EQ(callWith(nullptr, layerFunction(function.c_str())), ZE_RESULT_ERROR_INVALID_NULL_HANDLE) << function;
    });
}

struct Row {
    std::string function;
    std::string arguments;
};
const Row kRows[] = {
#define FUNCTION(name, arguments, ...) {#name, arguments},
#define SERVED(name, arguments, method, ...) {#name, arguments},
#define ANYWHERE(name, arguments, function, recognises, ...) {#name, arguments},
#include "tools/functions.def"
#undef ANYWHERE
#undef SERVED
#undef FUNCTION
};

/// The handles, which come first, lead somewhere; nothing else is given.
SCENARIO(nullPointersAreRefusedWhereARowSaysSo) {
    Objects::get();
    static long zeroes[512];
    int refused = 0;
    for (const Row& row : kRows) {
        if (row.arguments.find('p') == std::string::npos) continue;
        const auto given = [&](std::size_t i) -> void* {
            return i < row.arguments.size() && row.arguments[i] == 'h' ? zeroes : nullptr;
        };
        const auto call = reinterpret_cast<AnyFunction>(layerFunction(row.function.c_str()));
        EXPECT_EQ(static_cast<ze_result_t>(call(given(0), given(1), given(2), given(3), given(4), given(5), given(6),
                                                given(7), given(8), given(9), given(10), given(11))),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER)
            << row.function;
        ++refused;
    }
    EXPECT_EQ(refused, 38);
}

SCENARIO(driverIsAskedWithTheCallersHandles) {
    Objects::get();
    auto& driver = *fakeDriver();
    driver.armed = true;
    static long zeroes[512];
    int reached = 0;
    forEachToolsFunction([&](const std::string& function) {
        if (isTracer(function)) return;
        const int slot = slotOf(function);
        const auto chosen = static_cast<ze_result_t>(0x7b000000 + slot);
        driver.results[slot] = chosen;
        const auto code = callWith(zeroes, layerFunction(function.c_str()));
        const bool called = driver.calls[slot] == 1;
        EXPECT_EQ(code, called ? chosen : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) << function;
        reached += called;
    });
    std::printf("%d functions reach the driver\n", reached);
    EXPECT_GE(reached, 34) << "as many as specification 1.4 has, without the tracer";
}

/// Calculates what was exported, without driver or device.
bool needsNoDriver(const std::string& function) { return function == "zetMetricGroupCalculateMetricExportDataExp"; }

SCENARIO(withoutADriverFunctionAllAnswer) {
    Objects::get();
    static long zeroes[512];
    forEachToolsFunction([&](const std::string& function) {
        if (isTracer(function) || needsNoDriver(function)) return;
        EXPECT_EQ(callWith(zeroes, layerFunction(function.c_str())), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) << function;
    });
}

SCENARIO(beforeInitAllAnswer) {
    static long zeroes[512];
    forEachToolsFunction([&](const std::string& function) {
        if (needsNoDriver(function)) return;
        EXPECT_EQ(callWith(zeroes, layerFunction(function.c_str())),
                  isTracer(function) && function != "zetTracerExpCreate" ? ZE_RESULT_ERROR_INVALID_NULL_HANDLE
                                                                         : ZE_RESULT_ERROR_UNINITIALIZED)
            << function;
    });
}

TEST(ToolsFunctions, AreLinked) { EXPECT_RUNS(fresh("all69AreLinked", Slots::both)); }
TEST(ToolsFunctions, RefuseNull) {
    EXPECT_RUNS(fresh("nullHandlesAreRefusedByAll69", Slots::both));
    EXPECT_RUNS(fresh("nullHandlesAreRefusedByAll69", Slots::none));
}
TEST(ToolsFunctions, RefuseNullPointers) { EXPECT_RUNS(fresh("nullPointersAreRefusedWhereARowSaysSo", Slots::both)); }
TEST(ToolsFunctions, AskTheDriver) { EXPECT_RUNS(fresh("driverIsAskedWithTheCallersHandles", Slots::both)); }
TEST(ToolsFunctions, AnswerWithoutADriverFunction) {
    EXPECT_RUNS(fresh("withoutADriverFunctionAllAnswer", Slots::both).with("ZETL_FAKE_WITHOUT", "zet"));
}
TEST(ToolsFunctions, AnswerBeforeInit) { EXPECT_RUNS(fresh("beforeInitAllAnswer", Slots::both)); }

/// With the layer in the program's global scope the loader's calls for its own getters meet the layer's.
SCENARIO(tracingWorksInALinkedProgram) {
    BarrierTracer tracer;
    tracer.enable();
    EXPECT_EQ(barrier(), ZE_RESULT_SUCCESS);
    EXPECT_EQ(tracer.epilogues, 1);
}
TEST(ToolsFunctions, LinkedProgramIsTraced) {
    for (const auto slots : {Slots::tracing, Slots::both}) EXPECT_RUNS(fresh("tracingWorksInALinkedProgram", slots));
}

}  // namespace
}  // namespace zetl::test

// Every core and runtime function that the loader at hand exports is traced: by its own registration call, and, for the
// 120 functions of specification 1.0, by the callback table.
#include <cstring>
#include <string>
#include <string_view>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

/// What one traced call of the function below test left behind.
struct Seen {
    int prologues = 0;
    int epilogues = 0;
    std::uint64_t result = 0;
};

void countPrologue(void*, std::uint64_t, void* user, void**) { ++static_cast<Seen*>(user)->prologues; }
void countEpilogue(void*, std::uint64_t result, void* user, void**) {
    auto& seen = *static_cast<Seen*>(user);
    ++seen.epilogues;
    seen.result = result & 0xffffffff;
}

using Callback = void (*)(void*, std::uint64_t, void*, void**);
using Register = ze_result_t (*)(zel_tracer_handle_t, zel_tracer_reg_t, Callback);
using AnyFunction = std::uint64_t (*)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                                      void*, void*, void*, void*, void*);

/// The loader's own work, done before or instead of the table entry.
bool loaderInterferes(std::string_view function) { return function == "zeInit" || function == "zeInitDrivers"; }

bool isCoreOrRuntime(const Table& table) {
    return std::strncmp(table.getter, "zeGet", 5) == 0 || std::strncmp(table.getter, "zerGet", 6) == 0;
}

Register registrationOf(const std::string& function) {
    const auto name = function.substr(function.compare(0, 3, "zer") == 0 ? 3 : 2);
    return reinterpret_cast<Register>(loaderFunction(("zelTracer" + name + "RegisterCallback").c_str()));
}

/// Calls the loader's export with null arguments; the fake driver answers with the slot's result and looks at nothing.
std::uint64_t callWithNulls(const std::string& function) {
    const auto target = reinterpret_cast<AnyFunction>(loaderFunction(function.c_str()));
    return target(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                  nullptr, nullptr, nullptr, nullptr, nullptr);
}

void expectTracedOnce(const std::string& function, int slot) {
    Seen seen;
    const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, &seen};
    zel_tracer_handle_t tracer = nullptr;
    ASSERT_EQ(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    const auto registration = registrationOf(function);
    ASSERT_TRUE(registration) << "the loader has no registration call for " << function;
    EXPECT_EQ(registration(tracer, ZEL_REGISTER_PROLOGUE, countPrologue), ZE_RESULT_SUCCESS) << function;
    EXPECT_EQ(registration(tracer, ZEL_REGISTER_EPILOGUE, countEpilogue), ZE_RESULT_SUCCESS) << function;
    EXPECT_EQ(zelTracerSetEnabled(tracer, true), ZE_RESULT_SUCCESS);

    const auto result = static_cast<ze_result_t>(0x7a000000 + slot);
    fakeDriver()->results[slot] = result;
    const auto before = fakeDriver()->calls[slot].load();
    EXPECT_EQ(callWithNulls(function) & 0xffffffff, static_cast<std::uint64_t>(result)) << function;
    EXPECT_EQ(fakeDriver()->calls[slot] - before, 1u) << function;
    EXPECT_EQ(seen.prologues, 1) << function;
    EXPECT_EQ(seen.epilogues, 1) << function;
    EXPECT_EQ(seen.result, static_cast<std::uint64_t>(result)) << function;

    EXPECT_EQ(zelTracerSetEnabled(tracer, false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
}

SCENARIO(everyFunctionIsTraced) {
    Objects::get();
    fakeDriver()->armed = true;
    int functions = 0;
    for (const auto& table : kTables) {
        if (!isCoreOrRuntime(table)) continue;
        for (int i = 0; i < table.maxEntries(); ++i) {
            const std::string function(table.function(i));
            if (loaderInterferes(function) || !loaderFunction(function.c_str())) continue;
            expectTracedOnce(function, slotOf(function));
            ++functions;
        }
    }
    std::printf("%d functions traced\n", functions);
    EXPECT_GE(functions, 143);
}
TEST(TracingCoverage, EveryFunction) { EXPECT_RUNS(fresh("everyFunctionIsTraced")); }

std::atomic<int> tableCalls{0};

SCENARIO(callbackTableReachesAll120) {
    Objects::get();
    const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};
    zel_tracer_handle_t tracer = nullptr;
    ASSERT_EQ(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    zel_core_callbacks_t callbacks{};
    constexpr auto kCallbacks = sizeof callbacks / sizeof(void*);
    static_assert(kCallbacks == 120);
    const auto count = [](void*, std::uint64_t, void*, void**) { ++tableCalls; };
    const Callback callback = count;
    for (std::size_t i = 0; i < kCallbacks; ++i)
        std::memcpy(reinterpret_cast<char*>(&callbacks) + i * sizeof(void*), &callback, sizeof(void*));
    EXPECT_EQ(zelTracerSetPrologues(tracer, &callbacks), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerSetEpilogues(tracer, &callbacks), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerSetEnabled(tracer, true), ZE_RESULT_SUCCESS);
    fakeDriver()->armed = true;
    for (auto& result : fakeDriver()->results) result = ZE_RESULT_ERROR_UNKNOWN;

    int traced = 0;
    for (const auto& table : kTables) {
        if (!isCoreOrRuntime(table)) continue;
        for (int i = 0; i < table.maxEntries(); ++i) {
            const std::string function(table.function(i));
            if (loaderInterferes(function) || !loaderFunction(function.c_str())) continue;
            tableCalls = 0;
            callWithNulls(function);
            EXPECT_TRUE(tableCalls == 0 || tableCalls == 2) << function;
            traced += tableCalls == 2;
        }
    }
    EXPECT_EQ(traced, 119) << "all but zeInit, which is not called again";
    fakeDriver()->armed = false;
    EXPECT_EQ(zelTracerSetEnabled(tracer, false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
}
TEST(TracingCoverage, CallbackTable) { EXPECT_RUNS(fresh("callbackTableReachesAll120")); }

/// Loaders from 1.18 on pass only the first zeInit of a process down.
SCENARIO(laterInitIsTraced) {
    Objects::get();
    Seen seen;
    const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, &seen};
    zel_tracer_handle_t tracer = nullptr;
    ASSERT_EQ(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    const auto registration = registrationOf("zeInit");
    ASSERT_TRUE(registration);
    EXPECT_EQ(registration(tracer, ZEL_REGISTER_PROLOGUE, countPrologue), ZE_RESULT_SUCCESS);
    EXPECT_EQ(registration(tracer, ZEL_REGISTER_EPILOGUE, countEpilogue), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerSetEnabled(tracer, true), ZE_RESULT_SUCCESS);
    fakeDriver()->armed = true;
    EXPECT_EQ(zeInit(ZE_INIT_FLAG_GPU_ONLY), ZE_RESULT_SUCCESS);
    const auto passedDown = static_cast<int>(fakeDriver()->callsOf("zeInit"));
    EXPECT_EQ(seen.prologues, passedDown);
    EXPECT_EQ(seen.epilogues, passedDown);
    EXPECT_EQ(zelTracerSetEnabled(tracer, false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
}
TEST(TracingCoverage, LaterInit) { EXPECT_RUNS(fresh("laterInitIsTraced")); }

}  // namespace
}  // namespace zetl::test

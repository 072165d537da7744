#include "ddi/route.h"

#include <gtest/gtest.h>

#include <thread>

#include "ddi/trampoline.h"

namespace zetl::ddi {
namespace {

void here() {}
void there() {}
void detour() {}

TEST(Route, LeadsToNextUnlessDetoured) {
    Route route;
    EXPECT_EQ(route.entry(), nullptr);
    route.setNext(here);
    EXPECT_EQ(route.entry(), &here);
    route.setDetour(detour);
    EXPECT_EQ(route.entry(), &detour);
    route.setNext(there);
    EXPECT_EQ(route.entry(), &detour);
    EXPECT_EQ(route.next(), &there);
    route.setDetour(nullptr);
    EXPECT_EQ(route.entry(), &there);
}

TEST(Route, LeadsThroughTheGateToNext) {
    Route route;
    route.setNext(there);
    EXPECT_EQ(route.through(), &there);
    route.setGate(here);
    EXPECT_EQ(route.entry(), &here);
    EXPECT_EQ(route.through(), &here);
    EXPECT_EQ(route.next(), &there);
    route.setDetour(detour);
    EXPECT_EQ(route.entry(), &detour);
    route.setDetour(nullptr);
    EXPECT_EQ(route.entry(), &here);
}

TEST(Route, ConcurrentWritersEndWithTheNewestOfBoth) {
    for (int round = 0; round < 2000; ++round) {
        Route route;
        route.setNext(here);
        std::thread other([&] { route.setDetour(detour); });
        route.setNext(there);
        other.join();
        EXPECT_EQ(route.entry(), &detour);
        std::thread another([&] { route.setDetour(nullptr); });
        route.setNext(here);
        another.join();
        EXPECT_EQ(route.entry(), &here);
    }
}

ze_result_t ZE_APICALL reset(ze_fence_handle_t) { return ZE_RESULT_NOT_READY; }

TEST(Trampoline, JumpsWhereTheRouteLeads) {
    route(Function::zeFenceReset).setNext(reinterpret_cast<Address>(&reset));
    const auto& row = kTrampolines[index(Function::zeFenceReset)];
    EXPECT_EQ(reinterpret_cast<decltype(&reset)>(row.call)(nullptr), ZE_RESULT_NOT_READY);
    EXPECT_EQ(reinterpret_cast<decltype(&reset)>(row.unsupported)(nullptr), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

TEST(Trampoline, EveryFunctionHasItsOwn) {
    for (std::size_t i = 0; i < kTraced; ++i) {
        ASSERT_NE(kTrampolines[i].call, nullptr);
        for (std::size_t j = 0; j < i; ++j)
            ASSERT_NE(kTrampolines[i].call, kTrampolines[j].call) << kFunctionRows[i].name;
    }
}

TEST(Trampoline, FunctionsWithoutAResultCodeAnswerZeroWhereUnsupported) {
    const auto address = kTrampolines[index(Function::zerGetDefaultContext)].unsupported;
    EXPECT_EQ(reinterpret_cast<decltype(&zerGetDefaultContext)>(address)(), nullptr);
}

}  // namespace
}  // namespace zetl::ddi

// The gate on what a call costs, in instructions from the application's call to its return: loader, layer, callbacks
// and an empty driver function.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "benchmark/callgrind.h"
#include "benchmark/workload.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

long number(const char* variable) { return std::atol(std::getenv(variable)); }

SCENARIO(repeatCall) {
    const Workload workload(static_cast<int>(number("ZETL_BENCHMARK_TRACERS")));
    for (long i = number("ZETL_BENCHMARK_CALLS"); i > 0; --i) workload.call();
}

/// Instructions of a whole process that makes so many calls.
double instructions(int tracers, Slots slots, long calls) {
    return instructionsOf(ZETL_VALGRIND, fresh("repeatCall", slots)
                                             .with("ZETL_BENCHMARK_TRACERS", std::to_string(tracers))
                                             .with("ZETL_BENCHMARK_CALLS", std::to_string(calls)));
}

/// Instructions of one call: what a thousand times more calls add. The calling loop itself is part of it.
double perCall(int tracers, Slots slots) {
    constexpr long kFew = 1000, kMany = 101000;
    const double each = (instructions(tracers, slots, kMany) - instructions(tracers, slots, kFew)) / (kMany - kFew);
    testing::Test::RecordProperty("instructions", std::to_string(each));
    std::printf("%.1f instructions a call\n", each);
    return each;
}

TEST(Instructions, Idle) { EXPECT_LE(perCall(0, Slots::tracing), 25); }
TEST(Instructions, OneTracer) { EXPECT_LE(perCall(1, Slots::tracing), 130); }
TEST(Instructions, FourTracers) { EXPECT_LE(perCall(4, Slots::tracing), 260); }

}  // namespace
}  // namespace zetl::test

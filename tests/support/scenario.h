// A scenario is a body of expectations that runs alone in a fresh process, under an environment that its test chooses:
//
//   SCENARIO(callIsTraced) { ...EXPECT_EQ(zeInit(0), ZE_RESULT_SUCCESS)... }
//   TEST(Slots, Tracing) { EXPECT_RUNS(fresh("callIsTraced", Slots::tracing)); }
//
// The same binary plays both parts; `binary --scenario=callIsTraced` runs the body by hand.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/process.h"

namespace zetl::test {

/// Which loader slots the layer takes; with `none` the process has no layer.
enum class Slots { none, tracing, validation, both };

/// What the process finds below the loader.
enum class Drivers { one, two };

/// The process with the layer under test in the given slots.
/// ZETL_TEST_STOCK_TRACER=1 leaves the tracing slot to the stock layer, to see what a test says of that.
Process layered(Process process, Slots slots);

/// A fresh process for a scenario: fake drivers, and the layer in the given slots.
Process fresh(const std::string& scenario, Slots slots = Slots::tracing, Drivers drivers = Drivers::one);

/// The scenario's expectations all held and the process ended with exit code 0.
#define EXPECT_RUNS(process)                                   \
    do {                                                       \
        const ::zetl::test::Outcome outcome = (process).run(); \
        EXPECT_TRUE(outcome.good()) << outcome;                \
    } while (false)

namespace detail {
struct Scenario {
    Scenario(const char* name, void (*body)());
};
}  // namespace detail

#define SCENARIO(name)                                                        \
    static void scenario_##name();                                            \
    static const ::zetl::test::detail::Scenario name(#name, scenario_##name); \
    static void scenario_##name()

/// Runs the scenario or the tests that the command line asks for.
int mainOf(int argc, char** argv);

}  // namespace zetl::test

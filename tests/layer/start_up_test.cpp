// What the layer adds to zeInit.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

SCENARIO(timeInit) {
    const auto start = std::chrono::steady_clock::now();
    zeInit(0);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    std::printf("zeInit %.1f us\n", took.count());
}
double initMicroseconds(Slots slots) {
    double best = 1e9;
    for (int i = 0; i < 15; ++i) {
        const auto outcome = fresh("timeInit", slots).run();
        double took = 1e9;
        EXPECT_EQ(std::sscanf(outcome.output.c_str(), "zeInit %lf", &took), 1) << outcome;
        best = std::min(best, took);
    }
    return best;
}
TEST(StartUp, AddsLessThanTwoMilliseconds) {
    const double without = initMicroseconds(Slots::none);
    const double with = initMicroseconds(Slots::both);
    std::printf("zeInit: %.0f us without, %.0f us with the layer in both slots\n", without, with);
    EXPECT_LT(with - without, 2000);
}

}  // namespace
}  // namespace zetl::test

// Planted kernels under the checks of memory, races and barriers, and under that of initialisation.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "emulator/check/checker.h"
#include "emulator/check/init_check.h"
#include "planted.h"

namespace zetl::emulator::check {

class CheckedKernels : public testing::TestWithParam<Planted> {
  protected:
    CheckedKernels() { bench.leaveLocalGap(64); }

    std::vector<zetl::check::Finding> found(std::span<const Planted> all, bool wrong) {
        return findingsOf(bench, checker, all, GetParam(), wrong);
    }

    machine::bench::KernelBench bench{"small", 1};
    Checker checker{bench.machine(), zetl::check::Groups::all()};
};

class KernelsThatReadTooEarly : public testing::TestWithParam<Planted> {
  protected:
    std::vector<zetl::check::Finding> found(std::span<const Planted> all, bool wrong) {
        return findingsOf(bench, init, all, GetParam(), wrong);
    }

    machine::bench::KernelBench bench{"small", 1};
    InitCheck init{bench.machine()};
};

inline bool has(const std::vector<zetl::check::Finding>& findings, zetl::check::Kind kind) {
    return std::ranges::any_of(findings, [kind](const zetl::check::Finding& one) { return one.kind == kind; });
}

inline const auto kNameOf = [](const auto& one) { return one.param.name; };

}  // namespace zetl::emulator::check

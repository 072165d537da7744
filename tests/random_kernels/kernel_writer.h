// One random kernel: a number makes it, and the same number makes it again.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kernel_case.h"

namespace zetl::random_kernels {

struct RandomKernel {
    std::uint64_t number = 0;
    std::string source;  ///< behind the prelude
    kernels::CaseLaunch launch;
    int statements = 0;  ///< how many there are to leave out
};

/// `omitted`: statements that are left out, by their place in the source; what remains stays as it is.
RandomKernel writeKernel(std::uint64_t number, const std::set<int>& omitted = {});

/// What all kernels' sources begin with.
std::string prelude();

}  // namespace zetl::random_kernels

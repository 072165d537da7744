// One random kernel: a number makes it, and the same number makes it again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_case.h"
#include "parts.h"

namespace zetl::random_kernels {

struct RandomKernel {
    std::uint64_t number = 0;
    std::string source;  ///< behind the prelude
    kernels::CaseLaunch launch;
    int statements = 0;  ///< how many there are to leave out
    int expressions = 0;
};

/// What remains behind `omitted` stays as it is.
RandomKernel writeKernel(std::uint64_t number, const Parts& omitted = {});

/// What all kernels' sources begin with.
std::string prelude();

}  // namespace zetl::random_kernels

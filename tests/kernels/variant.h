// The builds in which every case of the corpus runs, one test a case and build.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernel_case.h"

namespace zetl::kernels {

struct Variant {
    const char* name;
    const char* options;
    bool spirv;
};
// They exercise different instructions, messages and register numbers of the same source.
inline constexpr Variant kVariants[] = {
    {"default", "", true},
    {"optDisable", "-cl-opt-disable -g", false},
    {"largeGrf", "-cl-intel-256-GRF-per-thread", false},
};

/// Registers `suite`.`case`_`variant` for all of a directory; make(file, variant) gives the test.
template <class Make>
void registerCases(const char* suite, const std::filesystem::path& directory, Make make) {
    for (const std::filesystem::path& file : caseFiles(directory))
        for (const Variant& variant : kVariants)
            testing::RegisterTest(suite, fmt::format("{}_{}", file.stem().string(), variant.name).c_str(), nullptr,
                                  nullptr, __FILE__, __LINE__, [=, &variant] { return make(file, variant); });
}

}  // namespace zetl::kernels

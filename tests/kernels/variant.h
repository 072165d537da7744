// The builds in which every case of the corpus runs, one test a case and build.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "device_under_test.h"
#include "kernel_case.h"

namespace zetl::kernels {

struct Variant {
    const char* name;
    const char* options;
    Form form;
};
// They exercise different instructions, messages and register numbers of the same source.
inline constexpr Variant kVariants[] = {
    {"default", "", Form::spirv},
    {"optDisable", "-cl-opt-disable -g", Form::zebin},
    {"largeGrf", "-cl-intel-256-GRF-per-thread", Form::zebin},
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

// The builds and executions that random kernels are compared in.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "isolated_run.h"

namespace zetl::random_kernels {

struct Build {
    const char* name;
    const char* options;
};
inline constexpr Build kBuilds[] = {
    {"default", ""},
    {"simd16", "-DSIMD=16"},
    {"simd32", "-DSIMD=32"},
    {"unoptimised", "-cl-opt-disable -DUNOPTIMISED"},
    {"registers256", "-cl-intel-256-GRF-per-thread"},
    {"simd16-registers256", "-DSIMD=16 -cl-intel-256-GRF-per-thread"},
    {"simd32-registers256", "-DSIMD=32 -cl-intel-256-GRF-per-thread"},
};

struct Execution {
    const char* name;
    const char* translate;
    const char* vectors;
};
inline constexpr Execution kExecutions[] = {
    {"translated", "1", ""}, {"avx512", "0", "avx512"}, {"avx2", "0", "avx2"}, {"sse4", "0", "sse4"}};

/// A directory of this run: caches, which nobody needs afterwards.
class Workspace {
  public:
    Workspace();
    ~Workspace() { clear(); }
    Workspace(const Workspace&) = delete;
    Workspace& operator=(const Workspace&) = delete;
    std::string directory(const char* name) const;
    void clear() const;

  private:
    std::filesystem::path path_;
};

/// PoCL, without optimization: it needs a third of the time, and its errors are fewer.
Setup reference(const Workspace& workspace);

/// What Intel's compiler gets besides a build's options.
struct Compilation {
    std::string options;
    std::vector<std::string> hidden;  ///< functions (hidden_calls.h)
    std::string device = "small";     ///< profile of the emulated device, for which it builds
    std::string fill = "0";           ///< byte that threads find in their own memory, a number
};

Setup emulated(const Build& build, const Execution& execution, const Workspace& workspace,
               const Compilation& compilation = {},
               const std::shared_ptr<Refusals>& refusals = std::make_shared<Refusals>());

}  // namespace zetl::random_kernels

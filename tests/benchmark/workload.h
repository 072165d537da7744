// The traced call that benchmark and instruction count measure, and tracers that do the least.
#pragma once

#include <vector>

#include "support/level_zero.h"

namespace zetl::test {

/// A list to append to, and tracers with both callbacks on that function, enabled.
class Workload {
  public:
    explicit Workload(int tracers);
    ~Workload();
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;

    ze_result_t call() const { return zeCommandListAppendLaunchKernel(list_, kernel_, &groups_, nullptr, 0, nullptr); }

  private:
    ze_command_list_handle_t list_ = Objects::get().list;
    // The fake driver does not look at it.
    ze_kernel_handle_t kernel_ = reinterpret_cast<ze_kernel_handle_t>(list_);
    ze_group_count_t groups_{1, 1, 1};
    std::vector<zel_tracer_handle_t> tracers_;
};

}  // namespace zetl::test

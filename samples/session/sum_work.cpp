#include "session/sum_work.h"

#include <cstdint>

#include "session/check.h"

namespace session {
namespace {

const char* const kSource = R"(
kernel void sums(global const float* a, global const float* b, global float* sum) {
    const size_t i = get_global_id(0);
    sum[i] = a[i] + b[i];
})";

}  // namespace

SumWork::SumWork(const Session& session, std::uint32_t groupCount)
    : kernel(session, kSource, "sums"),
      a(session, groupCount * kGroupSize * sizeof(float)),
      b(session, groupCount * kGroupSize * sizeof(float)),
      sum(session, groupCount * kGroupSize * sizeof(float)),
      groups{groupCount, 1, 1} {
    CHECK(zeKernelSetGroupSize(kernel.kernel, kGroupSize, 1, 1));
    const void* const arguments[] = {a.pointer, b.pointer, sum.pointer};
    for (std::uint32_t i = 0; i < 3; ++i)
        CHECK(zeKernelSetArgumentValue(kernel.kernel, i, sizeof(void*), &arguments[i]));
}

void SumWork::append(ze_command_list_handle_t list) const {
    CHECK(zeCommandListAppendLaunchKernel(list, kernel.kernel, &groups, nullptr, 0, nullptr));
}

}  // namespace session

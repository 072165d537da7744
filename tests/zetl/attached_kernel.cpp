// A program for `zetl trace --attach` to record, whose kernel and filled list are older than the recording. It prints
// "ready", and then, for each line on standard input, launches the kernel by an immediate list and executes the filled
// list, which launches it once more; then it prints "done".
#include <level_zero/ze_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "session/session.h"

namespace {

constexpr const char* kSource = "kernel void made_before(global int* counted) { atomic_inc(counted); }";
constexpr ze_group_count_t kOneGroup{1, 1, 1};

void require(ze_result_t result, const char* what) {
    if (result == ZE_RESULT_SUCCESS) return;
    std::fprintf(stderr, "attached_kernel: %s: %#x\n", what, static_cast<unsigned>(result));
    std::exit(1);
}

ze_command_list_handle_t immediateList(const session::Session& session) {
    ze_command_queue_desc_t queue{};
    queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    queue.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    ze_command_list_handle_t list = nullptr;
    require(zeCommandListCreateImmediate(session.context, session.device, &queue, &list), "an immediate list");
    return list;
}

void prepare(const session::Kernel& kernel, session::Buffer& counted, ze_command_list_handle_t list) {
    require(zeKernelSetGroupSize(kernel.kernel, 16, 1, 1), "the group size");
    require(zeKernelSetArgumentValue(kernel.kernel, 0, sizeof counted.pointer, &counted.pointer), "the argument");
    require(zeCommandListAppendLaunchKernel(list, kernel.kernel, &kOneGroup, nullptr, 0, nullptr), "filling the list");
    require(zeCommandListClose(list), "closing the list");
}

}  // namespace

int main() {
    const session::Session session;
    const session::Kernel kernel(session, kSource, "made_before");
    session::Buffer counted(session, sizeof(std::int32_t));
    const session::Commands filled(session);
    auto* list = filled.list;
    auto* const immediate = immediateList(session);
    prepare(kernel, counted, list);
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        require(zeCommandListAppendLaunchKernel(immediate, kernel.kernel, &kOneGroup, nullptr, 0, nullptr), "a launch");
        require(zeCommandQueueExecuteCommandLists(filled.queue, 1, &list, nullptr), "executing");
        require(zeCommandQueueSynchronize(filled.queue, UINT64_MAX), "waiting for the queue");
        std::cout << "done" << std::endl;
    }
    return zeCommandListDestroy(immediate) == ZE_RESULT_SUCCESS ? 0 : 1;
}

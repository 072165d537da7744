// A program for `zetl trace --attach` to record. It makes its objects first, prints "ready", and then, for each line on
// standard input, allocates memory, and copies once by an immediate list and once by a queue; then it prints "done".
#include <level_zero/ze_api.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

void require(ze_result_t result, const char* what) {
    if (result == ZE_RESULT_SUCCESS) return;
    std::fprintf(stderr, "attached_program: %s: %#x\n", what, static_cast<unsigned>(result));
    std::exit(1);
}

struct Objects {
    ze_context_handle_t context = nullptr;
    ze_device_handle_t device = nullptr;
    ze_command_list_handle_t immediate = nullptr;
    ze_command_list_handle_t list = nullptr;
    ze_command_queue_handle_t queue = nullptr;
};

ze_context_desc_t contextDescription() {
    ze_context_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
    return description;
}

Objects make() {
    Objects made;
    std::uint32_t one = 1;
    ze_driver_handle_t driver = nullptr;
    require(zeInit(0), "zeInit");
    require(zeDriverGet(&one, &driver), "zeDriverGet");
    require(zeDeviceGet(driver, &one, &made.device), "zeDeviceGet");
    const auto context = contextDescription();
    require(zeContextCreate(driver, &context, &made.context), "zeContextCreate");
    ze_command_queue_desc_t queue{};
    queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    ze_command_list_desc_t list{};
    list.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
    queue.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    require(zeCommandListCreateImmediate(made.context, made.device, &queue, &made.immediate), "an immediate list");
    queue.mode = ZE_COMMAND_QUEUE_MODE_DEFAULT;
    require(zeCommandListCreate(made.context, made.device, &list, &made.list), "a list");
    require(zeCommandQueueCreate(made.context, made.device, &queue, &made.queue), "a queue");
    return made;
}

void work(const Objects& objects) {
    constexpr std::size_t kBytes = 4096;
    ze_host_mem_alloc_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
    void* memory = nullptr;
    require(zeMemAllocHost(objects.context, &description, 2 * kBytes, 64, &memory), "zeMemAllocHost");
    auto* const target = static_cast<char*>(memory) + kBytes;
    require(zeCommandListAppendMemoryCopy(objects.immediate, target, memory, kBytes, nullptr, 0, nullptr), "a copy");
    require(zeCommandListReset(objects.list), "resetting");
    require(zeCommandListAppendMemoryCopy(objects.list, target, memory, kBytes, nullptr, 0, nullptr), "a copy");
    require(zeCommandListClose(objects.list), "closing");
    auto list = objects.list;
    require(zeCommandQueueExecuteCommandLists(objects.queue, 1, &list, nullptr), "executing");
    require(zeCommandQueueSynchronize(objects.queue, UINT64_MAX), "waiting for the queue");
    require(zeMemFree(objects.context, memory), "zeMemFree");
}

}  // namespace

int main() {
    const auto objects = make();
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        work(objects);
        std::cout << "done" << std::endl;
    }
    return 0;
}

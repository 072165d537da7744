// A program for `zetl trace` to run: submitting_program SUBMIT WAIT END, on a device that executes. It submits six
// commands in one of the ways that programs submit, learns of their end in one of the ways that programs do, and ends
// in one of the ways that programs end.
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>

namespace {

void require(ze_result_t result, const char* what) {
    if (result == ZE_RESULT_SUCCESS) return;
    std::fprintf(stderr, "submitting_program: %s: 0x%x\n", what, static_cast<unsigned>(result));
    _exit(98);
}
#define REQUIRE(call) require(call, #call)

constexpr int kFills = 5;

struct Objects {
    Objects() {
        REQUIRE(zeInit(0));
        std::uint32_t one = 1;
        REQUIRE(zeDriverGet(&one, &driver));
        REQUIRE(zeDeviceGet(driver, &one, &device));
        const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        REQUIRE(zeContextCreate(driver, &description, &context));
        const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
        const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
        void* memory = nullptr;
        REQUIRE(zeMemAllocShared(context, &onDevice, &onHost, 4096, 64, device, &memory));
        data = static_cast<int*>(memory);
        const ze_event_pool_desc_t pool{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
        ze_event_pool_handle_t made = nullptr;
        REQUIRE(zeEventPoolCreate(context, &pool, 1, &device, &made));
        const ze_event_desc_t signalled{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, 0, ZE_EVENT_SCOPE_FLAG_HOST,
                                        ZE_EVENT_SCOPE_FLAG_HOST};
        REQUIRE(zeEventCreate(made, &signalled, &event));
    }

    ze_driver_handle_t driver = nullptr;
    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    int* data = nullptr;
    ze_event_handle_t event = nullptr;
    ze_command_queue_handle_t queue = nullptr;
    ze_command_list_handle_t list = nullptr;
    ze_fence_handle_t fence = nullptr;
};

/// Five fills, and a barrier that signals the event.
void append(Objects& objects, ze_command_list_handle_t list) {
    for (int i = 0; i < kFills; ++i)
        REQUIRE(zeCommandListAppendMemoryFill(list, objects.data + i, &i, sizeof i, sizeof i, nullptr, 0, nullptr));
    REQUIRE(zeCommandListAppendBarrier(list, objects.event, 0, nullptr));
}

void immediate(Objects& objects, ze_command_queue_mode_t mode, ze_command_queue_flags_t flags = 0) {
    const ze_command_queue_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, nullptr, 0, 0, flags, mode,
                                              ZE_COMMAND_QUEUE_PRIORITY_NORMAL};
    REQUIRE(zeCommandListCreateImmediate(objects.context, objects.device, &description, &objects.list));
    append(objects, objects.list);
}

ze_command_list_handle_t closedList(Objects& objects) {
    const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, 0};
    ze_command_list_handle_t list = nullptr;
    REQUIRE(zeCommandListCreate(objects.context, objects.device, &description, &list));
    append(objects, list);
    REQUIRE(zeCommandListClose(list));
    return list;
}

void queue(Objects& objects, ze_command_queue_mode_t mode) {
    const ze_command_queue_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, nullptr, 0, 0, 0, mode,
                                              ZE_COMMAND_QUEUE_PRIORITY_NORMAL};
    REQUIRE(zeCommandQueueCreate(objects.context, objects.device, &description, &objects.queue));
    const ze_fence_desc_t fence{ZE_STRUCTURE_TYPE_FENCE_DESC, nullptr, 0};
    REQUIRE(zeFenceCreate(objects.queue, &fence, &objects.fence));
    auto list = closedList(objects);
    REQUIRE(zeCommandQueueExecuteCommandLists(objects.queue, 1, &list, objects.fence));
}

const std::map<std::string_view, std::function<void(Objects&)>> kSubmits = {
    {"synchronous", [](Objects& all) { immediate(all, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS); }},
    {"asynchronous", [](Objects& all) { immediate(all, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS); }},
    {"default", [](Objects& all) { immediate(all, ZE_COMMAND_QUEUE_MODE_DEFAULT); }},
    {"ordered",
     [](Objects& all) { immediate(all, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER); }},
    {"orderedSynchronous",
     [](Objects& all) { immediate(all, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, ZE_COMMAND_QUEUE_FLAG_IN_ORDER); }},
    {"queue", [](Objects& all) { queue(all, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS); }},
    {"synchronousQueue", [](Objects& all) { queue(all, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS); }},
};

/// Loaders before 1.9 have no function that waits for a list.
void synchronize(Objects& all) {
    using Wait = ze_result_t (*)(ze_command_list_handle_t, std::uint64_t);
    const auto wait = reinterpret_cast<Wait>(dlsym(RTLD_DEFAULT, "zeCommandListHostSynchronize"));
    if (all.queue)
        REQUIRE(zeCommandQueueSynchronize(all.queue, UINT64_MAX));
    else if (wait)
        REQUIRE(wait(all.list, UINT64_MAX));
    else
        REQUIRE(zeEventHostSynchronize(all.event, UINT64_MAX));
}

void poll(Objects& all) {
    while (zeEventQueryStatus(all.event) != ZE_RESULT_SUCCESS) std::this_thread::yield();
}

/// What the device wrote tells that it was there; no call does.
void look(Objects& all) {
    while (*const_cast<volatile int*>(all.data + kFills - 1) != kFills - 1) std::this_thread::yield();
}

const std::map<std::string_view, std::function<void(Objects&)>> kWaits = {
    {"none", [](Objects&) {}},
    {"stream", synchronize},
    {"event", [](Objects& all) { REQUIRE(zeEventHostSynchronize(all.event, UINT64_MAX)); }},
    {"poll", poll},
    {"fence", [](Objects& all) { all.fence ? REQUIRE(zeFenceHostSynchronize(all.fence, UINT64_MAX)) : poll(all); }},
    {"memory", look},
};

void destroy(Objects& all) {
    if (all.fence) REQUIRE(zeFenceDestroy(all.fence));
    if (all.queue) REQUIRE(zeCommandQueueDestroy(all.queue));
    if (all.list) REQUIRE(zeCommandListDestroy(all.list));
}

const std::map<std::string_view, std::function<void(Objects&)>> kEnds = {
    {"return", [](Objects&) {}},
    {"destroy",
     [](Objects& all) {
         destroy(all);
         _exit(0);
     }},
    {"thread", [](Objects&) { std::thread([] { std::exit(0); }).join(); }},
    {"quick", [](Objects&) { std::quick_exit(0); }},
    {"_exit", [](Objects&) { _exit(0); }},
    {"kill", [](Objects&) { raise(SIGKILL); }},
    {"abort", [](Objects&) { std::abort(); }},
};

}  // namespace

int main(int, char** argv) {
    Objects objects;
    objects.data[kFills - 1] = -1;
    kSubmits.at(argv[1])(objects);
    kWaits.at(argv[2])(objects);
    kEnds.at(argv[3])(objects);
    return 0;
}

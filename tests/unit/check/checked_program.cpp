#include "checked_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "module/compiled.h"

namespace zetl::emulator::driver::test {
namespace {

constexpr const char* kSource =
    "kernel void writes(global int* o) { o[get_global_id(0)] = get_global_id(0); }\n"
    "kernel void reads(global int* o, global const int* a) { o[get_global_id(0)] = a[63 - get_global_id(0)]; }\n"
    "kernel void changes(global int* o) { o[get_global_id(0)] += 1; }\n"
    "kernel void adds(global int* o) { atomic_inc(o); }\n";

}  // namespace

void CheckedProgramTest::SetUp() {
    DriverTest::SetUp();
    findings();
}

void CheckedProgramTest::TearDown() {
    for (const auto& [number, list] : lists_) CALL(zeCommandListHostSynchronize)(list, UINT64_MAX);
    for (const auto& [number, queue] : queues_) CALL(zeCommandQueueSynchronize)(queue, UINT64_MAX);
    for (const auto& [name, kernel] : kernels_) CALL(zeKernelDestroy)(kernel);
    if (module_) CALL(zeModuleDestroy)(module_);
    for (const auto& [number, list] : lists_) CALL(zeCommandListDestroy)(list);
    for (const ze_command_list_handle_t list : regular_) CALL(zeCommandListDestroy)(list);
    for (const auto& [number, queue] : queues_) CALL(zeCommandQueueDestroy)(queue);
    for (const auto& [name, event] : events_) CALL(zeEventDestroy)(event);
    if (pool_) CALL(zeEventPoolDestroy)(pool_);
    for (const auto& [name, memory] : memories_) CALL(zeMemFree)(context, memory);
    DriverTest::TearDown();
}

ze_command_list_handle_t CheckedProgramTest::list(int number, Order order) {
    ze_command_list_handle_t& list = lists_[number];
    if (list != nullptr) return list;
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    description.flags = order == Order::inOrder ? ZE_COMMAND_QUEUE_FLAG_IN_ORDER : 0;
    EXPECT_OK(CALL(zeCommandListCreateImmediate)(context, itsDevice(), &description, &list));
    return list;
}

ze_command_queue_handle_t CheckedProgramTest::queue(int number) {
    ze_command_queue_handle_t& queue = queues_[number];
    if (queue != nullptr) return queue;
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
    EXPECT_OK(CALL(zeCommandQueueCreate)(context, itsDevice(), &description, &queue));
    return queue;
}

ze_event_pool_handle_t CheckedProgramTest::pool() {
    constexpr std::uint32_t kEvents = 16;
    const ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                           kEvents};
    if (pool_ != nullptr) return pool_;
    EXPECT_OK(CALL(zeEventPoolCreate)(context, &description, 0, nullptr, &pool_));
    return pool_;
}

ze_event_handle_t CheckedProgramTest::event(const std::string& name) {
    ze_event_handle_t& event = events_[name];
    const ze_event_desc_t description{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, eventCount_, ZE_EVENT_SCOPE_FLAG_HOST,
                                      ZE_EVENT_SCOPE_FLAG_HOST};
    if (event == nullptr) {
        EXPECT_OK(CALL(zeEventCreate)(pool(), &description, &event));
        ++eventCount_;
    }
    return event;
}

char* CheckedProgramTest::device(const std::string& name) {
    char*& memory = memories_[name];
    if (memory != nullptr) return memory;
    const ze_device_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    void* made = nullptr;
    EXPECT_OK(CALL(zeMemAllocDevice)(context, &description, 256, 64, itsDevice(), &made));
    return memory = static_cast<char*>(made);
}

char* CheckedProgramTest::shared(const std::string& name) {
    char*& memory = memories_[name];
    if (memory != nullptr) return memory;
    const ze_device_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* made = nullptr;
    EXPECT_OK(CALL(zeMemAllocShared)(context, &description, &onHost, 256, 64, itsDevice(), &made));
    return memory = static_cast<char*>(made);
}

ze_module_handle_t CheckedProgramTest::module() {
    if (module_ != nullptr) return module_;
    const auto& binary = emulator::module::compiled(kSource, "-cl-std=CL2.0", true);
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, binary.size(), binary.data(), "", nullptr};
    EXPECT_OK(CALL(zeModuleCreate)(context, itsDevice(), &description, &module_, nullptr));
    return module_;
}

ze_kernel_handle_t CheckedProgramTest::kernel(const std::string& name) {
    ze_kernel_handle_t& kernel = kernels_[name];
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name.c_str()};
    if (kernel == nullptr) {
        EXPECT_OK(CALL(zeKernelCreate)(module(), &description, &kernel));
        EXPECT_OK(CALL(zeKernelSetGroupSize)(kernel, 64, 1, 1));
    }
    return kernel;
}

void CheckedProgramTest::copy(ze_command_list_handle_t to, void* target, const void* source, std::size_t bytes,
                              ze_event_handle_t signal, std::vector<ze_event_handle_t> waits) {
    EXPECT_OK(CALL(zeCommandListAppendMemoryCopy)(to, target, source, bytes, signal,
                                                  static_cast<std::uint32_t>(waits.size()), waits.data()));
}

void CheckedProgramTest::fill(ze_command_list_handle_t to, void* target, std::size_t bytes, ze_event_handle_t signal) {
    const char one = 1;
    EXPECT_OK(CALL(zeCommandListAppendMemoryFill)(to, target, &one, 1, bytes, signal, 0, nullptr));
}

void CheckedProgramTest::barrier(ze_command_list_handle_t to) {
    EXPECT_OK(CALL(zeCommandListAppendBarrier)(to, nullptr, 0, nullptr));
}

void CheckedProgramTest::signal(ze_command_list_handle_t to, const std::string& name) {
    EXPECT_OK(CALL(zeCommandListAppendSignalEvent)(to, event(name)));
}

void CheckedProgramTest::wait(ze_command_list_handle_t to, const std::string& name) {
    ze_event_handle_t awaited = event(name);
    EXPECT_OK(CALL(zeCommandListAppendWaitOnEvents)(to, 1, &awaited));
}

void CheckedProgramTest::hostWait(const std::string& name) {
    EXPECT_OK(CALL(zeEventHostSynchronize)(event(name), UINT64_MAX));
}

void CheckedProgramTest::hostReset(const std::string& name) { EXPECT_OK(CALL(zeEventHostReset)(event(name))); }

void CheckedProgramTest::finish(ze_command_list_handle_t which) {
    EXPECT_OK(CALL(zeCommandListHostSynchronize)(which, UINT64_MAX));
}

void CheckedProgramTest::launch(ze_command_list_handle_t to, const std::string& name, std::vector<void*> arguments) {
    const ze_kernel_handle_t which = kernel(name);
    for (std::uint32_t i = 0; i < arguments.size(); ++i)
        EXPECT_OK(CALL(zeKernelSetArgumentValue)(which, i, sizeof(void*), &arguments[i]));
    const ze_group_count_t one{1, 1, 1};
    EXPECT_OK(CALL(zeCommandListAppendLaunchKernel)(to, which, &one, nullptr, 0, nullptr));
}

ze_command_list_handle_t CheckedProgramTest::closed(const std::function<void(ze_command_list_handle_t)>& append) {
    const ze_command_list_desc_t description{ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, nullptr, 0, 0};
    ze_command_list_handle_t made = nullptr;
    EXPECT_OK(CALL(zeCommandListCreate)(context, itsDevice(), &description, &made));
    regular_.push_back(made);
    append(made);
    EXPECT_OK(CALL(zeCommandListClose)(made));
    return made;
}

void CheckedProgramTest::execute(ze_command_queue_handle_t on, ze_command_list_handle_t what, ze_fence_handle_t fence) {
    EXPECT_OK(CALL(zeCommandQueueExecuteCommandLists)(on, 1, &what, fence));
}

std::vector<zetl::check::Finding> CheckedProgramTest::findings() {
    static std::streamoff read = 0;
    std::ifstream file(std::string(getenv("ZETL_CHECK_OUTPUT")) + "/" + std::to_string(getpid()) + ".jsonl");
    file.seekg(read);
    std::vector<zetl::check::Finding> found;
    for (std::string line; std::getline(file, line);) {
        read += static_cast<std::streamoff>(line.size()) + 1;
        auto one = zetl::check::fromJson(line);
        EXPECT_TRUE(one) << line;
        if (one) found.push_back(*std::move(one));
    }
    return found;
}

bool CheckedProgramTest::isAlone() {
    int others = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream file(task.path() / "comm");
        std::string name;
        std::getline(file, name);
        others += name.starts_with("zetl") ? 0 : 1;
    }
    return others == 1;
}

}  // namespace zetl::emulator::driver::test

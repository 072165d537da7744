// A program for `zetl trace` to run: traced_program SCENARIO, on the fake driver. Scenarios end in the ways that
// programs end.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "support/level_zero.h"

namespace {

using zetl::test::Objects;

void allocate(unsigned times) {
    const auto& objects = Objects::get();
    ze_device_mem_alloc_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    for (unsigned i = 0; i < times; ++i) {
        void* pointer = nullptr;
        zeMemAllocDevice(objects.context, &description, 4096, 64, objects.device, &pointer);
        zeMemFree(objects.context, pointer);
    }
}

/// Ten allocations, a kernel, a launch of 2 x 3 x 4 groups, and one failing call.
void ordinary() {
    const auto& objects = Objects::get();
    allocate(10);
    ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "matrix_product"};
    ze_kernel_handle_t kernel = nullptr;
    ze_module_handle_t module = nullptr;
    ze_module_desc_t moduleDescription{};
    moduleDescription.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    zeModuleCreate(objects.context, objects.device, &moduleDescription, &module, nullptr);
    zeKernelCreate(module, &description, &kernel);
    const ze_group_count_t groups{2, 3, 4};
    zeCommandListAppendLaunchKernel(objects.list, kernel, &groups, nullptr, 0, nullptr);
    auto& driver = *zetl::test::fakeDriver();
    driver.results[zetl::test::slotOf("zeCommandListClose")] = ZE_RESULT_ERROR_DEVICE_LOST;
    driver.armed = true;
    zeCommandListClose(objects.list);
    zeKernelDestroy(kernel);
    zeModuleDestroy(module);
}

/// A launch that follows another call than the one that made its kernel.
void launchedLater() {
    const auto& objects = Objects::get();
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "matrix_product"};
    ze_module_desc_t moduleDescription{};
    moduleDescription.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    ze_module_handle_t module = nullptr;
    zeModuleCreate(objects.context, objects.device, &moduleDescription, &module, nullptr);
    ze_kernel_handle_t kernel = nullptr;
    zeKernelCreate(module, &description, &kernel);
    int numbers[2] = {};
    zeCommandListAppendMemoryCopy(objects.list, &numbers[0], &numbers[1], sizeof(int), nullptr, 0, nullptr);
    zeKernelSetGroupSize(kernel, 1, 1, 1);
    const ze_group_count_t groups{1, 1, 1};
    zeCommandListAppendLaunchKernel(objects.list, kernel, &groups, nullptr, 0, nullptr);
}

void threads() {
    Objects::get();
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i)
        all.emplace_back([i] {
            pthread_setname_np(pthread_self(), ("worker " + std::to_string(i)).c_str());
            allocate(2000);
        });
    for (auto& each : all) each.join();
}

/// More threads, one after the other, than there would be chunks for if each kept its own.
void shortThreads() {
    Objects::get();
    for (int i = 0; i < 2000; ++i) std::thread(allocate, 1).join();
}

void many() { allocate(20'000); }

void crashInCall() {
    Objects::get();
    allocate(3);
    auto& driver = *zetl::test::fakeDriver();
    driver.hook = [](int) { raise(SIGSEGV); };
    driver.armed = true;
    allocate(1);
}

void leaveAtOnce() {
    allocate(3);
    _exit(7);
}

void killed() {
    allocate(3);
    raise(SIGKILL);
}

/// The parent makes three allocations, the child five of its own, and threads are busy while the fork happens.
void forked() {
    allocate(3);
    std::thread busy(allocate, 2000);
    const pid_t child = fork();
    if (child == 0) {
        allocate(5);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    busy.join();
    if (status != 0) std::exit(1);
}

void replaced() {
    allocate(3);
    execl("/proc/self/exe", "traced_program", "ordinary", nullptr);
}

/// Three allocations, then a command that the test names, then five.
void resumed() {
    allocate(3);
    if (std::system(std::getenv("ZETL_TEST_COMMAND")) != 0) std::exit(1);
    allocate(5);
}

void nothing() {}

/// Whether or not there is a device.
void initialise() { zeInit(0); }

/// With a library beside it that the test names.
void initialiseBeside() {
    if (!dlopen(std::getenv("ZETL_TEST_COMMAND"), RTLD_NOW)) std::exit(1);
    zeInit(0);
}

}  // namespace

int main(int, char** argv) {
    const std::map<std::string, void (*)()> scenarios = {
        {"ordinary", ordinary},
        {"threads", threads},
        {"shortThreads", shortThreads},
        {"many", many},
        {"crashInCall", crashInCall},
        {"leaveAtOnce", leaveAtOnce},
        {"killed", killed},
        {"forked", forked},
        {"replaced", replaced},
        {"launchedLater", launchedLater},
        {"nothing", nothing},
        {"initialise", initialise},
        {"resumed", resumed},
        {"initialiseBeside", initialiseBeside},
    };
    const auto found = scenarios.find(argv[1] ? argv[1] : "");
    if (found == scenarios.end()) return 99;
    std::puts("traced_program runs");
    std::fflush(stdout);
    found->second();
    return 0;
}

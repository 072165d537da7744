// A program to debug: its kernel runs until standard input ends, or until a debugger writes to its flag. Prints the
// address of the flag that the kernel reads, and the address of a message of 16 bytes in shared memory. Exit code 0:
// the kernel ended.
#include <level_zero/ze_api.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <thread>

#include "session/check.h"
#include "session/session.h"

namespace {

const char* const kSource = R"(
kernel void wait(global volatile uint* flag) {
    while (*flag == 0)
        ;
})";

/// Memory that has the same address for the program, its kernels and a debugger.
char* sharedMemory(const session::Session& session, std::size_t bytes) {
    const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* memory = nullptr;
    CHECK(zeMemAllocShared(session.context, &onDevice, &onHost, bytes, 64, session.device, &memory));
    return static_cast<char*>(memory);
}

void awaitEndOfInput() {
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) continue;
}

}  // namespace

int main() {
    const session::Session session;
    session::Commands commands(session);
    const session::Kernel wait(session, kSource, "wait");
    char* const message = sharedMemory(session, 128);
    auto* const flag = reinterpret_cast<volatile std::uint32_t*>(message + 64);
    std::strcpy(message, "sixteen bytes!!");

    CHECK(zeKernelSetGroupSize(wait.kernel, 64, 1, 1));
    CHECK(zeKernelSetArgumentValue(wait.kernel, 0, sizeof flag, &flag));
    const ze_group_count_t groups{4, 1, 1};
    CHECK(zeCommandListAppendLaunchKernel(commands.list, wait.kernel, &groups, nullptr, 0, nullptr));
    std::printf("debuggee: pid %d, message %p, flag %p\n", getpid(), static_cast<void*>(message),
                static_cast<void*>(message + 64));
    std::fflush(stdout);
    std::thread([flag] {
        awaitEndOfInput();
        *flag = 1;
    }).detach();
    commands.run();
    CHECK(zeMemFree(session.context, message));
    return 0;
}

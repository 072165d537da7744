// The emulated GPU and the life of processes: sharing, fork, exit with work in flight, a neighbour that is killed.
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

/// Runs `body` in a child forked before any Level Zero call; the child's expectations decide its exit code.
pid_t inChild(const std::function<void(int)>& body, int& socket) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        body(ends[1]);
        std::exit(testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed() ? 1 : 0);
    }
    close(ends[1]);
    socket = ends[0];
    return child;
}

int exitCode(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Sends a handle, with the descriptor in its first bytes as ancillary data if `descriptor`.
template <class H>
void sendHandle(int socket, const H& handle, bool descriptor) {
    int number = 0;
    std::memcpy(&number, &handle, sizeof number);
    iovec bytes{const_cast<H*>(&handle), sizeof handle};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof number)] = {};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    if (descriptor) {
        message.msg_control = control;
        message.msg_controllen = sizeof control;
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof number);
        std::memcpy(CMSG_DATA(header), &number, sizeof number);
    }
    ASSERT_EQ(sendmsg(socket, &message, 0), static_cast<ssize_t>(sizeof handle));
}

template <class H>
H receiveHandle(int socket) {
    H handle{};
    iovec bytes{&handle, sizeof handle};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    EXPECT_EQ(recvmsg(socket, &message, 0), static_cast<ssize_t>(sizeof handle));
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message)) std::memcpy(&handle, CMSG_DATA(header), sizeof(int));
    return handle;
}

void byteTo(int socket) { ASSERT_EQ(write(socket, "x", 1), 1); }
void byteFrom(int socket) {
    char byte;
    ASSERT_EQ(read(socket, &byte, 1), 1);
}

/// A child opens memory and event pool of this process, writes the one with a kernel and signals the other.
void shareWithChild(bool descriptors) {
    int socket = -1;
    const pid_t child = inChild(
        [](int peer) {
            const auto memory = receiveHandle<ze_ipc_mem_handle_t>(peer);
            const auto events = receiveHandle<ze_ipc_event_pool_handle_t>(peer);
            const Gpu gpu;
            void* opened = nullptr;
            ASSERT_OK(zeMemOpenIpcHandle(gpu.context(), gpu.device(), memory, 0, &opened));
            ze_event_pool_handle_t pool = nullptr;
            ASSERT_OK(zeEventPoolOpenIpcHandle(gpu.context(), events, &pool));
            const auto kernel = gpu.kernel("writeIds", 64);
            Gpu::arguments(kernel, static_cast<std::uint32_t*>(opened), std::uint32_t{5});
            const auto list = gpu.immediate();
            ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, Gpu::event(pool, 1), 0, nullptr));
            ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
            EXPECT_OK(zeMemCloseIpcHandle(gpu.context(), opened));
            EXPECT_OK(zeEventPoolCloseIpcHandle(pool));
            byteFrom(peer);
        },
        socket);
    const Gpu gpu;
    auto* data = gpu.device<std::uint32_t>(64);
    const auto pool = gpu.pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC);
    const auto event = Gpu::event(pool, 1);
    ze_ipc_mem_handle_t memory;
    ze_ipc_event_pool_handle_t events;
    ASSERT_OK(zeMemGetIpcHandle(gpu.context(), data, &memory));
    ASSERT_OK(zeEventPoolGetIpcHandle(pool, &events));
    sendHandle(socket, memory, descriptors);
    sendHandle(socket, events, descriptors);
    ASSERT_OK(zeEventHostSynchronize(event, 20'000'000'000));
    std::uint32_t back[64] = {};
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, back, data, sizeof back, nullptr, 0, nullptr));
    EXPECT_EQ(back[63], 315u);
    byteTo(socket);
    EXPECT_EQ(exitCode(child), 0);
}

SCENARIO(sharesMemoryByDescriptor) { shareWithChild(true); }
TEST(Processes, SharesMemoryByDescriptor) { EXPECT_RUNS(emulated("sharesMemoryByDescriptor")); }
SCENARIO(sharesMemoryByPlainBytes) { shareWithChild(false); }
TEST(Processes, SharesMemoryByPlainBytes) { EXPECT_RUNS(emulated("sharesMemoryByPlainBytes")); }

SCENARIO(aForkedChildIsTold) {
    const Gpu gpu;
    const auto event = Gpu::event(gpu.pool(1));
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    const pid_t child = fork();
    if (child == 0) {
        const bool told = zeCommandListAppendBarrier(list, nullptr, 0, nullptr) == ZE_RESULT_ERROR_DEVICE_LOST &&
                          zeEventHostSynchronize(event, UINT64_MAX) == ZE_RESULT_ERROR_DEVICE_LOST;
        _exit(told ? 0 : 1);
    }
    EXPECT_EQ(exitCode(child), 0);
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    EXPECT_OK(gpu.synchronize(list, UINT64_MAX)) << "the parent is not disturbed";
}
TEST(Processes, AForkedChildIsTold) { EXPECT_RUNS(emulated("aForkedChildIsTold")); }

SCENARIO(exitsUnderAnEndlessKernel) {
    const Gpu gpu;
    auto* never = gpu.shared(1);
    *never = 0;
    const auto kernel = gpu.kernel("spin", 32);
    Gpu::arguments(kernel, never);
    const ze_group_count_t many{64, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(gpu.immediate(), kernel, &many, nullptr, 0, nullptr));
    // A wait for an event that nobody will signal is in flight as well.
    auto event = Gpu::event(gpu.pool(1));
    ASSERT_OK(zeCommandListAppendWaitOnEvents(gpu.immediate(), 1, &event));
}
TEST(Processes, ExitsUnderAnEndlessKernel) {
    const Outcome outcome = emulated("exitsUnderAnEndlessKernel").run(std::chrono::seconds(20));
    EXPECT_TRUE(outcome.good()) << outcome;
}

/// What runs behind the static destructors of every library that the process opened since it was made.
struct AtExit {
    std::function<bool()> works;
    ~AtExit() {
        if (!works()) _exit(1);
    }
};

SCENARIO(launchesInAStaticDestructor) {
    static AtExit atExit;
    const Gpu gpu;
    const auto module = gpu.module();
    const auto values = gpu.shared<std::uint32_t>(64);
    const auto runs = [=](const char* name, const auto&... arguments) {
        const auto kernel = Gpu::kernelOf(module, name, 64);
        Gpu::arguments(kernel, values, arguments...);
        const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        return zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr) == ZE_RESULT_SUCCESS;
    };
    ASSERT_TRUE(runs("writeIds", std::uint32_t{1}));
    // Another kernel, whose code is looked at for the first time then.
    atExit.works = [=] { return runs("count") && values[0] == 64; };
}
TEST(Processes, LaunchesInAStaticDestructor) { EXPECT_RUNS(emulated("launchesInAStaticDestructor")); }

SCENARIO(destroysWhatRuns) {
    const Gpu gpu;
    auto* stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin");
    Gpu::arguments(kernel, stop);
    const auto list = gpu.immediate();
    const auto pool = gpu.pool(1);
    const auto event = Gpu::event(pool);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, 0, nullptr));
    EXPECT_OK(zeCommandListDestroy(list));
    EXPECT_OK(zeKernelDestroy(kernel));
    EXPECT_OK(zeEventDestroy(event));
    EXPECT_OK(zeEventPoolDestroy(pool));
    *stop = 1;
    EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_ERROR_INVALID_NULL_HANDLE) << "a stale handle is recognised";
}
TEST(Processes, DestroysWhatRuns) { EXPECT_RUNS(emulated("destroysWhatRuns")); }

SCENARIO(aNeighbourIsKilled) {
    int socket = -1;
    const pid_t child = inChild(
        [](int peer) {
            const Gpu gpu;
            auto* never = gpu.shared(1);
            *never = 0;
            const auto kernel = gpu.kernel("spin");
            Gpu::arguments(kernel, never);
            EXPECT_OK(zeCommandListAppendLaunchKernel(gpu.immediate(), kernel, &kOneGroup, nullptr, 0, nullptr));
            byteTo(peer);
            pause();
        },
        socket);
    byteFrom(socket);
    ASSERT_EQ(kill(child, SIGKILL), 0);
    EXPECT_EQ(exitCode(child), -SIGKILL);
    const Gpu gpu;
    auto* counter = gpu.shared(1);
    *counter = 0;
    const auto kernel = gpu.kernel("count", 32);
    Gpu::arguments(kernel, counter);
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_EQ(*counter, 32);
}
TEST(Processes, ANeighbourIsKilled) { EXPECT_RUNS(emulated("aNeighbourIsKilled")); }

SCENARIO(aThousandContexts) {
    const Gpu first;
    std::vector<ze_context_handle_t> contexts(1000);
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    for (auto& context : contexts) {
        ASSERT_OK(zeContextCreate(first.driver(), &description, &context));
        ze_command_queue_desc_t queue{};
        queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        ze_command_list_handle_t list = nullptr;
        ASSERT_OK(zeCommandListCreateImmediate(context, first.device(), &queue, &list));
        ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
        ASSERT_OK(first.synchronize(list, UINT64_MAX));
        ASSERT_OK(zeCommandListDestroy(list));
    }
    for (auto* context : contexts) ASSERT_OK(zeContextDestroy(context));
}
TEST(Processes, AThousandContexts) { EXPECT_RUNS(emulated("aThousandContexts")); }

}  // namespace
}  // namespace zetl::test

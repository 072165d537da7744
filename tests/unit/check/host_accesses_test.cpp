// What the program itself reads and writes while a command is executed.
#include "emulator/driver/execution/host_accesses.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "unit/driver/direct.h"

namespace zetl::emulator::driver::test {
namespace {

TEST(HostAccesses, AreSeenWhileAnotherThreadExecutesACommand) {
    if (!ProtectionKey::take()) GTEST_SKIP() << "no protection keys";
    HostAccesses accesses;
    alignas(4096) static volatile char memory[2 * 4096];
    const auto begin = reinterpret_cast<std::uint64_t>(&memory[0]);
    accesses.watch(begin, sizeof memory, 1);
    std::thread([&] {
        const std::uint32_t rights = accesses.open();
        memory[5] = 3;
        std::thread([&] { EXPECT_EQ(memory[4096 + 7], 0); }).join();  // it has the rights of its maker
        accesses.close(rights);
    }).join();
    EXPECT_TRUE(accesses.take().empty()) << "of the thread that executes";

    const std::uint32_t rights = accesses.open();
    accesses.close(rights);
    EXPECT_EQ(memory[5], 3);
    memory[4096 + 7] = 1;
    memory[4096 + 8] = 1;  // the page is open by now
    const auto seen = accesses.take();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].address, begin + 5);
    EXPECT_FALSE(seen[0].write);
    EXPECT_EQ(seen[1].address, begin + 4096 + 7);
    EXPECT_TRUE(seen[1].write);
    accesses.forget(0);
    memory[6] = 1;
    EXPECT_TRUE(accesses.take().empty());
}

/// The page that a thread touched is open again before the handler looks for it.
TEST(HostAccesses, PagesMayOpenWhileTheyAreTouched) {
    constexpr std::uint64_t kTurns = 20000;
    static HostAccesses accesses;
    alignas(4096) static volatile char memory[4096];
    const auto begin = reinterpret_cast<std::uint64_t>(&memory[0]);
    std::atomic<bool> done{false};
    std::thread watcher([&] {
        for (std::uint64_t turn = 0; turn < kTurns; ++turn) {
            accesses.watch(begin, sizeof memory, turn + 1);
            accesses.forget(begin);
        }
        done = true;
    });
    const auto touch = [&](std::uint64_t from) {  // every other byte: the page is shared, but no byte is
        for (std::uint64_t at = from; !done; at += 2) memory[at % sizeof memory] = 1;
    };
    std::thread another(touch, 1);
    touch(0);  // a fault that is taken for the program's own ends the process
    another.join();
    watcher.join();
}

/// What the kernel says of an access to a closed page, to this thread.
void sayThatItTouched(const volatile char* place) {
    siginfo_t info{};
    info.si_signo = SIGSEGV;
    info.si_code = SEGV_ACCERR;
    info.si_addr = const_cast<char*>(place);
    ASSERT_EQ(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGSEGV, &info), 0);
}

/// A busy host may leave so much time between each access and the handler.
TEST(HostAccesses, APageMayBeGivenBackMeanwhileTwiceInARow) {
    static HostAccesses accesses;
    alignas(4096) static volatile char memory[4096];
    const auto begin = reinterpret_cast<std::uint64_t>(&memory[0]);
    const auto handler = [] {
        struct sigaction now {};
        EXPECT_EQ(sigaction(SIGSEGV, nullptr, &now), 0);
        return now.sa_sigaction;
    };
    accesses.watch(begin, sizeof memory, 1);
    const auto ours = handler();
    for (std::uint64_t command = 2; command < 4; ++command) {
        accesses.forget(begin);
        sayThatItTouched(&memory[5]);
        EXPECT_EQ(handler(), ours) << "it was passed on as a fault of the program's own";
        accesses.watch(begin, sizeof memory, command);
    }
    accesses.forget(begin);
    EXPECT_TRUE(accesses.take().empty());
}

/// Memory that nobody watches is none of ours.
TEST(HostAccessesDeathTest, OthersClosedPagesEndTheProcess) {
    static HostAccesses accesses;
    alignas(4096) static volatile char memory[4096];
    accesses.watch(reinterpret_cast<std::uint64_t>(&memory[0]), sizeof memory, 1);
    auto* const closed =
        static_cast<volatile char*>(mmap(nullptr, sizeof memory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_DEATH(closed[5] = 1, "");
    munmap(const_cast<char*>(closed), sizeof memory);
    accesses.forget(0);
}

}  // namespace
}  // namespace zetl::emulator::driver::test

// What the program itself reads and writes while a command is executed.
#include "emulator/driver/execution/host_accesses.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace zetl::emulator::driver::test

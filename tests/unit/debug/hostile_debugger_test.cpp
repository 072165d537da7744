// A debugger that was admitted and sends what no debugger would: nothing is read or written beyond what its messages
// carry and what the device has.
#include <gtest/gtest.h>

#include "support/debug_wire.h"

namespace zetl::debug {
namespace {

namespace fake = test::fake;

class HostileDebugger : public testing::Test {
  protected:
    HostileDebugger() {
        fake::map(0x10000, std::string(64, 'c'));
        EXPECT_TRUE(peer_.introduce());
        fake::stopThread(0, ZETL_STOP_BREAKPOINT);
    }
    static wire::Message request(wire::Kind kind) {
        wire::Message message;
        message.head.kind = kind;
        return message;
    }
    static wire::Message registers(wire::Kind kind, std::uint32_t type, std::uint32_t first, std::uint32_t count) {
        auto message = request(kind);
        message.head.type = type;
        message.head.first = first;
        message.head.count = count;
        return message;
    }
    ServedDebugger peer_;
};

TEST_F(HostileDebugger, RegistersThatDoNotFitTheAnswerAreNotRead) {
    auto read = registers(wire::Kind::readRegisters, fake::kGeneral, 0, 8);
    for (const std::uint64_t length :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{511}, std::uint64_t{513}, std::uint64_t{UINT64_MAX}}) {
        read.head.length = length;
        EXPECT_EQ(peer_.ask(read).status, ZETL_MISUSE) << length;
    }
    EXPECT_EQ(fake::calls("read_registers"), 0);
    read.head.length = 512;
    const auto answer = peer_.ask(read);
    EXPECT_EQ(answer.status, ZETL_OK);
    EXPECT_EQ(answer.message.payload.size(), 512u);
}

TEST_F(HostileDebugger, RegistersThatTheMessageDoesNotCarryAreNotWritten) {
    auto write = registers(wire::Kind::writeRegisters, fake::kGeneral, 0, 8);
    for (const std::size_t bytes : {0, 1, 511, 513}) {
        write.payload.assign(bytes, std::byte{1});
        EXPECT_EQ(peer_.ask(write).status, ZETL_MISUSE) << bytes;
    }
    EXPECT_EQ(fake::calls("write_registers"), 0);
    write.payload.assign(512, std::byte{1});
    EXPECT_EQ(peer_.ask(write).status, ZETL_OK);
}

TEST_F(HostileDebugger, RegistersThatTheSetDoesNotHaveAreRefused) {
    constexpr std::uint32_t kMost = UINT32_MAX;
    const std::pair<std::uint32_t, std::uint32_t> ranges[] = {{8, 0},     {8, 1},     {7, 2},        {0, 9},
                                                              {kMost, 1}, {1, kMost}, {kMost, kMost}};
    for (const auto& [first, count] : ranges) {
        auto read = registers(wire::Kind::readRegisters, fake::kGeneral, first, count);
        read.head.length = std::min<std::uint64_t>(std::uint64_t{count} * 64, wire::kPayload);
        EXPECT_EQ(peer_.ask(read).status, ZETL_MISUSE) << first << "+" << count;
    }
    for (const std::uint32_t type : {0u, 2u, 99u, 257u, kMost}) {
        auto read = registers(wire::Kind::readRegisters, type, 0, 1);
        read.head.length = 64;
        EXPECT_EQ(peer_.ask(read).status, ZETL_MISUSE) << type;
        EXPECT_EQ(peer_.ask(registers(wire::Kind::writeRegisters, type, 0, 1)).status, ZETL_MISUSE) << type;
    }
}

TEST_F(HostileDebugger, MemoryThatWrapsAroundOrIsTooMuchIsRefused) {
    for (const auto kind : {wire::Kind::readMemory, wire::Kind::readImage}) {
        auto read = request(kind);
        read.head.length = wire::kPayload + 1;
        EXPECT_EQ(peer_.ask(read).status, ZETL_MISUSE);
        read.head.address = UINT64_MAX - 3;
        read.head.length = 16;
        EXPECT_EQ(peer_.ask(read).status, ZETL_MISUSE);
    }
    auto write = request(wire::Kind::writeMemory);
    write.head.address = UINT64_MAX - 3;
    write.payload.assign(16, std::byte{});
    EXPECT_EQ(peer_.ask(write).status, ZETL_MISUSE);
}

TEST_F(HostileDebugger, NothingIsReadToAnAddress) {
    auto none = registers(wire::Kind::readRegisters, fake::kGeneral, 7, 0);
    EXPECT_EQ(peer_.ask(none).status, ZETL_OK);
    none = request(wire::Kind::readMemory);
    none.head.address = 0x10000;
    EXPECT_EQ(peer_.ask(none).status, ZETL_OK);
    EXPECT_TRUE(peer_.ask(none).message.payload.empty());
}

TEST_F(HostileDebugger, NothingIsWrittenFromAnAddress) {
    EXPECT_EQ(peer_.ask(registers(wire::Kind::writeRegisters, fake::kGeneral, 7, 0)).status, ZETL_OK);
    auto none = request(wire::Kind::writeMemory);
    none.head.address = 0x10000;
    EXPECT_EQ(peer_.ask(none).status, ZETL_OK);
}

TEST_F(HostileDebugger, SpacesAndKindsThatDoNotExistAreRefused) {
    for (const std::uint32_t space : {std::uint32_t{ZETL_SPACE_CONDITIONS} + 1, 255u, UINT32_MAX}) {
        auto read = request(wire::Kind::readMemory);
        read.head.type = space;
        read.head.length = 4;
        EXPECT_EQ(peer_.ask(read).status, ZETL_MISUSE);
        auto write = request(wire::Kind::writeMemory);
        write.head.type = space;
        write.payload.assign(4, std::byte{});
        EXPECT_EQ(peer_.ask(write).status, ZETL_MISUSE);
    }
    for (const std::uint32_t kind : {0u, 1u, 2u, 50u, 100u, 101u, UINT32_MAX})
        EXPECT_EQ(peer_.ask(request(static_cast<wire::Kind>(kind))).status, ZETL_MISUSE) << kind;
}

TEST_F(HostileDebugger, PagesBeyondTheStoppedThreadsAreEmpty) {
    auto stopped = request(wire::Kind::stopped);
    for (auto& level : stopped.head.thread.level) level = ZETL_ANY;
    stopped.head.first = UINT32_MAX;
    const auto answer = peer_.ask(stopped);
    EXPECT_EQ(answer.status, ZETL_OK);
    EXPECT_EQ(answer.message.head.count, 1u);
    EXPECT_TRUE(answer.message.payload.empty());
}

TEST_F(HostileDebugger, RecordsThatAreNoMessagesEndTheConnection) {
    auto message = request(wire::Kind::run);
    message.head.magic = 1;
    EXPECT_EQ(peer_.ask(message).status, -1);
}

}  // namespace
}  // namespace zetl::debug

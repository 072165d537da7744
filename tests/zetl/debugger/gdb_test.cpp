// `zetl gdbserver`, by a client of GDB's remote protocol.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "conversation.h"
#include "debugged.h"
#include "gdb/packets.h"

namespace zetl::test {
namespace {

using debugger::gdb::Packet;

class GdbClient {
  public:
    explicit GdbClient(const std::vector<std::string>& program, const std::vector<std::string>& options = {})
        : server_(commandFor(program, options)) {}

    std::string ask(const std::string& command) {
        server_.say(debugger::gdb::framed(command));
        return answer();
    }
    std::string answer() {
        for (;;) {
            if (auto packet = reader_.next()) {
                if (packet->kind == Packet::Kind::refused) return "-";
                if (packet->kind == Packet::Kind::command) return packet->text;
                continue;
            }
            const auto bytes = server_.hear();
            if (bytes.empty()) return "nothing";
            reader_.add(bytes);
        }
    }
    void raw(const std::string& bytes) { server_.say(bytes); }
    int wait() { return server_.wait(); }

  private:
    static std::vector<std::string> commandFor(const std::vector<std::string>& program,
                                               const std::vector<std::string>& options) {
        std::vector<std::string> words = {inBuildTree("bin/zetl"), "gdbserver", "--device", "tiny"};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return words;
    }

    Conversation server_;
    debugger::gdb::PacketReader reader_;
};

/// Number of a register in the target description.
std::string numberOf(const std::string& description, const std::string& name) {
    const auto at = description.find("name=\"" + name + "\"");
    const auto number = description.find("regnum=\"", at) + 8;
    return fmt::format("{:x}", std::stoul(description.substr(number)));
}

std::uint64_t addressIn(const std::string& hex) {
    std::uint64_t value = 0;
    const auto bytes = debugger::gdb::bytesFrom(hex).value_or(std::vector<std::uint8_t>{});
    for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
}

TEST(GdbServer, ReadsThreadsRegistersMemoryAndStops) {
    GdbClient client(saxpyProgram(kUnoptimised));
    EXPECT_NE(client.ask("qSupported:swbreak+").find("qXfer:features:read+"), std::string::npos);
    EXPECT_EQ(client.ask("QStartNoAckMode"), "OK");
    EXPECT_TRUE(client.ask("?").starts_with("T05thread:"));
    std::string description;
    for (std::string part = "m"; part.starts_with('m');) {
        part = client.ask(fmt::format("qXfer:features:read:target.xml:{:x},fff", description.size()));
        description += part.substr(1);
    }
    EXPECT_TRUE(description.ends_with("</target>"));
    const auto threads = client.ask("qfThreadInfo");
    ASSERT_TRUE(threads.starts_with('m')) << threads;
    EXPECT_EQ(client.ask("qsThreadInfo"), "l");
    const auto first = threads.substr(1, threads.find(',') - 1);
    EXPECT_EQ(client.ask("Hg" + first), "OK");
    EXPECT_EQ(client.ask("T" + first), "OK");
    EXPECT_FALSE(client.ask("qThreadExtraInfo," + first).empty());

    const auto pc = numberOf(description, "rip");
    const auto r77 = numberOf(description, "grf77");
    const auto address = addressIn(client.ask("p" + pc));
    EXPECT_EQ(client.ask("g").size(), client.ask("g").find(client.ask("p" + pc)) + 16 + 2 * (7 * 4 + 8 * 10 + 8 * 4))
        << "what gdb expects of x86-64 and no more";
    const std::string pattern(128, 'a');
    EXPECT_EQ(client.ask("P" + r77 + "=" + pattern), "OK");
    EXPECT_EQ(client.ask("p" + r77), pattern);
    const auto code = client.ask(fmt::format("m{:x},10", address));
    EXPECT_EQ(code.size(), 32u);

    EXPECT_EQ(client.ask("vCont;s:" + first).substr(0, 3), "T05");
    const auto next = addressIn(client.ask("p" + pc));
    EXPECT_NE(next, address);
    EXPECT_EQ(client.ask(fmt::format("Z0,{:x},10", next + 0)), "OK");
    EXPECT_EQ(client.ask(fmt::format("m{:x},10", next)).size(), 32u) << "memory is read without the breakpoint";
    EXPECT_EQ(client.ask(fmt::format("z0,{:x},10", next)), "OK");
    EXPECT_EQ(client.ask("vCont;c"), "W00");
    EXPECT_EQ(client.ask("k"), "OK");
    EXPECT_EQ(client.wait(), 0);
}

TEST(GdbServer, MemoryIsWatched) {
    GdbClient client(saxpyProgram(kUnoptimised));
    EXPECT_EQ(client.ask("QStartNoAckMode"), "OK");
    std::string description;
    for (std::string part = "m"; part.starts_with('m');) {
        part = client.ask(fmt::format("qXfer:features:read:target.xml:{:x},fff", description.size()));
        description += part.substr(1);
    }
    const auto code = addressIn(client.ask("p" + numberOf(description, "rip")));
    EXPECT_EQ(client.ask(fmt::format("Z2,{:x},4", code)), "OK");
    EXPECT_EQ(client.ask(fmt::format("Z2,{:x},4", code)), "OK") << "again";
    EXPECT_EQ(client.ask(fmt::format("z2,{:x},4", code)), "OK");
    EXPECT_EQ(client.ask(fmt::format("z2,{:x},4", code)), "E01") << "it is gone";
    EXPECT_EQ(client.ask(fmt::format("Z2,{:x},4", code)), "OK");
    EXPECT_EQ(client.ask("vCont;c"), "W00") << "nobody writes to code";
    EXPECT_EQ(client.ask("k"), "OK");
    client.wait();
}

TEST(GdbServer, ARecordedLaunchIsTakenBack) {
    GdbClient client(saxpyProgram(kUnoptimised), {"--record"});
    EXPECT_NE(client.ask("qSupported:swbreak+").find("ReverseStep+;ReverseContinue+"), std::string::npos);
    EXPECT_EQ(client.ask("QStartNoAckMode"), "OK");
    const auto first = client.ask("?").substr(10, 1);
    const auto before = client.ask("g");
    for (int step = 0; step < 5; ++step) EXPECT_EQ(client.ask("vCont;s:" + first).substr(0, 3), "T05");
    EXPECT_NE(client.ask("g"), before);
    for (int step = 0; step < 5; ++step) EXPECT_EQ(client.ask("bs").substr(0, 3), "T05");
    EXPECT_EQ(client.ask("g"), before);
    EXPECT_NE(client.ask("bc").find("replaylog:begin;"), std::string::npos);
    EXPECT_NE(client.ask("vCont;c").find("replaylog:end;"), std::string::npos);
    EXPECT_EQ(client.ask("vCont;c"), "W00");
    EXPECT_EQ(client.ask("k"), "OK");
    client.wait();
}

/// gdb knows SIGSEGV and SIGILL.
TEST(GdbServer, AFaultAndAnIllegalInstructionAreSignalsOfTheirOwn) {
    for (const auto& [program, signal] :
         {std::pair(faultyProgram(), "T0bthread:"), std::pair(illegalProgram(), "T04thread:")}) {
        GdbClient client(program);
        EXPECT_EQ(client.ask("QStartNoAckMode"), "OK");
        auto stopped = client.ask("?");  // at the door, or at the first instruction, which is none
        if (stopped.starts_with("T05thread:")) stopped = client.ask("vCont;c");
        EXPECT_TRUE(stopped.starts_with(signal)) << stopped;
        EXPECT_EQ(client.ask("k"), "OK");
        client.wait();
    }
}

TEST(GdbServer, WhatMakesNoSenseIsRefused) {
    GdbClient client(saxpyProgram(kUnoptimised));
    for (const auto* unknown : {"vMustReplyEmpty", "qCRC:0,4"}) EXPECT_EQ(client.ask(unknown), "") << unknown;
    for (const auto* each :
         {"m", "mzz,4", "m10,ffffffff", "m0,4", "Mffff,2:00", "p", "pfffff", "Pffff=00", "Z0,", "z0,55,4", "Z0,10,4",
          "Z2,", "Z2,10,4", "z2,10,4", "H", "Hgfffffff", "T0", "qThreadExtraInfo,0", "qXfer:features:read:target.xml:"})
        EXPECT_EQ(client.ask(each), "E01") << each;
    client.raw("$?#00");
    EXPECT_EQ(client.answer(), "-") << "a wrong checksum";
    client.raw("\x01garbage");
    EXPECT_TRUE(client.ask("?").starts_with("T05"));
    EXPECT_EQ(client.ask("k"), "OK");
    client.wait();
}

}  // namespace
}  // namespace zetl::test

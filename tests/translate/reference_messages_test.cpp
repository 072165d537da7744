// The reference's random messages in lockstep: by steps and translated, alone, and between instructions that make their
// payload and read their reply, which host code holds in the host's registers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "lockstep.h"
#include "lone_thread.h"
#include "reference/message.h"
#include "reference/random_program.h"
#include "reference/surface_block.h"
#include "support/effort.h"

namespace zetl::test::reference {
namespace {

constexpr std::uint32_t kMessageBase = 0x10000;
constexpr std::uint32_t kPayload = 9;  // registers up to 15 are of the payload
constexpr std::uint32_t kPayloadRegisters = 7;
constexpr std::uint32_t kCopy = 100;  // of it
constexpr std::uint32_t kResult = 60;

std::string between(const std::string& message) {
    std::string text;
    for (std::uint32_t k = 0; k < kPayloadRegisters; ++k)
        text += fmt::format("(W) mov (16|M0) r{}.0<1>:ud r{}.0<1;1,0>:ud\n", kPayload + k, kCopy + k);
    return text + message +
           fmt::format(
               "\nadd (16|M0) r120.0<1>:d r{0}.0<1;1,0>:d r{1}.0<1;1,0>:d\n"
               "add (16|M0) r121.0<1>:d r120.0<1;1,0>:d r{1}.1<1;1,0>:d",
               kResult, kPayload + 1);
}

struct Line {
    std::string text;
    std::uint32_t instructions;
};
template <class Program>
Line lineOf(const Program& p, bool alone) {
    const std::string message = p.message.assembly();
    if (alone) return {message + "\n", 1};
    return {between(message) + "\n", kPayloadRegisters + 3};
}

class Messengers {
  public:
    Messengers() : global_(thread_.allocate(4096)) {}
    std::uint64_t globalAddress() const { return LoneThread::addressOf(global_); }

    template <class Program>
    void expectTheSame(const Program& p, const Code& code, bool alone) {
        LoneThread& t = thread_;
        t.thread().reset();
        t.local = p.memory.local;
        t.scratch = p.memory.scratch;
        t.payload = p.memory.payload;
        std::ranges::copy(p.memory.global, global_.begin());
        t.load(code, p.lanes, {.base = kMessageBase});
        std::copy(p.registers.bytes, p.registers.bytes + layout::kStatus, t.thread().state);
        if (!alone)
            std::memcpy(t.thread().grf(kCopy), t.thread().grf(kPayload), kPayloadRegisters * layout::kRegisterBytes);
        Lockstep lockstep(isa::lower(code, {.base = kMessageBase}));
        do
            ASSERT_EQ(lockstep.resume(t.thread(), isa::kQuantum, {t.local, t.scratch, t.payload, global_}), "")
                << "message " << p.number << ", lanes " << std::hex << p.lanes << ": " << p.message.assembly();
        while (t.thread().status == isa::Status::paused);
        EXPECT_EQ(t.thread().status, isa::Status::done) << p.message.assembly() << ": " << describe(t.thread().fault);
    }

  private:
    LoneThread thread_;
    std::vector<std::byte>& global_;
};

/// Messages `first` to `first + count - 1`, assembled in one go.
template <class Draw>
void expectTheSameOf(std::uint64_t first, std::uint64_t count, const Draw& draw) {
    constexpr std::size_t kEnd = 2 * std::size_t{kInstructionBytes};
    Messengers messengers;
    std::string text;
    std::vector<std::uint32_t> instructions;
    const auto alone = [](std::uint64_t n) { return n % 2 == 0; };
    for (std::uint64_t n = first; n < first + count; ++n) {
        const Line line = lineOf(draw(n, messengers.globalAddress()), alone(n));
        text += line.text;
        instructions.push_back(line.instructions);
    }
    const Code all = assembleProgram(text);
    auto at = all.begin();
    for (std::uint64_t k = 0; k < count && !testing::Test::HasFatalFailure(); ++k) {
        const auto end = at + static_cast<std::ptrdiff_t>(instructions[k] * std::size_t{kInstructionBytes});
        Code code(at, end);
        code.insert(code.end(), all.end() - static_cast<std::ptrdiff_t>(kEnd), all.end());
        messengers.expectTheSame(draw(first + k, messengers.globalAddress()), code, alone(first + k));
        at = end;
    }
}
template <class Draw>
void expectTheSameOfAll(std::uint64_t few, const Draw& draw) {
    constexpr std::uint64_t kBatch = 500;
    const char* more = std::getenv("ZETL_TEST_MESSAGE_PROGRAMS");
    const std::uint64_t count = more != nullptr ? std::strtoull(more, nullptr, 10) : few;
    for (std::uint64_t first = 0; first < count && !testing::Test::HasFatalFailure(); first += kBatch)
        expectTheSameOf(first, kBatch, draw);
}

TEST(ReferenceMessages, DoTheSameByStepsAndTranslated) { expectTheSameOfAll(effort(4000, 1000), messageProgram); }
TEST(ReferenceMessages, OfSurfacesDoTheSameByStepsAndTranslated) { expectTheSameOfAll(500, surfaceProgram); }

}  // namespace
}  // namespace zetl::test::reference

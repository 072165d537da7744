// Random structured programs, all lanes at once by steps, and lane after lane by the reference.
#include <gtest/gtest.h>

#include <cstdlib>

#include "isa/xe/decode.h"
#include "lone_thread.h"
#include "reference/program_code.h"

namespace zetl::test::reference {
namespace {

constexpr std::uint32_t kBase = 0x10000;

std::vector<isa::Instruction> decoded(const Code& code) {
    std::vector<isa::Instruction> list;
    for (std::size_t at = 0; at < code.size(); at += kInstructionBytes)
        list.push_back(isa::decode(isa::kXeHpc, std::span(code).subspan(at), static_cast<std::uint32_t>(at)).value());
    return list;
}
/// What calls write, and the flag that all lanes share, say nothing of a lane.
void forget(State& s) {
    for (unsigned f = 1; f <= kFunctions; ++f)
        s.write(layout::kGrf + (kReturnRegister + f) * layout::kRegisterBytes, 8, 0);
    s.write(layout::kFlags + kSharedFlag * 4, 4, 0);
}
State stateOf(const isa::Thread& t) {
    State s;
    std::memcpy(s.bytes, t.state, sizeof s.bytes);
    return s;
}

void expectTheSame(const FlowProgram& p, const Code& code, LoneThread& t) {
    t.thread().reset();
    t.load(code, p.lanes, {.base = kBase});
    Dice dice(p.number);
    for (std::uint32_t at = 16 * layout::kRegisterBytes; at < 128 * layout::kRegisterBytes; at += 4)
        t.thread().at<std::int32_t>(layout::kGrf + at) = static_cast<std::int32_t>(dice.below(64)) - 32;
    State want = stateOf(t.thread());
    want.active = p.lanes;
    ASSERT_EQ(t.resume(), isa::Status::done) << "program " << p.number << ": " << describe(t.thread().fault) << "\n"
                                             << p.text;
    const auto program = decoded(code);
    for (unsigned lane = 0; lane < p.width; ++lane) {
        if (!(p.lanes >> lane & 1)) continue;
        ASSERT_TRUE(runLane(program, want, lane)) << "program " << p.number;
    }
    State got = stateOf(t.thread());
    forget(want);
    forget(got);
    for (std::uint32_t at = 0; at < layout::kFlags + 16; at += 4)
        ASSERT_EQ(got.read(at, 4), want.read(at, 4)) << "program " << p.number << ", r" << at / 64 << '.' << at % 64 / 4
                                                     << ", lanes " << std::hex << p.lanes << ":\n"
                                                     << p.text;
    EXPECT_EQ(t.thread().active, p.lanes) << "program " << p.number;
}

TEST(FlowReference, LanesGoTheirOwnWays) {
    const char* more = std::getenv("ZETL_TEST_FLOW_PROGRAMS");
    const std::uint64_t count = more != nullptr ? std::strtoull(more, nullptr, 10) : 1000;
    constexpr std::uint32_t kBatch = 500;  // assembled at once
    LoneThread t;
    for (std::uint64_t first = 0; first < count; first += kBatch) {
        const auto programs = flowPrograms(first, kBatch);
        const auto codes = codeOf(programs);
        for (std::size_t k = 0; k < programs.size(); ++k) {
            expectTheSame(programs[k], codes[k], t);
            if (HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace zetl::test::reference

// The reference's random structured programs in lockstep: branches by steps and translated, with quanta that end behind
// every branch and with long ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "lockstep.h"
#include "lone_thread.h"
#include "reference/program_code.h"

namespace zetl::test::reference {
namespace {

constexpr std::uint32_t kFlowBase = 0x10000;

/// The registers that the program reads, as small numbers, which its comparisons tell apart.
void fill(isa::Thread& t, std::uint64_t number) {
    Dice dice(number);
    for (std::uint32_t at = 16 * layout::kRegisterBytes; at < 128 * layout::kRegisterBytes; at += 4)
        t.at<std::int32_t>(layout::kGrf + at) = static_cast<std::int32_t>(dice.below(64)) - 32;
}

void expectTheSame(const FlowProgram& p, const Code& code, std::int64_t quantum) {
    LoneThread t;
    t.load(code, p.lanes, {.base = kFlowBase});
    fill(t.thread(), p.number);
    Lockstep lockstep(isa::lower(code, {.base = kFlowBase}));
    do
        ASSERT_EQ(lockstep.resume(t.thread(), quantum, {t.local, t.scratch, t.payload}), "")
            << "program " << p.number << ", quantum " << quantum << ", lanes " << std::hex << p.lanes << ":\n"
            << p.text;
    while (t.thread().status == isa::Status::paused);
    EXPECT_EQ(t.thread().status, isa::Status::done) << "program " << p.number << ":\n" << p.text;
}

void expectTheSame(const std::vector<FlowProgram>& programs) {
    const auto codes = codeOf(programs);
    for (std::size_t k = 0; k < programs.size(); ++k)
        for (const std::int64_t quantum : {std::int64_t{1}, std::int64_t{isa::kQuantum}}) {
            expectTheSame(programs[k], codes[k], quantum);
            if (testing::Test::HasFatalFailure()) return;
        }
}

/// Begins with branches that take all places at which lanes wait in host code.
void takeAllPlaces(FlowProgram& p) {
    std::string text;
    for (std::uint32_t k = 0; k < isa::kParkingPlaces; ++k) {
        text += fmt::format("(f0.0) goto ({}|M0) B{}_{} B{}_{}\n", p.width, p.number, k, p.number, k);
        text += fmt::format("B{}_{}:\njoin ({}|M0) B{}_{}\n", p.number, k, p.width, p.number, k + 1);
        p.instructions += 2;
    }
    p.text = fmt::format("{}B{}_{}:\n{}", text, p.number, isa::kParkingPlaces, p.text);
}

TEST(ReferenceFlow, DoTheSameByStepsAndTranslated) {
    const char* more = std::getenv("ZETL_TEST_FLOW_PROGRAMS");
    const std::uint64_t count = more != nullptr ? std::strtoull(more, nullptr, 10) : 500;
    constexpr std::uint32_t kBatch = 500;  // assembled at once
    for (std::uint64_t first = 0; first < count && !HasFatalFailure(); first += kBatch)
        expectTheSame(flowPrograms(first, kBatch));
}

TEST(ReferenceFlow, LanesWaitAtMoreAddressesThanThereArePlaces) {
    auto programs = flowPrograms(1000, 20);
    for (FlowProgram& p : programs) takeAllPlaces(p);
    expectTheSame(programs);
}

}  // namespace
}  // namespace zetl::test::reference

// The reference's random programs in lockstep: every form of every opcode that computes, by steps and translated.
#include <gtest/gtest.h>

#include "lockstep.h"
#include "lone_thread.h"
#include "reference/program_code.h"

namespace zetl::test::reference {
namespace {

constexpr std::uint32_t kBase = 0x10000;

void expectTheSame(const RandomProgram& p, const Code& code) {
    LoneThread t;
    t.load(code, p.lanes, {.base = kBase});
    std::copy(p.registers.bytes, p.registers.bytes + layout::kControl, t.thread().state);
    Lockstep lockstep(isa::lower(code, {.base = kBase}));
    do
        ASSERT_EQ(lockstep.resume(t.thread(), isa::kQuantum, {t.local, t.scratch, t.payload}), "")
            << "program " << p.number << ", lanes " << std::hex << p.lanes << ":\n"
            << p.text();
    while (t.thread().status == isa::Status::paused);
    EXPECT_EQ(t.thread().status, isa::Status::done) << "program " << p.number << ":\n" << p.text();
}

TEST(ReferencePrograms, DoTheSameByStepsAndTranslated) {
    const std::vector<RandomProgram> programs = randomPrograms(1, 4000);
    const std::vector<Code> codes = codeOf(programs);
    for (std::size_t k = 0; k < programs.size(); ++k) {
        expectTheSame(programs[k], codes[k]);
        if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace zetl::test::reference

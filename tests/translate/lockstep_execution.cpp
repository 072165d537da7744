// The tests of the instruction set once more, with every program translated and every stop compared with the steps'.
#include <gtest/gtest.h>

#include <cstdlib>

#include "emulator/isa/stop.h"
#include "emulator/translate/translation.h"
#include "execution.h"
#include "lockstep.h"

namespace zetl::test {
namespace {

/// Threads pause at a branch, so that a difference shows in the block that makes it, and go on for a while in turns:
/// what one block leaves in registers of the host is seen by the next.
constexpr std::int64_t kQuanta[] = {0, 200};

class LockstepExecution : public Execution {
  public:
    LockstepExecution(emulator::isa::Program& program, std::unique_ptr<emulator::isa::Program> steps)
        : program_(program), lockstep_(std::move(steps)) {}

    void prepare(std::uint32_t ip, std::uint32_t lanes) override {
        using emulator::translate::Registers;
        const bool home = std::getenv("ZETL_TEST_REGISTERS_HOME") != nullptr;
        const auto report =
            emulator::translate::translateAnyway(program_, ip, lanes, home ? Registers::home : Registers::held);
        if (report.codeBytes != 0) lockstep_.limitWrites(report.written);
    }
    void resume(emulator::isa::Thread& thread, const MemoryRanges& memory) override {
        const bool steps = (thread.at<std::uint32_t>(emulator::isa::kControl1) & emulator::isa::kBreakpointStatus) != 0;
        std::string difference;
        if (!steps && thread.executed == 0 && std::getenv("ZETL_TEST_EVERY_MODE") != nullptr)
            difference = lockstep_.inEveryMode(thread, emulator::isa::kQuantum, memory);
        difference += lockstep_.resume(thread, steps ? emulator::isa::kQuantum : quantum(), memory);
        EXPECT_EQ(difference, "");
        if (!difference.empty()) thread.status = emulator::isa::Status::faulted;
    }

  private:
    emulator::isa::Program& program_;
    Lockstep lockstep_;
    std::size_t turn_ = 0;

    std::int64_t quantum() { return kQuanta[turn_++ % std::size(kQuanta)]; }
};

}  // namespace

std::unique_ptr<Execution> makeExecution(emulator::isa::Program& program,
                                         const std::function<std::unique_ptr<emulator::isa::Program>()>& again) {
    return std::make_unique<LockstepExecution>(program, again());
}

}  // namespace zetl::test

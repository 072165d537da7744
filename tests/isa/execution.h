// How the threads of these tests run: by their programs' steps (steps_execution.cpp), or translated and compared with
// the steps (tests/translate). Which of the two is a matter of linking.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "emulator/isa/program.h"
#include "emulator/isa/thread.h"

namespace zetl::test {

using MemoryRanges = std::vector<std::span<std::byte>>;

class Execution {
  public:
    virtual ~Execution() = default;

    /// Before threads of that many lanes enter at `ip`.
    virtual void prepare(std::uint32_t ip, std::uint32_t lanes) = 0;
    /// One isa::resume(). `memory`: what the thread can reach.
    virtual void resume(emulator::isa::Thread& thread, const MemoryRanges& memory) = 0;
};

/// Of a program, which `again` makes once more from the same code.
std::unique_ptr<Execution> makeExecution(emulator::isa::Program& program,
                                         const std::function<std::unique_ptr<emulator::isa::Program>()>& again);

}  // namespace zetl::test

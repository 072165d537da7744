// Two runs of one thread side by side: by a program's steps, and by its host code. Everything that the thread can see
// must be the same after each of them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/isa/program.h"
#include "emulator/isa/thread.h"
#include "execution.h"

namespace zetl::test {

class Lockstep {
  public:
    /// `steps` is the program lowered once more, from the same bytes with the same options, and never translated.
    explicit Lockstep(std::unique_ptr<emulator::isa::Program> steps);
    ~Lockstep();

    /// What threads that start and end in host code without straying may have written (Report::written): others that
    /// did are a difference from now on.
    void limitWrites(const emulator::isa::StateSlots& written) { written_ = written; }

    /// resume() of the thread, whose program may be translated, after the same on copies of the thread: by steps, and
    /// translated with the memory windows that the steps left, with which messages take their fast way. `memory` is
    /// what the thread can reach: all runs begin with what it holds. The difference in words, empty if there is none.
    std::string resume(emulator::isa::Thread& thread, std::int64_t quantum, const MemoryRanges& memory);

    /// The same twice on copies, the thread stays as it is, in every floating-point mode that cr0 can ask for.
    std::string inEveryMode(const emulator::isa::Thread& thread, std::int64_t quantum, const MemoryRanges& memory);

  private:
    std::string inMode(std::uint32_t control, const emulator::isa::Thread& thread, std::int64_t quantum,
                       const MemoryRanges& memory);

    std::unique_ptr<emulator::isa::Program> steps_;
    std::unique_ptr<emulator::isa::Thread> reference_;
    std::unique_ptr<emulator::isa::Thread> warm_;
    std::optional<emulator::isa::StateSlots> written_;
};

}  // namespace zetl::test

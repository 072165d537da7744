// The machine from its threads' point of view: memory, barriers, other programs, time.
#pragma once

#include "emulator/isa/environment.h"

namespace zetl::emulator::machine {

class Clock;
class History;
class CodeHeap;
class Memory;
class Overruns;
struct Allocation;

/// Each tile has one, and all of its threads share it.
class ThreadEnvironment final : public isa::Environment {
  public:
    /// `history` may be null.
    ThreadEnvironment(Memory& memory, CodeHeap& code, Clock& clock, Overruns& overruns, History* history)
        : memory_(memory), code_(code), clock_(clock), overruns_(overruns), history_(history) {}

    bool findMemory(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                    isa::MemoryWindow& window) noexcept override;
    void signalBarrier(isa::Thread& thread, const isa::BarrierSignal& signal) noexcept override;
    const isa::Program* findProgram(isa::Thread& thread, std::uint32_t ip) noexcept override;
    std::uint64_t timestamp() noexcept override;

  private:
    /// For the history of a recorded launch.
    void remember(const isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                  isa::MemoryWindow& window) noexcept;
    void tellOfOverrun(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                       const Allocation& allocation) noexcept;

    Memory& memory_;
    CodeHeap& code_;
    Clock& clock_;
    Overruns& overruns_;
    History* const history_;
};

}  // namespace zetl::emulator::machine

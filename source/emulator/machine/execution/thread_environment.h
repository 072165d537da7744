// The machine from its threads' point of view: memory, barriers, other programs, time.
#pragma once

#include "emulator/isa/environment.h"

namespace zetl::emulator::machine {

class Clock;
class CodeHeap;
class Memory;

/// Each tile has one, and all of its threads share it.
class ThreadEnvironment final : public isa::Environment {
  public:
    ThreadEnvironment(Memory& memory, CodeHeap& code, Clock& clock) : memory_(memory), code_(code), clock_(clock) {}

    bool findMemory(std::uint64_t address, std::uint64_t bytes, bool write,
                    isa::MemoryWindow& window) noexcept override;
    void signalBarrier(isa::Thread& thread, const isa::BarrierSignal& signal) noexcept override;
    const isa::Program* findProgram(isa::Thread& thread, std::uint32_t ip) noexcept override;
    std::uint64_t timestamp() noexcept override;

  private:
    Memory& memory_;
    CodeHeap& code_;
    Clock& clock_;
};

}  // namespace zetl::emulator::machine

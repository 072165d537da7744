// The machine from its threads' point of view: memory, barriers, other programs, time.
#pragma once

#include "emulator/isa/environment.h"

namespace zetl::emulator::machine {

class Clock;
class History;
class CodeHeap;
class Memory;
class Overruns;
class Watchpoints;
struct Allocation;
struct HardwareThread;
struct LoadedProgram;

/// Each tile has one, and all of its threads share it.
class ThreadEnvironment final : public isa::Environment {
  public:
    /// `history` may be null.
    ThreadEnvironment(Memory& memory, CodeHeap& code, Clock& clock, Overruns& overruns, History* history,
                      Watchpoints& watchpoints)
        : memory_(memory),
          code_(code),
          clock_(clock),
          overruns_(overruns),
          history_(history),
          watchpoints_(watchpoints) {}

    bool findMemory(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                    isa::MemoryWindow& window) noexcept override;
    void signalBarrier(isa::Thread& thread, const isa::BarrierSignal& signal) noexcept override;
    const isa::Program* findProgram(isa::Thread& thread, std::uint32_t ip) noexcept override;
    std::uint64_t timestamp() noexcept override;

  private:
    const LoadedProgram* recordingOf(HardwareThread& thread, const LoadedProgram& loaded) noexcept;
    /// For the history of a recorded launch, and for what a debugger watches: false if the access is to fail, because
    /// it meets that.
    bool mayAccess(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                   isa::MemoryWindow& window) noexcept;
    void tellOfOverrun(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                       const Allocation& allocation) noexcept;

    Memory& memory_;
    CodeHeap& code_;
    Clock& clock_;
    Overruns& overruns_;
    History* const history_;
    Watchpoints& watchpoints_;
};

}  // namespace zetl::emulator::machine

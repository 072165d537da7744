// Makes the threads of a device record what the timing model needs.
#pragma once

#include <vector>

#include "emulator/machine/code/schedule.h"
#include "emulator/machine/execution/program_observers.h"
#include "emulator/machine/model/trace.h"

namespace zetl::emulator::machine {

/// Threads without a trace record nothing. Thread-safe.
class TraceRecorder final : public ProgramObserver {
  public:
    explicit TraceRecorder(const TimingModel& timing) : timing_(timing) {}

    std::vector<bool> linesOf(const LoadedProgram& loaded) const override;
    /// A twin of the program whose threads record.
    const LoadedProgram& recording(const LoadedProgram& loaded);
    /// The thread is before its first instruction.
    void begin(isa::Thread& thread);
    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override;

  private:
    void record(isa::Thread& thread, ThreadTrace& trace, const Schedule& schedule, isa::Line line) const;
    void record(isa::Thread& thread, ThreadTrace& trace, isa::Line line, const isa::MemoryAccess& access) const;

    const TimingModel timing_;
};

}  // namespace zetl::emulator::machine

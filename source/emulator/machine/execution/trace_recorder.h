// Makes the threads of a device record what the timing model needs.
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/isa/observe.h"
#include "emulator/machine/code/schedule.h"
#include "emulator/machine/code_heap.h"
#include "emulator/machine/model/trace.h"

namespace zetl::emulator::machine {

/// Lines report while the recorder is held; threads without a trace record nothing. Thread-safe. Lives as long as the
/// device, because a running thread may still report for a moment after the last hold ended.
class TraceRecorder final : public isa::LineObserver {
  public:
    TraceRecorder(CodeHeap& code, const TimingModel& timing) : code_(code), timing_(timing) {}

    void acquire();
    void release() noexcept;
    /// Makes code that was added since the last hold began report, too, as long as the recorder is held.
    void cover();

    /// The lines that host code of a program must report to the recorder.
    isa::Reported reported(const LoadedProgram& loaded);

    /// The thread is before its first instruction.
    void begin(isa::Thread& thread);
    void beforeLine(isa::Thread& thread, isa::Line line) noexcept override;

  private:
    struct Covered {
        std::weak_ptr<CodeRange> range;
        const LoadedProgram* loaded;
    };

    void watch(const LoadedProgram& loaded, bool on);
    void record(isa::Thread& thread, ThreadTrace& trace, const Schedule& schedule, isa::Line line) const;
    void record(isa::Thread& thread, ThreadTrace& trace, isa::Line line, const isa::MemoryAccess& access) const;

    CodeHeap& code_;
    const TimingModel timing_;
    Mutex mutex_;
    std::uint32_t holders_ ZETL_GUARDED_BY(mutex_) = 0;
    std::vector<Covered> covered_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine

// A lowered program and the counters' information about its lines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/once.h"
#include "emulator/isa/program.h"
#include "emulator/isa/prologue.h"
#include "emulator/isa/step.h"
#include "emulator/machine/code/line_info.h"
#include "emulator/machine/code/line_runs.h"
#include "emulator/machine/code/warm_up.h"
#include "emulator/machine/execution_counts.h"

namespace zetl::emulator::translate {
struct GroupCode;
}

namespace zetl::emulator::isa {
class LineObserver;
struct Reported;
}  // namespace zetl::emulator::isa

namespace zetl::emulator::machine {

class Tile;

/// How often each line was executed by finished dispatches, per tile. Thread-safe.
class RetiredLines {
  public:
    void add(const Tile& tile, std::span<const LineStretch> executed);
    std::vector<std::uint64_t> of(const Tile& tile, std::size_t lines) const;

  private:
    mutable Mutex mutex_;
    std::map<const Tile*, std::vector<std::uint64_t>> counts_ ZETL_GUARDED_BY(mutex_);
};

struct Schedule;
struct TimingModel;

/// Immutable except for the program's watches and the counts. Owned by the heap, and by those who still count its
/// lines.
struct LoadedProgram : std::enable_shared_from_this<LoadedProgram> {
    LoadedProgram(std::span<const std::byte> code, const isa::LowerOptions& options);
    ~LoadedProgram();

    /// The timing model's view of it, made at the first call with the times of its device. Thread-safe.
    const Schedule& schedule(const TimingModel& timing) const {
        const Schedule* const made = madeSchedule_.load(std::memory_order_acquire);
        return made != nullptr ? *made : makeSchedule(timing);
    }

    /// The same code once more, made at the first call: its lines can be watched, and its host code reports, while
    /// threads of this one run as if nobody watched. `prepare` gets it before any other caller does. Thread-safe.
    template <class F>
    const LoadedProgram& twin(F&& prepare) const {
        twinned_.call([&] {
            auto twin = makeTwin();
            prepare(*twin);
            twin_ = std::move(twin);
        });
        return *twin_;
    }
    /// Of which it is the twin, or itself: the one that counts its lines.
    const LoadedProgram& original() const noexcept { return original_ != nullptr ? *original_ : *this; }
    bool isTwin() const noexcept { return original_ != nullptr; }

    /// Call it before threads of that many lanes start at `entry`: translates the code that they reach to host code, if
    /// translation is on. `kernel`: its name. Thread-safe.
    void translate(std::uint32_t entry, std::uint32_t lanes, const std::string& kernel) const;
    /// The work that such threads have to do before translate() pays; null once that was called, and if nothing is
    /// translated. Thread-safe.
    std::shared_ptr<WarmUp> warmUp(std::uint32_t entry, std::uint32_t lanes) const;
    /// The same as translate() for code that reports these lines to observers, each of which names the same lines
    /// whenever it is among them. Thread-safe.
    void translateReporting(std::uint32_t entry, std::uint32_t lanes, std::span<const isa::Reported> reported,
                            const std::string& kernel) const;
    /// The number of translations so far, and the registers that threads may have written which ran only host code.
    std::uint32_t translations() const noexcept { return translations_.load(std::memory_order_relaxed); }
    isa::StateSlots hostWritten() const;
    /// By line: whether unwatched threads execute it as host code, without calling any of its steps except to look up
    /// memory. Thread-safe.
    std::vector<bool> hostLines() const;
    /// Host code that runs the threads of a group together; null if there is none. `entered`: where threads begin now,
    /// which is where they are watched or where they are not. Thread-safe.
    std::shared_ptr<const translate::GroupCode> groupCode(std::uint32_t entry, std::uint32_t lanes,
                                                          isa::Handler entered) const;
    /// isa::Program::readFirst(), worked out once. Thread-safe.
    isa::StateSlots readFirst(std::uint32_t entry, std::uint32_t lanes) const;
    /// isa::loadsBlocks(), found out once. Thread-safe.
    bool loadsBlocks(const isa::Prologue& prologue) const;
    /// translate::mayWaitForOthers(), found out once. Thread-safe.
    bool mayWaitForOthers(std::uint32_t entry) const;

    /// A dispatch on the tile is done that executed these lines. Thread-safe.
    void retire(const Tile& tile, std::span<const LineStretch> executed) const;

    std::unique_ptr<isa::Program> program;
    /// Where retire() counts, too; may be null. Does not change once code runs.
    std::shared_ptr<ExecutionCounts> counted;
    isa::StateSlots written;
    std::vector<LineInfo> lines;
    mutable RetiredLines retired;
    mutable SpareLineRuns spareRuns;

  private:
    mutable Mutex translating_;
    /// entry and lanes
    using Start = std::pair<std::uint32_t, std::uint32_t>;
    mutable std::map<Start, std::shared_ptr<const translate::GroupCode>> translated_ ZETL_GUARDED_BY(translating_);
    /// the last of code that reports
    mutable std::map<Start, std::shared_ptr<const translate::GroupCode>> observed_ ZETL_GUARDED_BY(translating_);
    mutable std::map<Start, std::shared_ptr<WarmUp>> warmUps_ ZETL_GUARDED_BY(translating_);
    /// observers, in ascending order, for whom it was translated
    mutable std::map<Start, std::set<std::vector<const isa::LineObserver*>>> reporting_ ZETL_GUARDED_BY(translating_);
    mutable std::map<Start, isa::StateSlots> readFirst_ ZETL_GUARDED_BY(translating_);
    mutable Mutex trying_;
    mutable std::map<isa::Prologue, bool> loadsBlocks_ ZETL_GUARDED_BY(trying_);
    mutable std::map<std::uint32_t, bool> mayWaitForOthers_ ZETL_GUARDED_BY(trying_);  // by entry
    mutable std::atomic<std::uint32_t> translations_{0};
    mutable isa::StateSlots hostWritten_ ZETL_GUARDED_BY(translating_);
    /// by line, of all translations
    mutable std::vector<bool> reached_ ZETL_GUARDED_BY(translating_);
    mutable std::vector<bool> calling_ ZETL_GUARDED_BY(translating_);
    std::shared_ptr<LoadedProgram> makeTwin() const;
    const std::vector<std::byte> code_;
    const isa::LowerOptions options_;
    const LoadedProgram* original_ = nullptr;
    mutable Once twinned_;
    mutable std::shared_ptr<const LoadedProgram> twin_;
    const Schedule& makeSchedule(const TimingModel& timing) const;
    mutable Once scheduled_;
    mutable std::atomic<const Schedule*> madeSchedule_{nullptr};
    mutable std::unique_ptr<const Schedule> schedule_;
};

}  // namespace zetl::emulator::machine

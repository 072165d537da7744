// The content of a Program: steps in three versions, maps between lines and addresses, constants, watches.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "emulator/isa/host_times.h"
#include "emulator/isa/meaning.h"
#include "emulator/isa/observe.h"
#include "emulator/isa/step.h"

namespace zetl::emulator::isa {

/// A kernel exists once for each state of the execution mask that makes masks vanish; only instructions that change the
/// mask choose the version.
enum class Version : std::uint8_t { masked, lanes16, lanes32 };
inline constexpr int kVersions = 3;
constexpr Version versionFor(std::uint32_t active) noexcept {
    return active == ~0u ? Version::lanes32 : active == 0xffff ? Version::lanes16 : Version::masked;
}

/// Observers and breakpoint of one line. Immutable once published.
struct LineWatch {
    std::vector<LineObserver*> observers;
    bool breakpoint = false;
    bool empty() const noexcept { return observers.empty() && !breakpoint; }
    bool operator==(const LineWatch&) const = default;
};

/// What code does somewhere that makes other lines be lowered otherwise.
struct Traits {
    /// By line: mach, mac or macl.ov may read what it leaves in an accumulator, of which more than 32 bits per lane are
    /// kept then.
    std::vector<bool> wideAccumulator;
    bool splitDenormals = false;      ///< cr0 may keep denormals of f and df differently
    std::vector<bool> flushHalf;      ///< by line: cr0 may ask for hf denormals to be flushed
    std::vector<bool> roundIntegers;  ///< by line: cr0 may ask for reals to be rounded on their way to integers
    std::vector<bool> arrival;        ///< by line: lanes may wait here although it is no join
};

class DeferredMessage;

/// Host code that does what the steps of a body do from one of them on. Like a handler, it returns the step at which
/// the steps go on, or null.
struct HostEntry {
    std::uint8_t body;
    std::uint32_t step;
    Handler run;
};

class Program::Code {
  public:
    struct Body : StepList {
        std::vector<std::uint32_t>
            start;                       ///< line to its first step; one more entry than lines, for the end of the code
        std::vector<Handler> originals;  ///< what watched steps replaced
    };

    LowerOptions options;
    Traits traits;
    std::uint32_t codeBytes = 0;
    Body body[kVersions];
    std::uint8_t bodyOf[kVersions] = {0, 1, 2};  ///< versions that were not prepared use the masked body
    std::vector<Instruction> instructions;       ///< by line
    std::vector<Line> lineAt;                    ///< by (ip - base) / 8
    std::vector<std::uint32_t> charges;          ///< by line: of all before it, and of all together
    std::deque<std::array<std::uint64_t, 32>> constants;
    std::map<std::array<std::uint64_t, 32>, std::uint64_t> constantIndex;  ///< lanes to the address of their constant
    std::deque<std::array<std::uint16_t, 32>> regions;
    std::deque<std::string> names;
    std::vector<std::shared_ptr<DeferredMessage>> deferred;  ///< shared: code that destroys it need not know the type
    std::vector<std::shared_ptr<const void>> kept;           ///< what steps name by address
    Mutex deferredMutex;  ///< held once the program runs, when lowering a message adds constants and names
    std::map<Line, const char*> refused;  ///< lines that fault because they are not supported
    /// Null: nobody measures. Set it before the program runs or is translated; a program may share it with its twin.
    std::shared_ptr<HostTimes> times;

    /// The address of 32 constant lanes.
    std::uint64_t constant(const std::array<std::uint64_t, 32>& lanes) {
        auto [entry, fresh] = constantIndex.try_emplace(lanes, 0);
        if (fresh) entry->second = reinterpret_cast<std::uint64_t>(constants.emplace_back(lanes).data());
        return entry->second;
    }
    const char* name(const std::string& text) { return names.emplace_back(text).c_str(); }

    /// What executing the lines costs beyond an instruction each: work.h.
    std::uint32_t chargeOf(Line begin, Line end) const noexcept { return charges[end] - charges[begin]; }
    Line lines() const noexcept { return static_cast<Line>(instructions.size()); }
    std::uint32_t ipOf(Line line) const noexcept {
        return line < instructions.size() ? instructions[line].ip : options.base + codeBytes;
    }
    Line find(std::uint32_t ip) const noexcept {
        const std::uint32_t slot = (ip - options.base) / 8;
        return ip % 8 == options.base % 8 && slot < lineAt.size() ? lineAt[slot] : kNoLine;
    }
    const Step* at(Version v, Line line) const noexcept {
        const Body& b = body[bodyOf[static_cast<int>(v)]];
        return b.steps.data() + b.start[line];
    }
    const Step* at(const Thread& t, Line line) const noexcept { return at(versionFor(t.active), line); }

    const LineWatch* watchOf(Line line) const noexcept { return watches_[line].load(std::memory_order_acquire); }
    Handler originalOf(const Step* step) const noexcept;
    /// Threads that arrive at these steps run host code from now on, except while any line is watched; `owner` keeps
    /// the code alive. If a step has an entry already, the newer one counts.
    void addHostCode(std::span<const HostEntry> entries, std::shared_ptr<const void> owner);
    /// The same for code that itself reports lines to observers, each of them once in `reported`, before it executes
    /// the lines. It is entered while exactly these observers watch exactly these lines. A program may have such code
    /// for several sets of observers.
    void addReportingCode(std::span<const HostEntry> entries, std::span<const Reported> reported,
                          std::shared_ptr<const void> owner);
    /// The handler that executes one step and nothing else, never host code.
    Handler singleStep(const Step* step) const noexcept;
    /// Copies the line's watch, lets `change` edit it and publishes the result.
    void editWatch(Line line, const std::function<void(LineWatch&)>& change);
    /// To be called after lowering: nothing below `body` changes any more.
    void seal();

  private:
    /// Host code for one set of observers.
    struct ReportingCode {
        std::vector<Reported> reported;
        Line lines = 0;     // that it reports
        Line agreeing = 0;  // of these, lines that the same observers watch
        std::vector<HostEntry> entries;
    };

    bool isWatched(const Body& b, std::uint32_t index) const noexcept;
    Handler bySteps(const Body& b, std::uint32_t index) const noexcept;
    const LineWatch* published(LineWatch&& watch) ZETL_REQUIRES(mutex_);
    const std::vector<HostEntry>* entered() const noexcept ZETL_REQUIRES(mutex_);
    ReportingCode& reportingCodeFor(std::span<const Reported> reported) ZETL_REQUIRES(mutex_);
    void writeHostEntries() noexcept ZETL_REQUIRES(mutex_);

    Mutex mutex_;
    std::unique_ptr<std::atomic<const LineWatch*>[]> watches_;
    Line watched_ ZETL_GUARDED_BY(mutex_) = 0;  // lines that have a watch
    std::vector<HostEntry> hostEntries_ ZETL_GUARDED_BY(mutex_);
    std::vector<ReportingCode> reportingCode_ ZETL_GUARDED_BY(mutex_);
    std::vector<std::shared_ptr<const void>> hostCode_ ZETL_GUARDED_BY(mutex_);
    // Every watch that a line ever had, since running threads may still look at it. Lines share equal ones.
    std::deque<LineWatch> published_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::isa

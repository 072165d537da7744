// What a hardware thread did, as far as the timing model asks: where control went, and which cache lines it touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/isa/observe.h"
#include "emulator/machine/code/schedule.h"

namespace zetl::emulator::machine {

/// Memory as the model tells it apart. Places in all but `global` are offsets: where the host put them means nothing.
enum class TraceSpace : std::uint8_t { global, scratch, privateMemory, payload, local };

/// Neighbouring cache lines.
struct LineRun {
    std::uint64_t first = 0;  ///< address or offset divided by the size of a line
    std::uint32_t count = 0;
};

struct TracedAccess {
    TraceSpace space = TraceSpace::global;
    bool write = false;
    bool atomic = false;
    std::uint8_t passes = 1;  ///< of local memory, for conflicts of its banks
    isa::Line line = 0;
    std::span<const std::uint64_t> runs;  ///< ThreadTrace::runOf() each
};

/// Words of 64 bits, up to a limit; what comes after it is missing. Written by the worker that executes the thread.
class ThreadTrace {
  public:
    explicit ThreadTrace(std::size_t mostWords) : limit_(mostWords) {}

    /// As when it was made; keeps its memory.
    void clear() noexcept;
    /// Control comes to a line of this program that is a leader, or where the thread begins.
    void arrive(const Schedule& program, isa::Line line);
    void access(const TracedAccess& access, std::span<const LineRun> runs);

    bool complete() const noexcept { return !full_; }
    /// What is known for good of a thread that goes on: all before its last arrival, after which more may come, and not
    /// many more words than these.
    ThreadTrace soFar(std::size_t mostWords) const;
    /// Of a thread about which nothing is known yet.
    static ThreadTrace unbegun();
    /// Nothing more fits, for want of memory.
    void close() noexcept { full_ = true; }

    static LineRun runOf(std::uint64_t word) noexcept {
        return {word >> 8, static_cast<std::uint32_t>(word & 0xff) + 1};
    }

    std::uint64_t executed = 0;  ///< instructions, also those after the limit; known when the thread has ended

  private:
    std::size_t arrivalBehind(std::size_t words) const noexcept;
    friend class TraceCursor;
    bool takes(std::size_t words);
    std::uint64_t indexOf(const Schedule& program);

    std::size_t limit_;
    bool full_ = false;
    bool growing_ = false;     ///< more than this will be known
    std::size_t settled_ = 0;  ///< words before the last arrival
    std::vector<std::uint64_t> words_;
    std::vector<const Schedule*> programs_;
};

/// Reads a trace, which grows no more, from its begin.
class TraceCursor {
  public:
    TraceCursor() noexcept = default;
    explicit TraceCursor(const ThreadTrace& trace) noexcept
        : at_(trace.words_.data()),
          end_(at_ + trace.words_.size()),
          programs_(trace.programs_.data()),
          growing_(trace.growing_) {}

    struct Arrival {
        const Schedule* program = nullptr;  ///< null: the trace ends here
        isa::Line line = 0;
        bool unknown = false;  ///< it will go on, nobody knows where
    };
    Arrival arrival() noexcept;
    /// It will be read soon: the host is to have what comes next at hand.
    void prepare() const noexcept {
        constexpr std::size_t kHostLineWords = 8;
        for (std::size_t line = 0; line < 4; ++line) __builtin_prefetch(at_ + line * kHostLineWords);
    }
    /// The access of this line, if it made one; `lanes off` makes none. False: none.
    bool access(isa::Line line, TracedAccess& access) noexcept;

  private:
    const std::uint64_t* at_ = nullptr;
    const std::uint64_t* end_ = nullptr;
    const Schedule* const* programs_ = nullptr;
    bool growing_ = false;
};

}  // namespace zetl::emulator::machine

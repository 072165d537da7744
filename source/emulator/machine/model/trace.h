// What a hardware thread did, as far as the timing model needs it: its control flow, and the cache lines it touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "emulator/isa/observe.h"
#include "emulator/machine/code/schedule.h"
#include "emulator/machine/model/prefetch.h"

namespace zetl::emulator::machine {

/// The kinds of memory in the model. Places in all but `global` are offsets, since the host's addresses mean nothing.
enum class TraceSpace : std::uint8_t { global, scratch, privateMemory, payload, local };

/// Neighbouring cache lines.
struct LineRun {
    std::uint64_t first = 0;  ///< address or offset divided by the size of a line
    std::uint32_t count = 0;  ///< up to kMost
    static constexpr std::uint32_t kMost = 256;
};

/// Runs of lines in a trace, packed by their distances.
class PackedRuns {
  public:
    enum class Form : std::uint8_t {
        bytes,  ///< single lines, each by its distance from the first one of all in a byte
        words,  ///< the same in 16 bits
        runs,   ///< [31:8] the distance, [7:0] lines less one
        far,    ///< of two words: [63:8] the line itself, [7:0] lines less one
    };
    PackedRuns() noexcept = default;
    PackedRuns(const std::uint32_t* data, std::uint32_t count, std::uint64_t base, Form form) noexcept
        : data_(data), count_(count), base_(base), form_(form) {}

    /// Calls f(LineRun) for each.
    template <class F>
    void each(F&& f) const {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(data_);
        switch (form_) {
            case Form::bytes:
                for (std::uint32_t i = 0; i < count_; ++i) f(LineRun{base_ + bytes[i], 1});
                break;
            case Form::words:
                for (std::uint32_t i = 0; i < count_; ++i) {
                    std::uint16_t distance;
                    std::memcpy(&distance, bytes + i * sizeof distance, sizeof distance);
                    f(LineRun{base_ + distance, 1});
                }
                break;
            case Form::runs:
                for (std::uint32_t i = 0; i < count_; ++i) f(LineRun{base_ + (data_[i] >> 8), (data_[i] & 0xff) + 1});
                break;
            case Form::far:
                for (std::uint32_t i = 0; i < count_; ++i) {
                    const std::uint64_t run = data_[2 * i] | std::uint64_t{data_[2 * i + 1]} << 32;
                    f(LineRun{run >> 8, static_cast<std::uint32_t>(run & 0xff) + 1});
                }
                break;
        }
    }
    std::uint64_t lines() const noexcept;

    /// The form for these runs, of which there must be 1 to 255, and the first line of all.
    struct Fit {
        Form form;
        std::uint64_t base;
    };
    static Fit fitFor(std::span<const LineRun> runs) noexcept;
    static std::size_t wordsFor(Form form, std::size_t count) noexcept;
    static void pack(const Fit& fit, std::span<const LineRun> runs, std::uint32_t* to) noexcept;

  private:
    const std::uint32_t* data_ = nullptr;
    std::uint32_t count_ = 0;
    std::uint64_t base_ = 0;
    Form form_ = Form::bytes;
};

struct TracedAccess {
    TraceSpace space = TraceSpace::global;
    bool write = false;
    bool atomic = false;
    std::uint8_t passes = 1;  ///< for local memory: conflicts of its banks
    isa::Line line = 0;
    PackedRuns runs;  ///< valid once it is recorded
};

/// Memory of a trace. That of all traces of the process is counted, since dispatches that run at the same time are not
/// to take the host's memory one by one.
class TraceMemory {
  public:
    TraceMemory() = default;
    TraceMemory(const TraceMemory& other) noexcept { become(other.bytes_); }
    TraceMemory(TraceMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
    TraceMemory& operator=(TraceMemory other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~TraceMemory() { become(0); }

    std::size_t bytes() const noexcept { return bytes_; }
    void become(std::size_t bytes) noexcept {
        all_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
        bytes_ = bytes;
    }
    /// From now on a trace that is not short grows no more. A dispatch on two tiles, alone, does not get there: its
    /// threads have limits by their number.
    static bool scarce() noexcept { return all_.load(std::memory_order_relaxed) > kMostBytes; }
    static constexpr std::size_t kMostBytes = std::size_t{1280} << 20;

  private:
    static inline std::atomic<std::size_t> all_{0};
    std::size_t bytes_ = 0;
};

/// Words of 32 bits, up to a limit, or to a small one if the traces of all dispatches take much; what comes after it is
/// missing. Written by the worker that executes the thread.
class ThreadTrace {
  public:
    static constexpr std::size_t kShort = 512;  ///< words that a thread may have however scarce memory is

    explicit ThreadTrace(std::size_t mostWords) : limit_(mostWords) {}

    /// Makes it as new, but keeps its memory.
    void clear() noexcept;
    /// Makes it as a new one with this limit, but keeps its memory.
    void clear(std::size_t mostWords) noexcept;
    /// The bytes that it takes, however few of them it has written.
    std::size_t bytes() const noexcept { return memory_.bytes(); }
    /// Control reaches a line of this program that is a leader, or the line where the thread begins.
    void arrive(const Schedule& program, isa::Line line) {
        if (&program != latest_) turnTo(program);
        if (!takes(1)) return;
        settled_ = used_;
        words_[used_++] = line;
    }
    void access(const TracedAccess& access, std::span<const LineRun> runs);
    /// The same for 1 to 255 single lines, at these distances behind `base`.
    void access(const TracedAccess& access, std::uint64_t base, std::span<const std::uint8_t> distances);

    bool complete() const noexcept { return !full_; }
    /// The part of a running thread's trace that is final: all before its last arrival, after which more may come, and
    /// not many more words than `mostWords`.
    ThreadTrace soFar(std::size_t mostWords) const;
    /// The trace of a thread about which nothing is known yet.
    static ThreadTrace unbegun();
    /// Nothing more fits, because memory ran out.
    void close() noexcept { full_ = true; }

    /// The number of instructions that follow from it. Takes as long as reading it.
    std::uint64_t instructions() const noexcept;

    std::uint64_t executed = 0;  ///< instructions, also those after the limit; known when the thread has ended

  private:
    std::size_t arrivalBehind(std::size_t words) const noexcept;
    friend class TraceCursor;
    bool takes(std::size_t words) { return (!full_ && used_ + words <= words_.size()) || takesMore(words); }
    bool takesMore(std::size_t words);
    std::uint32_t* begin(const TracedAccess& access, std::size_t count, PackedRuns::Fit fit);
    void turnTo(const Schedule& program);

    std::size_t limit_;
    bool full_ = false;
    bool growing_ = false;     ///< more than this will be known later
    std::size_t used_ = 0;     ///< words
    std::size_t settled_ = 0;  ///< words before the last arrival
    const Schedule* latest_ = nullptr;
    std::vector<std::uint32_t> words_;
    TraceMemory memory_;  ///< of these
    std::vector<const Schedule*> programs_;
};

/// Reads a trace, which does not grow any more, from its beginning.
class TraceCursor {
  public:
    TraceCursor() noexcept = default;
    explicit TraceCursor(const ThreadTrace& trace) noexcept
        : at_(trace.words_.data()),
          end_(at_ + trace.used_),
          programs_(trace.programs_.data()),
          growing_(trace.growing_) {}

    struct Arrival {
        const Schedule* program = nullptr;  ///< null: the trace ends here
        isa::Line line = 0;
        bool unknown = false;  ///< it will go on, but it is not known where
    };
    Arrival arrival() noexcept;
    /// It will be read soon: fetches what comes next into the host's cache.
    void prepare() const noexcept {
        constexpr std::size_t kHostLineWords = 16;
        if (at_ == nullptr) return;  // a thread about which nothing is known yet
        for (std::size_t line = 0; line < 4; ++line) prefetch(at_ + line * kHostLineWords);
    }
    /// The access of this line. Returns false if it made none, as with all lanes off.
    bool access(isa::Line line, TracedAccess& access) noexcept;

  private:
    const std::uint32_t* at_ = nullptr;
    const std::uint32_t* end_ = nullptr;
    const Schedule* const* programs_ = nullptr;
    const Schedule* program_ = nullptr;
    bool growing_ = false;
};

}  // namespace zetl::emulator::machine

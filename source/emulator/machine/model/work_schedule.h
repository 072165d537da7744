// When the launches of a tile work, in the model's time, and how those that work side by side slow each other down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/mutex.h"
#include "emulator/machine/model/resource_use.h"

namespace zetl::emulator::machine {

/// The model's time is in cycles of the core clock. It depends on the order that the program gives to its launches, and
/// not on when the host executes them. Each launch is replayed as if it were alone, and then takes its place here: of
/// each resource it gets what those with lower numbers leave, as a dispatcher of work-groups serves the launch that
/// came first. Their sum is right whichever is first. Thread-safe.
class WorkSchedule {
  public:
    using Time = std::uint64_t;

    /// Somebody, who is known by this pointer, may still place launches of this number that begin at `from` or later;
    /// nothing: behind all that are placed. Returns the time. Throws bad_alloc.
    Time open(const void* who, std::uint64_t number, std::optional<Time> from);
    /// Its next launch begins at that time or later.
    void passed(const void* who, Time from) noexcept;
    /// It waits for something that others may have to do first, or does so no more: it holds no launch up meanwhile.
    void pause(const void* who, bool pauses) noexcept;
    void close(const void* who) noexcept;

    /// A launch that was opened, and what it took alone.
    struct Work {
        std::uint64_t cycles = 0;
        ResourceUse use{};
    };
    /// Whether nobody with a lower number can place a launch any more that begins before this one ends.
    bool mayPlace(const void* launch, const Work& work) const noexcept;
    /// The same but for those that take long. A launch that need not wait for its end still waits for its place.
    bool mayEnd(const void* launch, const Work& work) const noexcept;
    /// Those with lower numbers take long, and so does the launch itself.
    void takesLong(const void* launch) noexcept;
    /// The launch has waited long enough: those with lower numbers hold no launch up any more.
    void giveUp(const void* launch) noexcept;
    /// From now on nobody holds a launch up.
    void stopWaiting() noexcept;
    /// When the launch would end if it took its place now.
    Time endOf(const void* launch, const Work& work) const noexcept;

    struct Placement {
        Time begin = 0;
        Time end = 0;
        std::array<std::uint64_t, kResources> waited{};  ///< cycles between the two that others cost, by what was short
    };
    /// The launch takes its place, and is no longer open.
    Placement place(const void* launch, const Work& work) noexcept;

    /// The cycles of launches that were placed, less those during which one of them worked: they worked side by side.
    std::uint64_t shared() const noexcept;
    /// Where it began, if it is open.
    std::optional<Time> beginOf(const void* launch) const noexcept;
    /// The end of all that is placed.
    Time end() const noexcept;

  private:
    /// What of launches with higher numbers waits for somebody.
    enum class Awaited : std::uint8_t { byNothing, byPlaces, byEndsToo };
    struct Open {
        std::uint64_t number = 0;
        Time from = 0;
        bool pauses = false;
        Awaited awaited = Awaited::byEndsToo;
    };
    /// What is in use from its time on until the next span begins.
    struct Span {
        std::array<std::uint32_t, kResources> used{};
        std::uint32_t launches = 0;
    };
    /// A launch within a span: it proceeds at this part of its speed.
    struct Step {
        Time begin = 0;
        Time end = 0;
        std::uint32_t rate = kFullUse;
        std::size_t shortest = 0;  ///< the resource that limits it
    };
    using Spans = std::map<Time, Span>;
    static constexpr std::size_t kMostSpans = 4096;  ///< launches begin no earlier than these reach

    template <class F>
    Time walk(Time from, const Work& work, F&& visit) const ZETL_REQUIRES(mutex_);
    static Step limited(const Span& span, const ResourceUse& use) noexcept;
    Spans::iterator splitAt(Time time) ZETL_REQUIRES(mutex_);
    std::uint64_t take(const Step& step, const ResourceUse& use) ZETL_REQUIRES(mutex_);
    Time wouldEnd(const void* launch, const Work& work) const noexcept ZETL_REQUIRES(mutex_);
    bool isHeldUp(const void* launch, const Work& work, Awaited by) const noexcept ZETL_REQUIRES(mutex_);
    void lower(const void* launch, Awaited to) noexcept ZETL_REQUIRES(mutex_);

    mutable Mutex mutex_;
    bool waits_ ZETL_GUARDED_BY(mutex_) = true;
    std::map<const void*, Open> open_ ZETL_GUARDED_BY(mutex_);
    Spans spans_ ZETL_GUARDED_BY(mutex_) = {{0, Span{}}};
    std::uint64_t shared_ ZETL_GUARDED_BY(mutex_) = 0;
    Time end_ ZETL_GUARDED_BY(mutex_) = 0;
};

}  // namespace zetl::emulator::machine

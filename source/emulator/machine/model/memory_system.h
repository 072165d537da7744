// The caches of a tile and the ways between them, for a dispatch: compute when the lines of a message have arrived.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/machine/counters.h"
#include "emulator/machine/model/arrivals.h"
#include "emulator/machine/model/cache.h"
#include "emulator/machine/model/known_lines.h"
#include "emulator/machine/model/memory_way.h"
#include "emulator/machine/model/shared_lines.h"
#include "emulator/machine/model/tile_cache.h"
#include "emulator/machine/model/trace.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::machine {

/// First-level caches and ways are the dispatch's own, since dispatches are simulated one by one; they meet in the
/// tile's second-level cache. Not thread-safe. Times are cycles of the core clock since the dispatch began. Those of
/// one sub-slice may go back a little from call to call: an access that comes to a busy place waits for its turn there.
/// Those of several need not be in any order.
class MemorySystem {
  public:
    MemorySystem(const DeviceProfile& profile, TileCache& shared);
    /// How long a line takes the way to memory, in cycles / MemoryWay::kParts.
    static std::uint64_t partsOfLine(const DeviceProfile& profile) noexcept;
    /// As `other` is now, in front of another cache. Throws bad_alloc.
    MemorySystem(const MemorySystem& other, TileCache& shared);

    /// The sender of a message: offsets of scratch and private memory belong to a thread slot.
    struct Sender {
        std::uint32_t subslice = 0;
        std::uint32_t slot = 0;
    };
    /// Serves a message that arrives at `time`. Returns when its result is available.
    std::uint64_t serve(const Sender& sender, std::uint64_t time, const TracedAccess& access, bool wide);
    /// When the queue of a sub-slice takes its next message, for a unit that is free at `unitFree`. Frequent callers
    /// keep where that number lies.
    std::uint64_t accepts(std::uint64_t unitFree) const noexcept {
        return unitFree - std::min<std::uint64_t>(unitFree, timing_.queue);
    }
    const std::uint64_t& unitFree(std::uint32_t subslice) const noexcept { return subslices_[subslice].unitFree; }

    /// No message with an earlier time will be sent any more.
    void passed(std::uint64_t time) noexcept { memoryWay_.passed(time); }

    /// A group ended. The first groups began together, and all sub-slices ask memory at the same times until the first
    /// of them ends: until then, none of a sample finds what others leave.
    void groupEnded(std::uint64_t time) noexcept { memoryWay_.leaveRoom(time); }

    static constexpr std::uint64_t kCrowdedWindow = 64;  ///< cycles of a round in which sub-slices wait for memory
    /// MemoryWay::takeCrowded().
    bool takeCrowded() noexcept { return memoryWay_.takeCrowded(); }

    /// SharedLines::weigh().
    void weigh(std::uint64_t weight) noexcept { sharedLines_.weigh(weight); }

    /// A kernel begins, at time 0 and with empty first-level caches. So many sub-slices, of those that are at work,
    /// send messages: they find their part of the way to memory.
    void begin(std::uint32_t subslices, std::uint32_t of) noexcept;

    /// Adds the counts since begin().
    void addTo(Counts& counts) const noexcept;
    /// What is known, of those lines that were not in L3, about sub-slices that are not simulated.
    const SharedLines& sharedLines() const noexcept { return sharedLines_; }
    /// Lines that the sub-slices of a sample asked L3 for.
    KnownLines::Count asked() const noexcept;
    /// Instructions that cannot be simulated count as much as the others, `issued` of them, did in the mean.
    void extrapolate(std::uint64_t instructions, std::uint64_t issued) noexcept;

  private:
    /// A line that was requested lately.
    struct InFlight {
        std::uint32_t line = ~0u;
        std::uint64_t arrives = 0;
    };
    struct Subslice {
        explicit Subslice(Cache::Shape shape) : l1(shape), inFlight(kInFlight) {}
        Cache l1;
        std::vector<InFlight> inFlight;
        std::uint64_t lastArrives = 0;  ///< last arrival of all lines in flight since L1 was empty
        std::uint64_t unitFree = 0;     ///< load/store unit
        std::uint64_t portFree = 0;     ///< way to L3
        KnownLines known;               ///< if it is part of a sample
    };
    static constexpr std::size_t kInFlight = 1024;

    std::uint64_t serveLocal(Subslice& subslice, std::uint64_t time, const TracedAccess& access, bool wide) noexcept;
    std::uint64_t occupy(Subslice& subslice, std::uint64_t time, std::uint64_t cycles) noexcept;
    std::uint64_t placeOf(const Sender& sender, TraceSpace space) const noexcept;
    /// Lines of a message, one after the other from `time` on, behind so many bytes of the same message.
    struct Part {
        std::uint64_t time = 0;
        std::uint64_t moved = 0;
        Cache::Lines lines;
    };
    std::uint64_t serve(Subslice& subslice, const TracedAccess& access, const Part& part);
    std::uint64_t read(Subslice& subslice, const Part& part);
    std::uint64_t write(Subslice& subslice, const Part& part);
    std::uint64_t atomic(Subslice& subslice, const Part& part);
    std::uint64_t timeOf(const Part& part, std::size_t line) const noexcept {
        return part.time + (part.moved + line * timing_.lineBytes) / timing_.l1BytesPerCycle;
    }
    /// L3 will be asked for the line soon.
    void prepare(std::uint32_t number) const noexcept {
        shared_.l3.prepare(number);
        sharedLines_.prepare(number);
    }
    std::uint64_t hit(Subslice& subslice, std::uint64_t time, std::uint32_t number) const noexcept;
    std::uint64_t miss(Subslice& subslice, std::uint64_t time, std::uint32_t number);
    std::uint64_t take(Subslice& subslice, std::uint64_t time) noexcept;
    std::uint64_t awaitPlace(Subslice& subslice, std::uint64_t time);
    std::uint64_t fromL3(Subslice& subslice, std::uint64_t time, std::uint32_t number, Cache::Use use);
    std::uint64_t fromMemory(std::uint64_t time, std::uint32_t number);
    std::uint32_t numberOf(const Subslice& subslice) const noexcept {
        return static_cast<std::uint32_t>(&subslice - subslices_.data());
    }
    std::uint64_t othersAhead(std::uint64_t waited) const noexcept;
    std::uint64_t othersTake(std::uint32_t number) noexcept;
    SharedLines::Owner ownerOf(std::uint32_t number) const noexcept;
    void countRead(std::uint32_t number) noexcept;
    void countWrite(std::uint32_t number) noexcept;
    void count(Counter counter, std::uint64_t amount = 1) noexcept { counts_[counter] += amount; }

    void forgetLines() noexcept;

    const TimingModel timing_;
    TileCache& shared_;
    std::uint64_t generation_ = 0;  ///< of the shared cache's numbers, when the first-level caches were filled
    std::vector<Subslice> subslices_;
    const std::uint64_t lineParts_;  ///< of the way to memory
    MemoryWay memoryWay_;
    Arrivals arrivals_;
    SharedLines sharedLines_;
    Counts counts_;
};

}  // namespace zetl::emulator::machine

// Order that atomics and fences make between threads, as far as checks need it: whose accesses a thread has seen the
// end of.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "emulator/check/toucher.h"

namespace zetl::emulator::check {

/// Groups of a launch, and threads of its own group, that released something which somebody acquired. Coarse on
/// purpose: once a group was acquired, all that it does counts as ordered. Reports may be missed by that; none is made
/// up.
struct Acquired {
    std::vector<bool> groups;
    std::uint64_t threads = 0;

    bool hasGroup(std::uint64_t group) const noexcept { return group < groups.size() && groups[group]; }
    bool hasThread(std::uint32_t thread) const noexcept { return (threads >> thread & 1) != 0; }
    void add(const Acquired& other);
    void addGroup(std::uint64_t group);
    /// Without a thread, and the group that it is of.
    void remove(std::uint32_t thread, std::uint64_t group);
    bool empty() const noexcept { return groups.empty() && threads == 0; }
};

/// A thread that has written, and when: it has fenced so often behind its atomics, and its group has passed so many
/// barriers.
struct LateWriter {
    std::uint32_t thread = 0;
    std::uint32_t fences = 0;
    std::uint32_t epoch = 0;
};

/// What was released at addresses, by atomics behind fences. Thread-safe.
class ReleaseClock {
  public:
    /// So many addresses are kept at a time, 30 MB, and as many of atomics of a group's scope. Of further ones, races
    /// may be missed.
    static constexpr std::size_t kMostPlaces = 1 << 18;

    /// An atomic of somebody who has released `what` by a fence, and may acquire in turn what was released there
    /// before.
    Acquired exchange(std::uint64_t address, const Acquired& what);
    /// Nobody has released anything: what is exchanged for nothing is nothing.
    bool empty() const noexcept { return empty_.load(std::memory_order_acquire); }
    /// A launch has ended: nothing before it needs to be ordered by atomics.
    void clear();

    /// A thread that orders itself by atomics has written there behind its last fence: its next atomic does not release
    /// that.
    void wroteLate(std::uint64_t group, std::uint64_t address, const LateWriter& by);
    /// An atomic of that thread releases what it wrote before its last fence, and what its group wrote before a
    /// barrier.
    void release(std::uint64_t group, const LateWriter& by);
    bool isLate(std::uint64_t group, std::uint64_t address) const;

    /// An atomic that orders only what its own group sees: returns one of another group of the launch, if that was the
    /// last one there.
    std::optional<Toucher> meet(std::uint64_t launch, std::uint64_t address, const Toucher& now);

  private:
    using Writes = std::map<std::uint64_t, LateWriter>;  // by address

    std::atomic<bool> empty_{true};
    mutable Mutex mutex_;
    std::map<std::uint64_t, Acquired> released_ ZETL_GUARDED_BY(mutex_);
    std::map<std::pair<std::uint64_t, std::uint64_t>, Toucher> ofGroups_ ZETL_GUARDED_BY(mutex_);  // launch, address
    std::map<std::uint64_t, Writes> late_ ZETL_GUARDED_BY(mutex_);                                 // by group
    std::size_t lateWrites_ ZETL_GUARDED_BY(mutex_) = 0;
};

}  // namespace zetl::emulator::check

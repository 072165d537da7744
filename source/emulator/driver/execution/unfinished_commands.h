// The commands that the host has not waited for, for checks: what they may touch, what they wait for, and what they
// will signal.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "emulator/check/command_order.h"
#include "emulator/driver/execution/operation.h"

namespace zetl::emulator::driver {

class Stream;

/// Thread-safe.
class UnfinishedCommands {
  public:
    struct Entry {
        std::uint64_t number = 0;
        const Stream* stream = nullptr;  ///< only compared
        std::string name;                ///< "kernel launch"
        Footprint footprint;
        const CommandSequence* sequence = nullptr;  ///< of the list that it is of; only compared
        std::vector<std::weak_ptr<const void>>
            places;  ///< keep the addresses of what is compared from being used again
        std::vector<std::shared_ptr<SignalState>> waits;
        std::shared_ptr<SignalState> signal;  ///< null: it signals nothing
        bool ended = false;                   ///< it was executed
        bool begun = false;                   ///< what it waits for is signalled
    };

    void add(Entry entry);
    void begun(std::uint64_t number) noexcept;
    void ended(std::uint64_t number) noexcept;
    /// The stream is lost: what it has not executed is never executed.
    void drop(const Stream& stream) noexcept;
    /// Forgets those that the host has waited for.
    void seen(const check::Clock& host);

    /// The first that the host has not waited for and for which it holds. The predicate must not call back.
    std::optional<Entry> firstWith(const std::function<bool(const Entry&)>& wanted) const;
    std::vector<const Stream*> streams() const;

    /// Why a wait cannot end, the outermost first, and the events that nothing signals.
    struct Endless {
        std::vector<std::string> chain;
        std::vector<std::shared_ptr<SignalState>> roots;
    };
    /// For a wait for a state, or for all of a stream if that is null. Nothing if it may end.
    std::optional<Endless> endless(const SignalState* state, const Stream* stream) const;

  private:
    class Search;

    mutable Mutex mutex_;
    check::Clock host_ ZETL_GUARDED_BY(mutex_);
    std::map<std::uint64_t, Entry> entries_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::driver

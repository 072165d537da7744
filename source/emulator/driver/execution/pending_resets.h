// Resets of events that were submitted and have not been executed.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/driver/execution/operation.h"

namespace zetl::emulator::driver {

/// The engine of a device on which a stream runs, to be compared.
struct StreamPlace {
    const Device* device;
    std::uint32_t ordinal;
    std::uint32_t index;

    bool operator==(const StreamPlace&) const = default;
};

/// Hardware executes what is submitted to one engine in order, whichever queues it comes from. Streams of one engine
/// run beside each other here, but programs see one part of that order: a wait must not find the signal that a reset
/// submitted before it takes back. SYCL's graphs rely on that (Unified Runtime's first Level Zero adapter resets the
/// events of a graph on one queue, and waits for them on another). Thread-safe; never destroyed.
class PendingResets {
  public:
    using Sequences = std::vector<std::shared_ptr<const CommandSequence>>;

    static PendingResets& instance();

    /// Notes the resets of a submission. Returns false if it has none: end() need not be called then.
    bool begin(const StreamPlace& place, std::uint64_t submission, const Sequences& sequences);
    /// The command has been executed, or never will be.
    void end(std::uint64_t submission, const Command& command) noexcept;

    /// What a command of that submission has to wait for before it waits for events: the ends of all earlier resets of
    /// these events on the same engine.
    std::vector<std::shared_ptr<SignalState>> before(const StreamPlace& place, std::uint64_t submission,
                                                     const Command& command);

  private:
    struct Reset {
        StreamPlace place;
        std::uint64_t submission;
        const SignalState* event;
        std::shared_ptr<SignalState> done;
    };

    Mutex mutex_;
    std::list<Reset> resets_ ZETL_GUARDED_BY(mutex_);  ///< in the order of their submission
    std::atomic<std::uint64_t> count_{0};              ///< of these; increased before streams see the submission
};

}  // namespace zetl::emulator::driver

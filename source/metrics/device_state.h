// The metrics module's state for one device: its groups, which of them are active, and the right to its sources.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "base/once.h"
#include "metrics/group.h"
#include "metrics/programmable.h"

namespace zetl::metrics {

/// Made on first use, lives as long as the Metrics. Thread-safe.
class DeviceState {
  public:
    /// `traced`: whether it lists tracer-based groups.
    explicit DeviceState(const device::Device& device, bool traced = false) : device_(device), traced_(traced) {}

    const device::Device& device() const noexcept { return device_; }

    /// The ready-made groups that the device offers, first the time-based and then the event-based one of each. If the
    /// device counts nothing that these name, the blocks of its catalogue take their place. Groups that sample
    /// instructions come last. Made at the first call.
    const std::vector<std::shared_ptr<Group>>& groups();

    /// One for each counter of streams and queries. Made at the first call.
    const std::vector<std::shared_ptr<Programmable>>& programmables();

    /// Whether all of these can be found by their handles; for the Metrics that owns this, under its mutex.
    bool published() const noexcept { return published_; }
    void setPublished() noexcept { published_ = true; }

    /// Replaces the active set. INVALID_ARGUMENT, and no change, for a group of another device, or for two groups of
    /// one domain with different counters.
    ze_result_t activate(std::vector<std::shared_ptr<Group>> groups);
    bool active(const Measurement& measured) const;
    bool active(const Group& group) const;
    bool anyActive() const;

    /// Shares one of the device's sources among our own users: the first acquires it from the device, the last gives it
    /// back. NOT_AVAILABLE if another process or tool has it.
    Result<std::shared_ptr<const zetl_lease_t>> acquire(zetl_source_t source);

  private:
    std::vector<std::shared_ptr<Group>> made(std::span<const GroupShape> shapes, GroupSource source) const;

    const device::Device& device_;
    const bool traced_;
    bool published_ = false;
    Once groupsMade_;
    std::vector<std::shared_ptr<Group>> groups_;
    Once programmablesMade_;
    std::vector<std::shared_ptr<Programmable>> programmables_;
    mutable Mutex mutex_;
    std::vector<std::shared_ptr<Group>> active_ ZETL_GUARDED_BY(mutex_);
    std::array<std::weak_ptr<const zetl_lease_t>, ZETL_SOURCES> leases_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::metrics

// What metrics know and hold of one device: its groups, which of them are active, and the right to its sources.
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

    /// The ready-made ones, of each the time-based group, then the event-based one. Those that the device offers; of a
    /// device that counts nothing they name, the blocks of its catalogue instead; behind them what samples
    /// instructions. Made at the first call.
    const std::vector<std::shared_ptr<Group>>& groups();

    /// One for each counter that streams and queries have. Made at the first call.
    const std::vector<std::shared_ptr<Programmable>>& programmables();

    /// Whether all of these are found by their handles; for the Metrics that has this, under its mutex.
    bool published() const noexcept { return published_; }
    void setPublished() noexcept { published_ = true; }

    /// Replaces the active set. INVALID_ARGUMENT, and no change, for two groups of one domain that are not the same
    /// counters, or a group of another device.
    ze_result_t activate(std::vector<std::shared_ptr<Group>> groups);
    bool active(const Measurement& measured) const;
    bool active(const Group& group) const;
    bool anyActive() const;

    /// Shared ownership of one of the device's sources among our own users: the first acquires it from the device, the
    /// last gives it back. NOT_AVAILABLE if somebody else has it.
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

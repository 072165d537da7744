// What metrics know and hold of one device: its groups, which of them are active, and the right to its sources.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "base/mutex.h"
#include "metrics/block_templates.h"
#include "metrics/group.h"

namespace zetl::metrics {

/// Made on first use, lives as long as the Metrics. Thread-safe.
class DeviceState {
  public:
    explicit DeviceState(const device::Device& device) : device_(device) {}

    const device::Device& device() const noexcept { return device_; }

    /// Of each template the time-based group, then the event-based one, as far as the device offers them; of a device
    /// that counts nothing the templates name, the blocks of its catalogue instead. Made at the first call.
    const std::vector<std::shared_ptr<Group>>& groups();

    /// Replaces the active set. INVALID_ARGUMENT, and no change, for two groups of one domain that are not the same
    /// counters, a group of another device, or a device that cannot be streamed and queried at the same time.
    ze_result_t activate(std::vector<std::shared_ptr<Group>> groups);
    bool active(const Group& group) const;
    bool anyActive() const;

    /// Shared ownership of one of the device's sources among our own users: the first acquires it from the device, the
    /// last gives it back. NOT_AVAILABLE if somebody else has it.
    Result<std::shared_ptr<const zetl_lease_t>> acquire(zetl_source_t source);

  private:
    void make(std::span<const GroupTemplate> shapes);

    const device::Device& device_;
    std::once_flag groupsMade_;
    BlockTemplates blocks_;
    std::vector<std::shared_ptr<Group>> groups_;
    mutable Mutex mutex_;
    std::vector<std::shared_ptr<Group>> active_ ZETL_GUARDED_BY(mutex_);
    std::array<std::weak_ptr<const zetl_lease_t>, ZETL_SOURCES> leases_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::metrics

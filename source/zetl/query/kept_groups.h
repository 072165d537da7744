// Metric groups that stay active while others are activated.
#pragma once

#include <level_zero/zet_api.h>

#include <mutex>
#include <utility>
#include <vector>

namespace zetl::queries {

/// Activation names all groups of a device. A streamer whose group is not among them goes on, but cannot be opened
/// again. Thread-safe.
class KeptGroups {
  public:
    static KeptGroups& instance() {
        static auto* const made = new KeptGroups;  // never destroyed: other threads go on while the process ends
        return *made;
    }
    void keep(ze_device_handle_t device, zet_metric_group_handle_t group) {
        const std::lock_guard guard(mutex_);
        kept_.emplace_back(device, group);
    }
    void addTo(std::vector<zet_metric_group_handle_t>& groups, ze_device_handle_t device) const {
        const std::lock_guard guard(mutex_);
        for (const auto& [of, group] : kept_)
            if (of == device) groups.push_back(group);
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::pair<ze_device_handle_t, zet_metric_group_handle_t>> kept_;
};

}  // namespace zetl::queries

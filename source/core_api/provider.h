// Device access for drivers that count nothing: what the core API tells of this process's commands, as counters that
// streamers read. There are no queries, since commands are timed one by one and not between two points of a list.
#pragma once

#include <ze_tools_layer/device_access.h>

namespace zetl::core_api {

/// Its devices are those of known_devices.h.
const zetl_device_access_t& provider() noexcept;

}  // namespace zetl::core_api

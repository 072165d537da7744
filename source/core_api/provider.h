// Device access for drivers that count nothing: streamers read, as counters, what the core API reports about this
// process's commands. There are no queries, since commands are timed one by one and not between two points of a list.
#pragma once

#include <ze_tools_layer/device_access.h>

namespace zetl::core_api {

/// Its devices are those of known_devices.h.
const zetl_device_access_t& provider() noexcept;

}  // namespace zetl::core_api

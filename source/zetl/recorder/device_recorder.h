// Records what devices do, beside the calls.
#pragma once

#include "recording/format.h"

namespace zetl::recorder {

class DeviceRecorder {
  public:
    /// Call it once, before the application's first call. Prints a line on standard error if devices cannot be
    /// recorded.
    static void start(void* layer);

    /// This thread is in the call with that record; null: in no call, or in one without a record.
    static void callBegins(const command::Record* record) noexcept;
};

}  // namespace zetl::recorder

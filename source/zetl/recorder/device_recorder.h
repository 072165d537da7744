// Records what devices do, beside the calls.
#pragma once

#include "recording_format.h"

namespace zetl::recorder {

class DeviceRecorder {
  public:
    /// Once, before the first call of the application; a line on standard error if devices cannot be watched.
    static void start(void* layer);

    /// This thread is in the call of that record; null: in none, or in one that has none.
    static void callBegins(const command::Record* record) noexcept;
};

}  // namespace zetl::recorder

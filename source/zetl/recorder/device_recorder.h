// Records what devices do, beside the calls.
#pragma once

#include "recording/format.h"

namespace zetl::recorder {

class DeviceRecorder {
  public:
    /// `kernels`: patterns; null: all. `late`: the application may have made queues and lists before. Prints a line on
    /// standard error if devices cannot be recorded.
    static void start(void* layer, const char* kernels, bool late);
    /// Records what has ended.
    static void read() noexcept;
    /// Leaves the application's calls alone. Waits until those in progress have returned.
    static void stop() noexcept;

    /// This thread is in the call with that record; null: in no call, or in one without a record.
    static void callBegins(const command::Record* record) noexcept;
};

}  // namespace zetl::recorder

// The tools modules behind the emulated driver's zet tables: a program that takes no layer slot reaches the same
// modules.
#pragma once

#include "debug/debugger.h"
#include "device/devices.h"
#include "metrics/metrics.h"
#include "pin/pin.h"

namespace zetl::emulated_gpu {

/// The modules on the emulated devices. Never destroyed: the host may call until the process is gone.
class Tools {
  public:
    /// Made at the first zeInit, which is when the Tools API's environment variables are read; not before.
    static Tools& instance();

    metrics::Metrics& part(metrics::Metrics*) noexcept { return metrics_; }
    pin::Pin& part(pin::Pin*) noexcept { return pin_; }
    debug::Debug& part(debug::Debug*) noexcept { return debug_; }

  private:
    Tools();
    device::Devices devices_;
    metrics::Metrics metrics_;
    pin::Pin pin_;
    debug::Debug debug_;
};

/// Puts the modules into the driver's tables and offers device access. Does so once; called by every getter.
void composeTools() noexcept;

/// The rows of the functions that the modules serve (tools_rows.cpp).
void serveTools();

}  // namespace zetl::emulated_gpu

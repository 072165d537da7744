// The tools modules together, over the devices that offer device access. Each of our libraries composes one.
#pragma once

#include "debug/debugger.h"
#include "device/devices.h"
#include "metrics/metrics.h"
#include "pin/pin.h"
#include "tools/switches.h"

namespace zetl::tools {

/// Each composition has one, and adds the providers of device access to `devices`. Thread-safe; never destroyed, since
/// the host may call until the process is gone.
class Toolbox {
  public:
    /// `core`: the core functions below the composition.
    Toolbox(device::CoreCalls core, const Switches& switches, std::span<const device::Access> offered);

    metrics::Metrics& part(metrics::Metrics*) noexcept { return metrics_; }
    pin::Pin& part(pin::Pin*) noexcept { return pin_; }
    debug::Debug& part(debug::Debug*) noexcept { return debug_; }

  private:
    device::Devices devices_;
    metrics::Metrics metrics_;
    pin::Pin pin_;
    debug::Debug debug_;
};

}  // namespace zetl::tools

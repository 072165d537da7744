#include "tools/toolbox.h"

namespace zetl::tools {
namespace {

/// Runs before the modules are made, since the debug agent serves the devices from its first moment on.
device::Devices& filled(device::Devices& devices, std::span<const device::Access> offered) {
    for (const auto& access : offered) devices.add(access);
    return devices;
}

}  // namespace

Toolbox::Toolbox(device::CoreCalls core, const Switches& switches, std::span<const device::Access> offered)
    : devices_(core),
      metrics_(filled(devices_, offered), switches.metrics, switches.metricTracers),
      pin_(devices_),
      debug_(devices_, debug::debuggee(switches.programDebugging)) {}

}  // namespace zetl::tools

#include "emulator/driver/device/platform.h"

#include "base/never_destroyed.h"

namespace zetl::emulator::driver {

machine::Machine& platform() {
    static NeverDestroyed<std::unique_ptr<machine::Machine>> machine(
        machine::Machine::create(machine::configuredProfile()));
    return **machine;
}

}  // namespace zetl::emulator::driver

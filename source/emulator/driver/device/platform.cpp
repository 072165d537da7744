#include "emulator/driver/device/platform.h"

namespace zetl::emulator::driver {

machine::Machine& platform() {
    static auto* const machine = machine::Machine::create(machine::configuredProfile()).release();
    return *machine;
}

}  // namespace zetl::emulator::driver

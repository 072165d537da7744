#include "emulator/driver/entry/tables.h"

#include "driver/description.h"

namespace zetl::emulator::driver {
namespace {

std::span<const Rows> everyRow() noexcept {
    static const Rows all[] = {globalRows(),         driverRows(),        deviceRows(),  contextRows(),
                               memoryRows(),         memorySharingRows(), eventRows(),   queueRows(),
                               listRows(),           listMemoryRows(),    moduleRows(),  kernelRows(),
                               launchRows(),         virtualMemoryRows(), fabricRows(),  sysmanRows(),
                               counterEventRows(),   mutationRows(),      runtimeRows(), requirementsRows(),
                               sysmanComponentRows()};
    return all;
}

}  // namespace
}  // namespace zetl::emulator::driver

const zetl::driver::Description* zetlDriverDescription() noexcept {
    static const zetl::driver::Description description{
        zetl::log::Channel::emulator,
        "not offered by the emulated device; docs/reference/emulated-gpu.md lists what is",
        zetl::emulator::driver::everyRow()};
    return &description;
}

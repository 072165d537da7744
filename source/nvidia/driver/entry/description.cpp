#include "driver/description.h"

#include "nvidia/driver/entry/rows.h"

namespace zetl::nvidia {
namespace {

std::span<const driver::Rows> everyRow() noexcept {
    static const driver::Rows all[] = {globalRows(),    deviceRows(), contextRows(),
                                       executionRows(), listRows(),   programRows()};
    return all;
}

}  // namespace
}  // namespace zetl::nvidia

const zetl::driver::Description* zetlDriverDescription() noexcept {
    static const zetl::driver::Description description{
        zetl::log::Channel::nvidia, "not offered on NVIDIA devices; docs/reference/nvidia.md lists what is",
        zetl::nvidia::everyRow()};
    return &description;
}

// The functions that the driver implements: functions.def.
#include "driver/description.h"
#include "driver/entry.h"
#include "nvidia/driver/entry/by_hand.h"
#include "nvidia/driver/entry/context_objects.h"
#include "nvidia/driver/entry/objects.h"
#include "nvidia/driver/sysman/device_answers.h"
#include "nvidia/driver/sysman/monitored_device.h"

namespace zetl::nvidia {
namespace {

driver::Rows rows() noexcept {
    static const driver::Served all[] = {
#define SERVED(name, letters, ...) \
    {ddi::Function::name, driver::entryOf(ZETL_ENTRY(name, decltype(::name), always, letters, __VA_ARGS__))},
#define SYSMAN(name, ready, letters, ...) \
    {ddi::Function::name, driver::entryOf(ZETL_ENTRY(name, decltype(::name), ready, letters, __VA_ARGS__))},
#define NAMED(name, prototype, letters, ...)
#define BY_HAND(name, entry) ZETL_SERVES(name, entry),
#include "nvidia/driver/entry/functions.def"
#undef BY_HAND
#undef NAMED
#undef SYSMAN
#undef SERVED
    };
    return all;
}

std::span<const driver::NamedFunction> named() noexcept {
    static const driver::NamedFunction all[] = {
#define SERVED(name, letters, ...)
#define SYSMAN(name, ready, letters, ...)
#define NAMED(name, prototype, letters, ...) \
    {#name, driver::entryOf(ZETL_ENTRY(name, prototype, always, letters, __VA_ARGS__))},
#define BY_HAND(name, entry)
#include "nvidia/driver/entry/functions.def"
#undef BY_HAND
#undef NAMED
#undef SYSMAN
#undef SERVED
    };
    return all;
}

constexpr const char* kNoImages = "images are not offered on NVIDIA devices; keep texels in memory of zeMemAllocDevice";
constexpr const char* kNoIndirectLaunches =
    "CUDA reads no group counts from memory; read them back and call zeCommandListAppendLaunchKernel";
constexpr driver::Remedy kRemedies[] = {
    {ddi::Function::zeImageCreate, kNoImages},
    {ddi::Function::zeImageGetProperties, kNoImages},
    {ddi::Function::zeSamplerCreate, kNoImages},
    {ddi::Function::zeCommandListAppendLaunchKernelIndirect, kNoIndirectLaunches},
    {ddi::Function::zeCommandListAppendLaunchMultipleKernelsIndirect, kNoIndirectLaunches},
};

}  // namespace
}  // namespace zetl::nvidia

const zetl::driver::Description* zetlDriverDescription() noexcept {
    static const zetl::driver::Description description{
        zetl::log::Channel::nvidia, "not offered on NVIDIA devices; docs/reference/nvidia.md lists what is",
        zetl::nvidia::rows(), zetl::nvidia::named(), zetl::nvidia::kRemedies};
    return &description;
}

#include "nvidia/access/command_times.h"

#include <new>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "nvidia/access/command_recorder.h"
#include "nvidia/driver/device/device.h"

namespace zetl::nvidia::access {
namespace {

CommandRecorder& recorder() {
    static NeverDestroyed<CommandRecorder> one;
    return *one;
}

std::uint32_t serves(ze_device_handle_t device) noexcept {
    try {
        if (!live<Device>().find(device)) return 0;
        static const bool started = recorder().start();
        return started ? 1 : 0;
    } catch (const std::exception& failure) {
        log::warn(log::Channel::nvidia, "events time commands: {}", failure.what());
        return 0;
    }
}

std::uint32_t take(std::uint32_t capacity, zetl_command_time_t* times) noexcept {
    return recorder().take({times, capacity});
}

void flush(std::uint32_t last) noexcept { recorder().flush(last != 0); }

void tag(std::uint64_t tag) noexcept { submissions::setTag(tag); }

}  // namespace

const zetl_command_times_t* commandTimes() noexcept {
    static constexpr zetl_command_times_t kTable = {
        .size = sizeof kTable, .serves = serves, .tag = tag, .take = take, .flush = flush};
    return &kTable;
}

}  // namespace zetl::nvidia::access

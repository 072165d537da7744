#include "nvidia/driver/sysman/monitored_device.h"

#include <fmt/format.h>

#include <atomic>
#include <ctime>

#include "base/settings.h"
#include "nvidia/driver/device/device.h"
#include "nvidia/nvml/api.h"

namespace zetl::nvidia {
namespace {

constinit std::atomic<bool> sysmanWasStarted{false};

bool sysmanIsSwitchedOn() noexcept {
    static const bool on = settings::enabled(settings::kSysman);
    return on;
}

Status withNvml() {
    const std::string& problem = openNvml();
    if (problem.empty()) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "sysman is not available: {}", problem);
}

std::string uuidText(const std::array<std::uint8_t, 16>& uuid) {
    std::string text = "GPU";
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", uuid[i]);
    }
    return text;
}

}  // namespace

Status startSysman() {
    if (const Status bad = withNvml(); bad != ZE_RESULT_SUCCESS) return bad;
    sysmanWasStarted.store(true);
    return ZE_RESULT_SUCCESS;
}

Status sysmanAnswers() {
    if (sysmanWasStarted.load()) return ZE_RESULT_SUCCESS;
    if (sysmanIsSwitchedOn()) return withNvml();
    return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "sysman is off; call zesInit, or set {}=1 before zeInit",
                  settings::kSysman);
}

Status sysmanStarted() {
    if (sysmanWasStarted.load()) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "sysman was not started; call zesInit first");
}

std::optional<MonitoredDevice> monitored(Device& device) {
    const std::string uuid = uuidText(device.attributes().uuid);
    MonitoredDevice found{&device, nullptr};
    const int error = nvml().nvmlDeviceGetHandleByUUID(uuid.c_str(), &found.nvml);
    if (error == 0) return found;
    log::warn(log::Channel::nvidia, "NVML does not know {} ({}): it has no sysman components", uuid,
              nvml().nvmlErrorString(error));
    return std::nullopt;
}

std::uint64_t sampleTime() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000;
}

}  // namespace zetl::nvidia

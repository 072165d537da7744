#include "run/emulated_device.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <level_zero/ze_ddi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "run/probe.h"
#include "text/usage_error.h"

namespace zetl::command {
namespace {

constexpr const char* kDeviceVariable = "ZETL_EMULATED_DEVICE";

constexpr const char* kNoDevice = "; there is no device";  // what the driver adds (start.cpp), which is known here

/// Calls the driver's zeInit as a loader does.
ze_result_t initialiseDriver(const char* path) {
    void* driver = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!driver) throw std::runtime_error(dlerror());
    const auto getTable = reinterpret_cast<ze_pfnGetGlobalProcAddrTable_t>(dlsym(driver, "zeGetGlobalProcAddrTable"));
    ze_global_dditable_t table{};
    if (!getTable || getTable(ZE_API_VERSION_1_0, &table) != ZE_RESULT_SUCCESS) return ZE_RESULT_ERROR_UNKNOWN;
    return table.pfnInit(0);
}

/// The text of a log line, without time and channel.
std::string messageIn(const std::string& log) {
    const auto variable = log.find(kDeviceVariable);
    const auto text = variable == std::string::npos ? log : log.substr(variable);
    const auto line = text.substr(0, text.find('\n'));
    return line.substr(0, line.find(kNoDevice));
}

/// In the child: empty if the driver has a device, otherwise its message.
std::string tryDevice(const char* driver) {
    const int log = memfd_create("log", 0);
    setenv("ZETL_LOG_FILE", fmt::format("/proc/self/fd/{}", log).c_str(), 1);
    const auto result = initialiseDriver(driver);
    if (result == ZE_RESULT_SUCCESS) return "";
    char text[4096];
    const auto length = pread(log, text, sizeof text, 0);
    if (length <= 0) return fmt::format("{}: zeInit returns {:#x}", kDeviceVariable, static_cast<unsigned>(result));
    return messageIn(std::string(text, static_cast<std::size_t>(length)));
}

/// True in a shell that evaluated `zetl env --emulated`.
bool isOursAlready() {
    const char* drivers = std::getenv("ZE_ENABLE_ALT_DRIVERS");
    return drivers && std::string(drivers).find("libze_emulated_gpu.so") != std::string::npos;
}

}  // namespace

std::string refusalOf(const Installation& installation, const std::string& profile) {
    const Variables variables = {
        {kDeviceVariable, profile}, {"ZETL_LOG", "emulator=error"}, {"ZET_ENABLE_PROGRAM_DEBUGGING", "0"}};
    const auto tried = probe(variables, [&] { return tryDevice(installation.emulatedGpu.c_str()); });
    return tried.finished ? tried.text : fmt::format("{}={}: the driver {}", kDeviceVariable, profile, tried.how);
}

void requireDevice(const Installation& installation, const Choice& choice) {
    if (!choice.emulated && !isOursAlready()) return;
    const char* variable = std::getenv(kDeviceVariable);
    const std::string profile = !choice.profile.empty() || !variable ? choice.profile : variable;
    if (profile.empty()) return;
    const auto refusal = refusalOf(installation, profile);
    if (refusal.empty()) return;
    const std::string ofVariable = fmt::format("{}: ", kDeviceVariable);
    throw UsageError(choice.profile.empty() || !refusal.starts_with(ofVariable)
                         ? refusal
                         : fmt::format("--device {}: {}", profile, refusal.substr(ofVariable.size())));
}

}  // namespace zetl::command

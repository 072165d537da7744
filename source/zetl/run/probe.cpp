#include "run/probe.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "files/file_content.h"

namespace zetl::command {
namespace {

constexpr unsigned kSeconds = 20;

[[noreturn]] void runChild(int pipe, const Variables& variables, const std::function<std::string()>& body) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(kSeconds);
    apply(variables);
    std::string text;
    try {
        text = body();
    } catch (...) {
        _exit(1);
    }
    const auto written = write(pipe, text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
}

std::string describe(int status) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return fmt::format("did not finish within {} s", kSeconds);
    if (WIFSIGNALED(status))
        return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return fmt::format("exited with code {}", WEXITSTATUS(status));
}

template <class F>
F* function(void* library, const char* name) {
    return reinterpret_cast<F*>(dlsym(library, name));
}

void listDevices(void* loader, std::ostream& out) {
    const auto driverGet = function<decltype(zeDriverGet)>(loader, "zeDriverGet");
    const auto deviceGet = function<decltype(zeDeviceGet)>(loader, "zeDeviceGet");
    const auto getProperties = function<decltype(zeDeviceGetProperties)>(loader, "zeDeviceGetProperties");
    std::uint32_t drivers = 0;
    driverGet(&drivers, nullptr);
    std::vector<ze_driver_handle_t> allDrivers(drivers);
    driverGet(&drivers, allDrivers.data());
    for (auto* driver : allDrivers) {
        std::uint32_t devices = 0;
        deviceGet(driver, &devices, nullptr);
        std::vector<ze_device_handle_t> all(devices);
        deviceGet(driver, &devices, all.data());
        for (auto* device : all) {
            ze_device_properties_t properties{};
            properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
            if (getProperties(device, &properties) == ZE_RESULT_SUCCESS) out << "device " << properties.name << '\n';
        }
    }
}

void listVersion(void* loader, std::ostream& out) {
    const auto getVersions =
        function<ze_result_t(std::size_t*, zel_component_version_t*)>(loader, "zelLoaderGetVersions");
    std::size_t count = 0;
    if (!getVersions || getVersions(&count, nullptr) != ZE_RESULT_SUCCESS) return;
    std::vector<zel_component_version_t> components(count);
    if (getVersions(&count, components.data()) != ZE_RESULT_SUCCESS) return;
    for (const auto& each : components)
        if (std::strcmp(each.component_name, "loader") == 0)
            out << "version " << each.component_lib_version.major << '.' << each.component_lib_version.minor << '.'
                << each.component_lib_version.patch << '\n';
}

/// In the child: one fact per line.
std::string initialiseHere() {
    std::ostringstream out;
    void* loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!loader) return "";
    const auto result = function<decltype(zeInit)>(loader, "zeInit")(0);
    out << "result " << static_cast<std::uint32_t>(result) << '\n';
    if (result == ZE_RESULT_SUCCESS) {
        listVersion(loader, out);
        listDevices(loader, out);
    }
    return out.str();
}

}  // namespace

ProbeResult probe(const Variables& variables, const std::function<std::string()>& body) {
    int ends[2];
    if (pipe(ends) != 0) return {false, std::strerror(errno), ""};
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        runChild(ends[1], variables, body);
    }
    close(ends[1]);
    ProbeResult result;
    result.text = readAll(ends[0]);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    result.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!result.finished) result.how = describe(status);
    return result;
}

OpenedLibrary openLibrary(const std::string& name) {
    const auto result = probe({}, [&] {
        void* library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
        if (!library) return fmt::format("-{}", dlerror());
        link_map* map = nullptr;
        dlinfo(library, RTLD_DI_LINKMAP, &map);
        return fmt::format("+{}", map->l_name);
    });
    if (!result.finished) return {"", "opening it " + result.how};
    if (result.text.starts_with('+')) return {result.text.substr(1), ""};
    return {"", result.text.substr(1)};
}

LevelZeroState initialise(const Variables& variables, const std::vector<const char*>& unset) {
    LevelZeroState state;
    const auto result = probe(variables, [&] {
        for (const char* name : unset) unsetenv(name);
        return initialiseHere();
    });
    if (!result.finished) {
        state.loaded = true;
        state.failure = result.how;
        return state;
    }
    std::istringstream lines(result.text);
    for (std::string line; std::getline(lines, line);) {
        const auto blank = line.find(' ');
        const auto key = line.substr(0, blank);
        const auto value = line.substr(blank + 1);
        state.loaded = true;
        if (key == "result") state.result = std::stoull(value);
        if (key == "version") state.loaderVersion = value;
        if (key == "device") state.devices.push_back(value);
    }
    return state;
}

}  // namespace zetl::command

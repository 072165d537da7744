#include "run/loader_choice.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <level_zero/loader/ze_loader.h>

#include <cstdio>

#include "run/probe.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoader = "libze_loader.so.1";

/// In a child, which may break: what the loader says of itself before it is initialised.
std::string reportedVersion(const fs::path& file) {
    const auto asked = probe({}, [&]() -> std::string {
        void* const loader = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
        const auto get =
            loader ? reinterpret_cast<ze_result_t (*)(zel_component_version_t*)>(dlsym(loader, "zelLoaderGetVersion"))
                   : nullptr;
        zel_component_version_t version{};
        if (!get || get(&version) != ZE_RESULT_SUCCESS) return {};
        const auto& number = version.component_lib_version;
        return fmt::format("{}.{}.{}", number.major, number.minor, number.patch);
    });
    return asked.text;
}

bool hasLoader(const Installation& installation) {
    std::error_code unreadable;
    return fs::exists(installation.loader / kLoader, unreadable);
}

}  // namespace

bool LoaderChoice::isTooOld() const {
    int major = 0;
    int minor = 0;
    return std::sscanf(version.c_str(), "%d.%d", &major, &minor) == 2 && major == 1 && minor < kOldestLoaderForSycl;
}

std::string versionInName(const fs::path& file) {
    const auto name = file.filename().native();
    constexpr std::string_view kPrefix = "libze_loader.so.";
    if (!name.starts_with(kPrefix)) return {};
    const auto version = name.substr(kPrefix.size());
    return version.find('.') == std::string::npos ? std::string() : version;
}

LoaderChoice chooseLoader(const Installation& installation) {
    LoaderChoice choice;
    const auto opened = openLibrary(kLoader);
    std::error_code gone;
    if (opened.path.empty()) {
        choice.reason = opened.reason;
    } else {
        choice.found = fs::canonical(opened.path, gone);
        if (gone) choice.found = opened.path;
        choice.version = versionInName(choice.found);
        if (choice.version.empty()) choice.version = reportedVersion(choice.found);
    }
    if (!hasLoader(installation)) return choice;
    const bool isOurs = fs::equivalent(choice.found, installation.loader / kLoader, gone);
    if (choice.found.empty() || choice.isTooOld() || isOurs) choice.inFront = installation.loader;
    return choice;
}

}  // namespace zetl::command

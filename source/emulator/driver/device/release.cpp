#include "emulator/driver/device/release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "driver/served_specification.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

/// The first build that has everything that SYCL's adapter asks a build number for; the last of these is
/// zeGraphGetIdExt.
constexpr std::uint32_t kBuild = 38921;

}  // namespace

std::uint32_t releaseNumber() noexcept {
    const std::uint32_t version = kServedSpecification;
    return ZE_MAJOR_VERSION(version) << 24 | ZE_MINOR_VERSION(version) << 16 | kBuild;
}

std::string releaseText() {
    const std::uint32_t version = kServedSpecification;
    return fmt::format("{}.{}.{}", ZE_MAJOR_VERSION(version), ZE_MINOR_VERSION(version), kBuild);
}

Status getReleaseText(Driver&, char* text, std::size_t& size) {
    const std::string release = releaseText();
    if (size == 0) {
        size = release.size();
        return ZE_RESULT_SUCCESS;
    }
    if (!text) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    std::memcpy(text, release.c_str(), std::min(size, release.size() + 1));
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver

#include "emulator/driver/program/coverage.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/settings.h"
#include "emulator/module/debug_image.h"
#include "executed/counts_file.h"
#include "executed/format.h"

namespace zetl::emulator::driver {
namespace {

static_assert(machine::kCountedBytes == executed::kCountedBytes);

/// Empty if no coverage is wanted.
const std::string& wantedDirectory() {
    static NeverDestroyed<std::string> named(settings::text(settings::kCoverage).value_or(""));
    return *named;
}

void logObstacle(const char* what) {
    log::error(log::Channel::emulator, "{}={}: the coverage of a module is not counted, {}: {}", settings::kCoverage,
               wantedDirectory(), what, std::strerror(errno));
}

}  // namespace

std::shared_ptr<machine::ExecutionCounts> coverageOf(const module::LinkedModule& module,
                                                     std::uint64_t codeBytes) noexcept try {
    const std::string& directory = wantedDirectory();
    if (directory.empty()) return nullptr;
    const auto image = module::makeDebugImage(module);
    if (!image) {
        log::error(log::Channel::emulator, "the coverage of a module is not counted: {}; build it again",
                   image.error().message);
        return nullptr;
    }
    const std::string key = executed::keyOf(module.image().native);
    if (!executed::keepImage(directory, key, module.addresses().code, *image)) {
        logObstacle("its code cannot be written there");
        return nullptr;
    }
    auto counts = executed::makeCounts(directory, key, codeBytes);
    if (!counts) logObstacle("no file of counts can be made there");
    return counts;
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "the coverage of a module is not counted: the host is out of memory");
    return nullptr;
}

void countNow(std::span<const std::shared_ptr<machine::Dispatch>> parts) noexcept {
    if (wantedDirectory().empty()) return;
    for (const auto& part : parts) part->counts();
}

}  // namespace zetl::emulator::driver

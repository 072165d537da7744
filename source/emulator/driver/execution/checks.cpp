#include "emulator/driver/execution/checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/settings.h"
#include "driver/lifetime.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/execution/api_checks.h"
#include "emulator/driver/execution/endless_waits.h"

namespace zetl::emulator::driver {
namespace {

constexpr const char* kFindingSuffix = ".jsonl";

/// A forked child has nothing to tell: its commands and objects are its parent's.
void tellAtExit() {
    if (zetl::driver::lifetime::inForkedChild()) return;
    noteWaitsAtExit();
    noteLeaksAtExit();
}

/// By how much of a double precision result the float one may differ.
double wantedPrecision() {
    const auto text = settings::text(settings::kCheckPrecision);
    if (!text || text->empty()) return check::PrecisionCheck::kUsualMost;
    char* end = nullptr;
    const double most = std::strtod(text->c_str(), &end);
    if (*end == '\0' && most > 0 && std::isfinite(most)) return most;
    log::error(log::Channel::emulator, "{}={} is no number above 0, such as 1e-3, which is taken instead",
               settings::kCheckPrecision, *text);
    return check::PrecisionCheck::kUsualMost;
}

std::unique_ptr<Checks> wantedChecks() {
    const auto list = settings::text(settings::kCheck);
    if (!list || list->empty()) return nullptr;
    const auto groups = zetl::check::Groups::named(*list);
    if (!groups) {
        log::error(log::Channel::emulator, "{}={} names no group of checks: nothing is checked. There are {}",
                   settings::kCheck, *list, zetl::check::groupNames());
        return nullptr;
    }
    auto made = std::make_unique<Checks>(platform(), *groups);
    made->file.open();
    if (std::atexit(&tellAtExit) != 0)
        log::warn(log::Channel::emulator, "check: leaks at the end of the process cannot be reported");
    return made;
}

}  // namespace

void FindingFile::open() {
    const auto directory = settings::text(settings::kCheckOutput);
    if (!directory) return;
    const Lock guard(mutex_);
    path_ = fmt::format("{}/{}", *directory, getpid());
    const std::string path = path_ + kFindingSuffix;
    file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (file_.get() < 0)
        log::error(log::Channel::emulator, "check: {} cannot be written; {} has to name a directory", path,
                   settings::kCheckOutput);
}

void FindingFile::write(const zetl::check::Finding& finding) noexcept try {
    const std::string line = zetl::check::toJson(finding) + '\n';
    const Lock guard(mutex_);
    if (file_.get() < 0) {
        log::warn(log::Channel::emulator, "check: {}", line);
        return;
    }
    // One call, so that lines of several threads stay whole.
    if (::write(file_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) markIncomplete();
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "check: no host memory to tell what was found; some of it is lost");
}

/// A new name needs no room on the disk.
void FindingFile::markIncomplete() {
    if (isIncomplete_) return;
    isIncomplete_ = true;
    log::error(log::Channel::emulator, "check: findings cannot be written to {}{}: {}", path_, kFindingSuffix,
               std::strerror(errno));
    std::rename((path_ + kFindingSuffix).c_str(), (path_ + zetl::check::kIncompleteSuffix).c_str());
}

void FindingFile::write(const std::vector<zetl::check::Finding>& findings) noexcept {
    for (const zetl::check::Finding& finding : findings) write(finding);
}

Checks::Checks(machine::Machine& machine, zetl::check::Groups wanted) : groups(wanted), checker(machine, wanted) {
    if (groups.has(zetl::check::Group::memory)) images.emplace(machine);
    if (groups.has(zetl::check::Group::init)) init.emplace(machine);
    if (groups.has(zetl::check::Group::numbers)) numbers.emplace(machine);
    if (groups.has(zetl::check::Group::precision)) precision.emplace(machine, wantedPrecision());
}

Checks* checks() {
    static NeverDestroyed<std::unique_ptr<Checks>> made(wantedChecks());
    return (*made).get();
}

}  // namespace zetl::emulator::driver

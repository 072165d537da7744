#include "emulator/driver/execution/launch_checks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <new>
#include <optional>

#include "base/file_descriptor.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "base/settings.h"
#include "emulator/check/checker.h"
#include "emulator/check/init_check.h"
#include "emulator/check/number_check.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/execution/finding_argument.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/program/source_line.h"

namespace zetl::emulator::driver {
namespace {

/// Where findings go. A forked child, whose machine is lost, has none.
class FindingFile {
  public:
    /// Makes the file, which also says that this process was checked.
    void open() {
        const auto directory = settings::text(settings::kCheckOutput);
        if (!directory) return;
        const Lock guard(mutex_);
        const std::string path = fmt::format("{}/{}.jsonl", *directory, getpid());
        file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        if (file_.get() < 0)
            log::error(log::Channel::emulator, "check: {} cannot be written; {} has to name a directory", path,
                       settings::kCheckOutput);
    }

    void write(const zetl::check::Finding& finding) {
        const std::string line = zetl::check::toJson(finding) + '\n';
        const Lock guard(mutex_);
        if (file_.get() < 0) {
            log::warn(log::Channel::emulator, "check: {}", line);
            return;
        }
        // One call, so that lines of several threads stay whole.
        if (::write(file_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            log::error(log::Channel::emulator, "check: a finding could not be written: {}", line);
    }

  private:
    Mutex mutex_;
    FileDescriptor file_ ZETL_GUARDED_BY(mutex_);
};

struct Checks {
    Checks(machine::Machine& machine, zetl::check::Groups groups) : checker(machine, groups) {
        if (groups.has(zetl::check::Group::init)) init.emplace(machine);
        if (groups.has(zetl::check::Group::numbers)) numbers.emplace(machine);
    }
    check::Checker checker;
    std::optional<check::InitCheck> init;
    std::optional<check::NumberCheck> numbers;
    FindingFile file;
};

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
    return made;
}

/// Null if nothing is checked. Never destroyed: launches may end while the process exits.
Checks* checks() {
    static NeverDestroyed<std::unique_ptr<Checks>> made(wantedChecks());
    return (*made).get();
}

}  // namespace

void startChecks() { checks(); }

void noteTransfer(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) noexcept {
    Checks* const all = checks();
    if (all != nullptr && all->init) all->init->written(to, from, bytes);
}

void tellFindings(std::span<const std::shared_ptr<machine::Dispatch>> parts, const Module& module,
                  const KernelState& state) noexcept try {
    Checks* const all = checks();
    if (all == nullptr) return;
    std::map<std::uint64_t, std::string> known;
    const auto source = [&](std::uint64_t address) {
        const auto [found, isNew] = known.try_emplace(address);
        if (isNew) found->second = sourceChain(module, address);
        return found->second;
    };
    for (const auto& part : parts) {
        const auto tell = [&](std::vector<zetl::check::Finding> findings) {
            for (zetl::check::Finding& finding : findings) {
                if (finding.object) finding.object->argument = argumentInto(state, *finding.object);
                all->file.write(finding);
            }
        };
        tell(all->checker.take(*part, source));
        if (all->init) tell(all->init->take(*part, source));
        if (all->numbers) tell(all->numbers->take(*part, source));
    }
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "check: no host memory to tell what was found; some of it is lost");
}

}  // namespace zetl::emulator::driver

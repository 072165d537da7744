// The begin and the end of a debug target.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "base/log.h"
#include "base/settings.h"
#include "base/traced.h"
#include "nvidia/debugger/target.h"
#include "nvidia/driver/program/door.h"

namespace zetl::nvidia {
namespace {

constexpr auto kAttaching = std::chrono::seconds(30);

// Values as numbers and in full, commands that go on beside a running program.
constexpr const char* kSettings[] = {"mi-async on",      "confirm off",     "pagination off",
                                     "print elements 0", "print repeats 0", "max-value-size unlimited"};

bool hasLoaded(std::uint64_t pid, std::string_view library) {
    std::ifstream maps(fmt::format("/proc/{}/maps", pid));
    for (std::string line; std::getline(maps, line);)
        if (line.find(library) != std::string::npos) return true;
    return false;
}

/// Whether the process has ended, or is just loading its program, and has no environment yet. cuda-gdb's refusal would
/// look like one of the system's.
bool hasNoProgram(std::uint64_t pid) {
    std::ifstream environment(fmt::format("/proc/{}/environ", pid));
    return hasEnded(std::to_string(pid)) ||
           (environment.is_open() && environment.peek() == std::ifstream::traits_type::eof());
}

/// PCI's notation without the domain, as cuda-gdb prints it.
std::string busOf(const Attributes& device) { return fmt::format("{:02x}:{:02x}.0", device.pciBus, device.pciDevice); }

}  // namespace

provider::Made<provider::Target> Target::open(const Attributes& device, std::uint64_t pid, zetl_sink_t sink,
                                              void* user) {
    auto wake = PollingThread::makeWake();
    if (!wake) return ZETL_NO_MEMORY;
    std::shared_ptr<Target> target(new Target(device, sink, user));
    {
        const Lock guard(target->mutex_);
        if (const auto status = target->attach(pid); status != ZETL_OK) return status;
    }
    if (!target->start(std::move(wake))) return ZETL_NO_MEMORY;
    return target;
}

bool Target::start(FileDescriptor wake) {
    thread_ = std::make_unique<PollingThread>(std::move(wake));
    return thread_->start(log::Channel::nvidia, "zetl-cuda-gdb",
                          [this, &thread = *thread_]() noexcept { work(thread); });
}

zetl_status_t Target::attach(std::uint64_t pid) {
    const auto program = findCudaGdb();
    if (program.empty()) {
        log::warn(log::Channel::nvidia,
                  "process {} cannot be debugged: no cuda-gdb in PATH; install it, or name it by {}", pid,
                  settings::kCudaGdb);
        return ZETL_UNSUPPORTED;
    }
    if (isTraced(std::to_string(pid))) {
        log::warn(log::Channel::nvidia, "attach to {} refused: another debugger has it", pid);
        return ZETL_BUSY;
    }
    if (hasNoProgram(pid)) return ZETL_NOT_READY;
    // CUDA then ends the process that is attached to.
    if (hasLoaded(pid, "/libcupti.so")) {
        log::warn(log::Channel::nvidia,
                  "attach to {} refused: it uses CUPTI, beside which CUDA takes no debugger; run it without metrics",
                  pid);
        return ZETL_BUSY;
    }
    if (comesToDoor(static_cast<pid_t>(pid)) && !doorOf(static_cast<pid_t>(pid))) return ZETL_NOT_READY;
    // Called in functions of the target alone, which hold its mutex.
    gdb_ = Gdb::start(program, [this](const mi::Record& record) ZETL_NOT_ANALYSED { hear(record); });
    if (!gdb_) return ZETL_UNSUPPORTED;
    images_.emplace(gdb_->process());
    process_ = static_cast<pid_t>(pid);
    for (const auto* setting : kSettings) gdb_->ask(fmt::format("-gdb-set {}", setting));
    const auto attached = gdb_->ask(fmt::format("-target-attach {}", pid), kAttaching);
    if (!attached) return ZETL_LOST;
    if (!attached->done) {
        log::warn(log::Channel::nvidia, "attach to {} refused by cuda-gdb: {}", pid, attached->words);
        return hasNoProgram(pid) ? ZETL_NOT_READY : ZETL_NEEDS_PRIVILEGE;
    }
    gdb_->listen(kAttaching, [this]() ZETL_NOT_ANALYSED { return heard_.has_value(); });
    if (!heard_ || heard_->ended) return ZETL_LOST;
    heard_.reset();
    state_ = State::stopped;
    if (const auto status = findDevice(); status != ZETL_OK) return status;
    queue({.kind = ZETL_EVENT_PROCESS_ENTRY});
    findModules();
    held_ = !holds_.empty();
    return held_ || resume("-exec-continue") ? ZETL_OK : ZETL_LOST;
}

zetl_status_t Target::findDevice() {
    const auto answer = gdb_->ask("-cuda-info-devices");
    if (!answer) return ZETL_LOST;
    const auto* const table = answer->value.find("InfoCudaDevicesTable");
    const auto* const rows = table ? table->find("body") : nullptr;
    if (rows)
        for (const auto& [name, row] : rows->items) {
            if (row.textOf("pci_bus") != busOf(device_)) continue;
            ordinal_ = static_cast<std::uint32_t>(std::strtoul(std::string(row.textOf("device")).c_str(), nullptr, 10));
            return ZETL_OK;
        }
    log::info(log::Channel::nvidia, "attach not possible yet: the process does not use {}", device_.name);
    return ZETL_NOT_READY;
}

void Target::close() {
    if (thread_) thread_->end();
    const Lock guard(mutex_);
    if (gdb_ && !gdb_->gone() && state_ != State::gone && !hasEnded(std::to_string(process_))) detach();
    state_ = State::gone;
}

// cuda-gdb detaches safely from a stopped process; a running one it may end.
void Target::detach() {
    holds_.clear();
    passDoor();
    if (state_ == State::running && !interrupt()) return;
    for (const auto& [address, number] : breakpoints_) gdb_->ask(fmt::format("-break-delete {}", number));
    const auto answer = gdb_->ask("-target-detach");
    if (answer && !answer->done) log::warn(log::Channel::nvidia, "cuda-gdb does not detach: {}", answer->words);
    gdb_->ask("-gdb-exit");
}

}  // namespace zetl::nvidia

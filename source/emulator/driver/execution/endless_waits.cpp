#include "emulator/driver/execution/endless_waits.h"

#include <dirent.h>
#include <fmt/format.h>
#include <pthread.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/log.h"
#include "driver/refusal.h"
#include "emulator/driver/execution/checks.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

/// Threads of ours wait for whatever the program's threads do.
bool isOurThread() noexcept {
    char name[16] = {};
    return pthread_getname_np(pthread_self(), name, sizeof name) == 0 && std::strncmp(name, "zetl", 4) == 0;
}

/// Threads beside the calling one that are not ours, and so could signal an event.
std::uint32_t otherThreads() {
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), &closedir);
    if (!tasks) return 1;  // unknown: there may be some
    std::uint32_t count = 0;
    while (const dirent* const task = readdir(tasks.get())) {
        if (task->d_name[0] == '.') continue;
        const std::string path = fmt::format("/proc/self/task/{}/comm", task->d_name);
        const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
        char name[32] = {};
        if (!file || std::fgets(name, sizeof name, file.get()) == nullptr) continue;
        if (std::strncmp(name, "zetl", 4) != 0) ++count;
    }
    return count == 0 ? 0 : count - 1;
}

zetl::check::Finding findingOf(const UnfinishedCommands::Endless& endless, const char* where) {
    zetl::check::Finding finding;
    finding.kind = zetl::check::Kind::waitsForEver;
    finding.message = fmt::format("{} waits for what cannot happen: {}", where,
                                  endless.chain.empty() ? "nothing signals the event" : endless.chain.back());
    finding.chain = endless.chain;
    finding.hint = "append a command that signals the event before the wait, or call zeEventHostSignal";
    zetl::check::Side side;
    side.command = where;
    finding.sides.push_back(std::move(side));
    return finding;
}

}  // namespace

bool EndlessWait::wanted() noexcept {
    Checks* const all = checks();
    return all != nullptr && all->groups.has(zetl::check::Group::api);
}

void EndlessWait::look() noexcept try {
    // Other threads of the program get some seconds to signal what is waited for.
    constexpr std::uint32_t kPatience = 200;
    Checks* const all = checks();
    ++looked_;
    if (all == nullptr || isOurThread()) return;
    const auto endless = all->unfinished.endless(state_, stream_);
    if (!endless) return;
    const bool alone = otherThreads() == 0;
    if (!alone && looked_ < kPatience) return;
    if (!std::exchange(told_, true)) all->file.write(findingOf(*endless, currentFunction()));
    if (!alone) return;
    log::error(log::Channel::emulator, "{} waits for an event that nothing can signal; the wait is ended",
               currentFunction());
    for (const auto& root : endless->roots) root->lose();
    if (endless->roots.empty() && state_ != nullptr) state_->lose();
} catch (const std::bad_alloc&) {  // it goes on waiting
}

SignalState::Value waitFor(SignalState& state, std::uint64_t nanoseconds) noexcept {
    if (nanoseconds != kForever || !EndlessWait::wanted()) return state.wait(nanoseconds);
    EndlessWait endless(&state, nullptr);
    for (;;) {
        const SignalState::Value value = state.wait(EndlessWait::kPart);
        if (value != SignalState::Value::pending) return value;
        endless.look();
    }
}

void noteWaitsAtExit() noexcept try {
    Checks* const all = checks();
    if (!EndlessWait::wanted()) return;
    for (const Stream* const stream : all->unfinished.streams())
        if (const auto endless = all->unfinished.endless(nullptr, stream))
            all->file.write(findingOf(*endless, "the end of the process"));
} catch (const std::bad_alloc&) {  // nothing is said
}

}  // namespace zetl::emulator::driver

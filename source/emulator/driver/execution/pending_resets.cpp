#include "emulator/driver/execution/pending_resets.h"

#include <algorithm>

#include "base/never_destroyed.h"

namespace zetl::emulator::driver {
namespace {

const SignalState* resetBy(const Command& command) { return command.operation ? command.operation->resets() : nullptr; }

}  // namespace

PendingResets& PendingResets::instance() {
    static NeverDestroyed<PendingResets> all;
    return *all;
}

bool PendingResets::begin(const StreamPlace& place, std::uint64_t submission, const Sequences& sequences) {
    std::list<Reset> found;
    for (const auto& sequence : sequences) {
        for (const Command& command : *sequence) {
            const SignalState* const event = resetBy(command);
            if (event) found.push_back({place, submission, event, std::make_shared<SignalState>()});
        }
    }
    if (found.empty()) return false;
    const Lock guard(mutex_);
    count_.fetch_add(found.size(), std::memory_order_release);
    resets_.splice(resets_.end(), found);
    return true;
}

void PendingResets::end(std::uint64_t submission, const Command& command) noexcept {
    const SignalState* const event = resetBy(command);
    if (!event) return;
    const Lock guard(mutex_);
    const auto ended = std::find_if(resets_.begin(), resets_.end(), [&](const Reset& reset) {
        return reset.submission == submission && reset.event == event;
    });
    if (ended == resets_.end()) return;
    ended->done->signal({});
    resets_.erase(ended);
    count_.fetch_sub(1, std::memory_order_relaxed);
}

std::vector<std::shared_ptr<SignalState>> PendingResets::before(const StreamPlace& place, std::uint64_t submission,
                                                                const Command& command) {
    std::vector<std::shared_ptr<SignalState>> earlier;
    if (command.waits.empty() || count_.load(std::memory_order_acquire) == 0) return earlier;
    const Lock guard(mutex_);
    for (const Reset& reset : resets_) {
        const auto isReset = [&](const auto& event) { return event.get() == reset.event; };
        if (reset.place == place && reset.submission < submission && std::ranges::any_of(command.waits, isReset))
            earlier.push_back(reset.done);
    }
    return earlier;
}

}  // namespace zetl::emulator::driver

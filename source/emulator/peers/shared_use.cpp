#include "emulator/peers/shared_use.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "emulator/peers/log_channel.h"
#include "emulator/peers/meeting_place.h"
#include "emulator/peers/past_use.h"
#include "emulator/peers/use_record.h"

namespace zetl::emulator::peers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostProcesses = 512;
/// Questions follow each other: one for each component of the device.
constexpr std::chrono::milliseconds kFresh{3};
/// How long all processes together may take. One that is stopped never answers.
constexpr std::chrono::milliseconds kAnswerLimit{50};
/// How long the file of those that ended may be locked: then it is asked again the next time.
constexpr std::chrono::milliseconds kPastLimit{20};

pid_t processAt(int socket) noexcept {
    ucred peer{};
    socklen_t size = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

/// The other processes. Not thread-safe.
class OtherUse {
  public:
    OtherUse(MeetingPlace place, const machine::Device& device) : place_(std::move(place)), device_(device) {}

    void refresh() {
        if (asked_ && Clock::now() - *asked_ < kFresh) return;
        followNames();
        ask(names_);
        asked_ = Clock::now();
    }
    /// Counters of all that ever were, and the memory of the living.
    DeviceUse sum() const {
        DeviceUse all = sum_;
        for (const auto& [name, each] : living_) all.addMemory(each.use);
        return all;
    }
    const std::map<std::string, ProcessUse>& living() const noexcept { return living_; }

  private:
    using Calls = std::vector<std::pair<std::string, FileDescriptor>>;

    /// Looks who is there and who has ended: these have added themselves to the past, unless they were killed.
    void followNames() {
        const auto past = PastUse::lock(place_.descriptor(), pastName(device_), kPastLimit);
        if (!past) return;  // names and sums belong together
        const DeviceUse now = past->read();
        names_ = place_.others(kUsingKind);
        names_.resize(std::min(names_.size(), kMostProcesses));
        DeviceUse ended;
        std::erase_if(living_, [&](const auto& each) {
            const bool gone = std::ranges::find(names_, each.first) == names_.end();
            if (gone) ended.addGrowth(each.second.use, {});
            return gone;
        });
        DeviceUse grown;
        grown.addGrowth(now, past_);
        sum_.addGrowth(grown, ended);
        past_ = now;
    }

    void ask(const std::vector<std::string>& names) {
        Calls calls;
        for (const auto& name : names)
            if (auto socket = place_.connect(name)) calls.emplace_back(name, std::move(socket));
        for (const auto deadline = Clock::now() + kAnswerLimit; !calls.empty() && Clock::now() < deadline;) {
            std::vector<pollfd> polled;
            for (const auto& [name, socket] : calls) polled.push_back({socket.get(), POLLIN, 0});
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
            poll(polled.data(), polled.size(), static_cast<int>(std::max<long>(left, 0)));
            std::size_t at = 0;
            std::erase_if(calls, [&](const auto& call) {
                if (polled[at++].revents == 0) return false;
                take(call.first, call.second.get());
                return true;
            });
        }
    }

    void take(const std::string& name, int socket) {
        const auto use = readUse(socket, device_);
        if (!use) return;
        ProcessUse& known = living_[name];
        known.process = processAt(socket);
        sum_.addGrowth(*use, known.use);
        // Its counters never decrease, whatever it says.
        DeviceUse now = known.use;
        now.addGrowth(*use, known.use);
        for (std::size_t tile = 0; tile < now.tiles.size(); ++tile) now.tiles[tile].memory = use->tiles[tile].memory;
        known.use = now;
    }

    const MeetingPlace place_;
    const machine::Device& device_;
    std::vector<std::string> names_;
    std::map<std::string, ProcessUse> living_;
    DeviceUse past_;
    DeviceUse sum_;
    std::optional<Clock::time_point> asked_;
};

std::optional<OtherUse> findOthers(const machine::Device& device) {
    std::string refusal;
    auto place = MeetingPlace::find(refusal);
    if (place) return std::optional<OtherUse>(std::in_place, *std::move(place), device);
    log::error(kLog, "system management shows this process alone: {}", refusal);
    return std::nullopt;
}

class UseReader final : public SharedUse {
  public:
    explicit UseReader(machine::Device& device) : device_(device), others_(findOthers(device)) {}

    DeviceUse total() override {
        const Lock guard(mutex_);
        DeviceUse all = useOf(device_);
        if (!refresh()) return all;
        const DeviceUse others = others_->sum();
        all.addGrowth(others, {});
        all.addMemory(others);
        return all;
    }
    std::vector<ProcessUse> processes() override {
        const Lock guard(mutex_);
        std::vector<ProcessUse> all{{getpid(), useOf(device_)}};
        if (!refresh()) return all;
        for (const auto& [name, each] : others_->living()) all.push_back(each);
        return all;
    }

  private:
    bool refresh() ZETL_REQUIRES(mutex_) {
        if (others_) others_->refresh();
        return others_.has_value();
    }

    machine::Device& device_;
    Mutex mutex_;
    std::optional<OtherUse> others_ ZETL_GUARDED_BY(mutex_);
};

using UseReaders = Synchronized<std::map<const machine::Device*, std::unique_ptr<UseReader>>>;

UseReaders& useReaders() {
    static NeverDestroyed<UseReaders> all;
    return *all;
}

}  // namespace

SharedUse& SharedUse::of(machine::Device& device) {
    return useReaders().write([&](auto& all) -> SharedUse& {
        auto& found = all[&device];
        if (!found) found = std::make_unique<UseReader>(device);
        return *found;
    });
}

}  // namespace zetl::emulator::peers

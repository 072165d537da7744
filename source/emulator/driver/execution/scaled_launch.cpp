#include "emulator/driver/execution/scaled_launch.h"

#include <algorithm>

#include "base/mutex.h"

namespace zetl::emulator::driver {

static_assert(SignalState::kMostTiles >= machine::kMaxTiles);

std::vector<GridPart> partsOf(const machine::Extent& groupCount, std::uint32_t tiles) {
    const auto longest = std::max_element(groupCount.begin(), groupCount.end());
    const bool empty = std::find(groupCount.begin(), groupCount.end(), 0u) != groupCount.end();
    if (tiles == 1 || *longest <= 1 || empty) return {{0, groupCount, {}}};
    const auto dimension = longest - groupCount.begin();
    const std::uint32_t parts = std::min(tiles, *longest);
    std::vector<GridPart> all;
    for (std::uint32_t i = 0; i < parts; ++i) {
        const auto begin = static_cast<std::uint32_t>(std::uint64_t{*longest} * i / parts);
        const auto end = static_cast<std::uint32_t>(std::uint64_t{*longest} * (i + 1) / parts);
        GridPart part{i, groupCount, {}};
        part.groupCount[dimension] = end - begin;
        part.firstGroup[dimension] = begin;
        all.push_back(part);
    }
    return all;
}

/// The state that the parts share.
struct ScaledLaunch::Shared {
    Mutex mutex;
    bool failed ZETL_GUARDED_BY(mutex) = false;
    std::vector<std::shared_ptr<machine::Dispatch>> started ZETL_GUARDED_BY(mutex);

    void fail() {
        std::vector<std::shared_ptr<machine::Dispatch>> others;
        {
            const Lock guard(mutex);
            failed = true;
            others.swap(started);
        }
        for (const auto& other : others) other->cancel();
    }
    /// Returns false if a part has failed already.
    bool add(const std::shared_ptr<machine::Dispatch>& part) {
        const Lock guard(mutex);
        if (!failed) started.push_back(part);
        return !failed;
    }
};

ScaledLaunch::ScaledLaunch() : shared_(std::make_shared<Shared>()) {}

void ScaledLaunch::submit(machine::Tile& tile, machine::Launch launch) {
    parts_.reserve(parts_.size() + 1);  // running out of memory later would leave a running part alone
    parts_.push_back(tile.submit(std::move(launch), [shared = shared_](machine::Dispatch& part) {
        if (part.fault()) shared->fail();
    }));
    if (!shared_->add(parts_.back())) parts_.back()->cancel();
}

void ScaledLaunch::wait() const {
    for (const auto& part : parts_) part->wait();
    const Lock guard(shared_->mutex);
    shared_->started.clear();
}

SignalState::Times ScaledLaunch::times() const {
    SignalState::Times times{parts_.front()->startTicks(), parts_.front()->endTicks()};
    times.tileCount = parts_.size() > 1 ? static_cast<std::uint32_t>(parts_.size()) : 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        times.tiles[i] = {parts_[i]->startTicks(), parts_[i]->endTicks()};
        times.start = std::min(times.start, times.tiles[i].start);
        times.end = std::max(times.end, times.tiles[i].end);
    }
    return times;
}

std::uint64_t ScaledLaunch::workEnd() const {
    std::uint64_t end = 0;
    for (const auto& part : parts_) end = std::max(end, part->workEnd());
    return end;
}

const machine::Fault& ScaledLaunch::fault() const {
    const auto stoppedFirst = [](const auto& part) {
        return part->fault() && part->fault().kind != machine::FaultKind::cancelled;
    };
    const auto found = std::find_if(parts_.begin(), parts_.end(), stoppedFirst);
    return found != parts_.end() ? (*found)->fault() : parts_.front()->fault();
}

}  // namespace zetl::emulator::driver

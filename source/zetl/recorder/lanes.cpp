#include "recorder/lanes.h"

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "recorder/range_record.h"
#include "recorder/recording.h"

namespace zetl::recorder {
namespace {

using namespace command;

/// A range's number is that of its lane and, above it, how many ranges had started before.
constexpr std::uint32_t kLaneBits = 8;
constexpr std::uint32_t kLanes = 1u << kLaneBits;
constexpr std::uint64_t kBusy = UINT64_MAX;  // somebody reads or writes the rest of the lane

struct Lane {
    std::atomic<std::uint64_t> range;  // its number; 0: the lane is free
    Record* record;
    const Record* namedIn;  // the start of the recording that knows the lane's name
    std::array<std::atomic<std::uint64_t>, std::tuple_size_v<RangeKey>> key;
};

constinit std::array<Lane, kLanes> lanes{};
constinit std::atomic<std::uint64_t> started = 0;
/// No lane from here on was ever used.
constinit std::atomic<std::uint32_t> used = 0;

/// The first free lane, now busy, so that few are used; kLanes if all are busy.
std::uint32_t takeLane() noexcept {
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        std::uint64_t free = 0;
        if (!lanes[i].range.compare_exchange_strong(free, kBusy, std::memory_order_acquire)) continue;
        for (auto known = used.load(); known <= i && !used.compare_exchange_weak(known, i + 1);) {
        }
        return i;
    }
    return kLanes;
}

void nameLane(std::uint32_t number) noexcept {
    auto& lane = lanes[number];
    const auto* recording = Recording::at(kHeaderBytes);
    if (recording && recording == lane.namedIn) return;
    auto* record = Recording::add(kThreadName, kThreadNameWords, kFirstLane + number);
    if (!record) return;
    std::snprintf(reinterpret_cast<char*>(record->payload()), kThreadNameWords * 8, "ranges %u", number + 1);
    Recording::finish(record, now());
    lane.namedIn = Recording::at(kHeaderBytes);
}

/// 0 if none is open with the key.
std::uint64_t latestOf(const RangeKey& key) noexcept {
    std::uint64_t latest = 0;
    for (std::uint32_t i = 0; i < used.load(); ++i) {
        const auto number = lanes[i].range.load(std::memory_order_acquire);
        const auto same = [](const auto& a, const auto& b) { return a.load(std::memory_order_relaxed) == b; };
        if (number == 0 || number == kBusy || !std::ranges::equal(lanes[i].key, key, same)) continue;
        if (number >> kLaneBits >= latest >> kLaneBits) latest = number;
    }
    return latest;
}

}  // namespace

std::uint64_t startRange(std::string_view name, std::string_view domain, const RangeKey& key) noexcept {
    const auto number = Recording::isOn() ? takeLane() : kLanes;
    if (number == kLanes) return 0;
    auto& lane = lanes[number];
    nameLane(number);
    lane.record = addRange(name, domain, nullptr, kFirstLane + number);
    for (std::size_t i = 0; i < key.size(); ++i) lane.key[i].store(key[i], std::memory_order_relaxed);
    const auto range = lane.record ? (started.fetch_add(1) + 1) << kLaneBits | number : 0;
    lane.range.store(range, std::memory_order_release);
    return range;
}

void endRange(std::uint64_t number) noexcept {
    auto& lane = lanes[number % kLanes];
    if (number == 0 || number == kBusy) return;
    if (!lane.range.compare_exchange_strong(number, kBusy, std::memory_order_acquire)) return;
    if (Recording::owns(lane.record)) finishRange(lane.record);
    lane.range.store(0, std::memory_order_release);
}

void endRange(const RangeKey& key) noexcept { endRange(latestOf(key)); }

}  // namespace zetl::recorder

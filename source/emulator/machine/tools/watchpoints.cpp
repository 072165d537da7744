#include "emulator/machine/tools/watchpoints.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::size_t kMostRanges = 64;
constexpr std::uint64_t kMostBytes = 1 << 20;  // of all ranges: they are compared at each write to one of them
constexpr std::size_t kMostHits = 1024;        // that no debugger has taken yet
constexpr std::uint32_t kPassed = 1u << 15;    // of cr0.0: the breakpoint there has stopped the thread before
constexpr std::uint32_t kOnlyOne = 1u << 31;   // of cr0.1: one instruction

const std::byte* hostOf(std::uint64_t address) noexcept { return reinterpret_cast<const std::byte*>(address); }

}  // namespace

std::uint32_t lanesAt(const isa::MemoryAccess& access, std::uint64_t begin, std::uint64_t end, std::uint64_t mask) {
    std::uint32_t lanes = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((access.lanes >> lane & 1) == 0) continue;
        const std::uint64_t address = access.address[lane] & mask;
        if (address < end && begin < address + access.bytesPerLane) lanes |= 1u << lane;
    }
    return lanes;
}

bool Watchpoints::watch(std::span<const WatchedRange> ranges) {
    const Lock guard(mutex_);
    watched_.clear();
    any_.store(false, std::memory_order_relaxed);
    if (ranges.size() > kMostRanges) return false;
    std::uint64_t all = 0;
    std::vector<Watched> watched;
    try {
        watched.reserve(ranges.size());
        for (const WatchedRange& range : ranges) {
            const bool fits =
                range.bytes != 0 && range.bytes <= kMostBytes && range.address + range.bytes > range.address;
            if (!fits) return false;
            all += range.bytes;
            if (all > kMostBytes) return false;
            watched.push_back({range.address, range.address + range.bytes, static_cast<std::uint32_t>(watched.size()),
                               std::vector<std::byte>(range.bytes), false});
        }
        hits_.reserve(kMostHits);
    } catch (const std::bad_alloc&) {
        return false;
    }
    watched_ = std::move(watched);
    any_.store(!watched_.empty(), std::memory_order_relaxed);
    return true;
}

bool Watchpoints::admits(HardwareThread& thread, std::uint64_t address, std::uint64_t bytes,
                         isa::MemoryWindow& window) noexcept {
    std::uint64_t from = window.begin;
    std::uint64_t to = window.begin + window.bytes;
    if (thread.writesWatched) {
        from = address;
        to = address + bytes;
    } else {
        const Lock guard(mutex_);
        for (const Watched& each : watched_) {
            const bool meets = address < each.end && each.begin < address + bytes;
            if (meets) {
                thread.meetsWatch = true;
                window = {};
                return false;
            }
            if (each.end <= address)
                from = std::max(from, each.end);
            else
                to = std::min(to, each.begin);
        }
    }
    window = {from, to - from, window.host + (from - window.begin)};
    return true;
}

void Watchpoints::look(Watched& watched) const noexcept {
    watched.isReadable = table_.covers(watched.begin, watched.end, false);
    if (watched.isReadable) std::memcpy(watched.content.data(), hostOf(watched.begin), watched.content.size());
}

bool Watchpoints::hasChanged(const Watched& watched) const noexcept {
    return watched.isReadable &&
           std::memcmp(watched.content.data(), hostOf(watched.begin), watched.content.size()) != 0;
}

bool Watchpoints::letWrite(HardwareThread& thread) noexcept {
    isa::Thread& state = thread.state;
    const std::uint32_t failed = state.fault.lane;
    const std::uint32_t ip = state.ip();
    const auto access = isa::accessOf(state, state.program->lineAt(ip));
    state.retry();
    auto& control = state.at<std::array<std::uint32_t, 2>>(isa::layout::kControl);
    control[0] |= kPassed;
    control[1] |= kOnlyOne;
    const Lock guard(mutex_);
    for (Watched& each : watched_) look(each);
    thread.writesWatched = true;
    isa::resume(state, 1, isa::Windows::kept);
    thread.writesWatched = false;
    state.dropWindows();
    control[0] &= ~kPassed;
    bool changed = false;
    for (const Watched& each : watched_) {
        if (!hasChanged(each)) continue;
        changed = true;
        if (hits_.size() == kMostHits) continue;
        WatchHit hit;
        hit.number = each.number;
        hit.slot = thread.slot;
        hit.ip = ip;
        hit.lanes = access ? lanesAt(*access, each.begin, each.end) : 0;
        if (hit.lanes == 0) hit.lanes = 1u << failed % 32;
        const std::size_t shown = std::min(each.content.size(), sizeof hit.before);
        std::memcpy(hit.before, each.content.data(), shown);
        std::memcpy(hit.after, hostOf(each.begin), shown);
        hits_.push_back(hit);
    }
    return changed;
}

std::vector<WatchHit> Watchpoints::take() {
    const Lock guard(mutex_);
    std::vector<WatchHit> taken = hits_;
    hits_.clear();  // keeps its room: letWrite() must not need memory
    return taken;
}

}  // namespace zetl::emulator::machine

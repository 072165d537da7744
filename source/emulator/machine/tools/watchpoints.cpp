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
            watched.push_back(
                {range, static_cast<std::uint32_t>(watched.size()), std::vector<std::byte>(range.bytes), nullptr});
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
            if (each.range.isLocal != 0) continue;
            const bool meets = address < each.end() && each.range.address < address + bytes;
            if (meets) {
                thread.meetsWatch = true;
                window = {};
                return false;
            }
            if (each.end() <= address)
                from = std::max(from, each.end());
            else
                to = std::min(to, each.range.address);
        }
    }
    window = {from, to - from, window.host + (from - window.begin)};
    return true;
}

bool Watchpoints::Watched::isLocalOf(const ResidentGroup& group) const noexcept {
    return range.isLocal != 0 && std::ranges::equal(range.group, group.id());
}

bool Watchpoints::Watched::isIn(std::span<const std::byte> memory) const noexcept {
    const auto begin = reinterpret_cast<std::uint64_t>(memory.data());
    return range.isLocal == 0 && range.address < begin + memory.size() && begin < end();
}

OwnSpans Watchpoints::hide(HardwareThread& thread) const noexcept {
    isa::Thread& state = thread.state;
    OwnSpans own;
    const Lock guard(mutex_);
    for (const Watched& each : watched_) {
        if (each.isLocalOf(*thread.group)) own.local = state.local;
        if (each.isIn(state.scratch)) own.scratch = state.scratch;
    }
    if (!own.local.empty()) state.local = state.local.first(0);
    if (!own.scratch.empty()) state.scratch = state.scratch.first(0);
    return own;
}

void Watchpoints::show(HardwareThread& thread, const OwnSpans& hidden) const noexcept {
    isa::Thread& state = thread.state;
    if (!hidden.local.empty()) state.local = hidden.local;
    if (!hidden.scratch.empty()) state.scratch = hidden.scratch;
    if (state.status != isa::Status::faulted) return;
    const auto kind = state.fault.kind;
    thread.meetsWatch = thread.meetsWatch || (kind == isa::FaultKind::localOverrun && !hidden.local.empty()) ||
                        (kind == isa::FaultKind::scratchOverrun && !hidden.scratch.empty());
}

void Watchpoints::look(Watched& watched, const ResidentGroup& group) const noexcept {
    const WatchedRange& range = watched.range;
    watched.host = nullptr;
    if (range.isLocal != 0) {
        const std::span<const std::byte> local = group.slm();
        if (watched.isLocalOf(group) && watched.end() <= local.size()) watched.host = local.data() + range.address;
    } else if (table_.covers(range.address, watched.end(), false)) {
        watched.host = hostOf(range.address);
    }
    if (watched.host != nullptr) std::memcpy(watched.content.data(), watched.host, watched.content.size());
}

bool Watchpoints::hasChanged(const Watched& watched) noexcept {
    return watched.host != nullptr && std::memcmp(watched.content.data(), watched.host, watched.content.size()) != 0;
}

/// The lanes of the access that meet the watched bytes. Scratch space is accessed by offsets.
std::uint32_t Watchpoints::lanesOf(const Watched& watched, const isa::MemoryAccess& access, const isa::Thread& thread) {
    const WatchedRange& range = watched.range;
    if (range.isLocal != 0) return lanesAt(access, range.address, watched.end(), isa::kLocalOffsetMask);
    if (access.space != zetl::isa::xe::MemorySpace::scratch) return lanesAt(access, range.address, watched.end());
    const auto begin = reinterpret_cast<std::uint64_t>(thread.scratch.data());
    return lanesAt(access, std::max(range.address, begin) - begin, std::max(watched.end(), begin) - begin);
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
    for (Watched& each : watched_) look(each, *thread.group);
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
        hit.lanes = access ? lanesOf(each, *access, state) : 0;
        if (hit.lanes == 0) hit.lanes = 1u << failed % 32;
        const std::size_t shown = std::min(each.content.size(), sizeof hit.before);
        std::memcpy(hit.before, each.content.data(), shown);
        std::memcpy(hit.after, each.host, shown);
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

#include "metrics/calculation/raw_sets.h"

#include <algorithm>
#include <cstring>

namespace zetl::metrics {
namespace {

bool beginsWithHead(std::span<const std::byte> raw) {
    std::uint64_t mark = 0;
    if (raw.size() < sizeof mark) return false;
    std::memcpy(&mark, raw.data(), sizeof mark);
    return mark == TileHead::kMark;
}

/// Zeroes to the end: of a buffer that a read did not fill, whose whole size was passed on.
bool isUnused(std::span<const std::byte> raw) {
    return std::ranges::all_of(raw, [](std::byte each) { return each == std::byte{0}; });
}

/// What a device of several tiles asks for as room, whatever is in it: each has its head, and as many reports.
bool isRoomOfTiles(std::size_t bytes, std::size_t reportBytes) {
    for (std::size_t tiles = 2; tiles <= kMostSets && tiles * sizeof(TileHead) <= bytes; ++tiles)
        if (bytes % tiles == 0 && (bytes / tiles - sizeof(TileHead)) % reportBytes == 0) return true;
    return false;
}

}  // namespace

Result<RawSets> RawSets::of(std::span<const std::byte> raw, std::size_t reportBytes) {
    RawSets made;
    if (raw.empty()) return ZE_RESULT_NOT_READY;
    made.tiled_ = beginsWithHead(raw);
    if (made.tiled_) {
        if (const auto result = made.join(raw, reportBytes); result != ZE_RESULT_SUCCESS) return result;
        return made;
    }
    if (raw.size() % reportBytes != 0)
        return isRoomOfTiles(raw.size(), reportBytes) && isUnused(raw) ? ZE_RESULT_NOT_READY
                                                                       : ZE_RESULT_ERROR_INVALID_SIZE;
    made.sets_.push_back(raw);
    return made;
}

RawSets RawSets::together(std::vector<std::vector<std::byte>> sets) {
    RawSets made;
    made.joined_ = std::move(sets);
    made.sets_.assign(made.joined_.begin(), made.joined_.end());
    return made;
}

ze_result_t RawSets::join(std::span<const std::byte> raw, std::size_t reportBytes) {
    while (!isUnused(raw)) {
        TileHead head;
        if (raw.size() < sizeof head) return ZE_RESULT_ERROR_INVALID_SIZE;
        std::memcpy(&head, raw.data(), sizeof head);
        raw = raw.subspan(sizeof head);
        if (joined_.empty()) joined_.resize(std::clamp<std::size_t>(head.sets, 1, kMostSets));
        if (head.mark != TileHead::kMark || head.sets != joined_.size() || head.set >= head.sets)
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        if (head.bytes > raw.size() || head.bytes % reportBytes != 0) return ZE_RESULT_ERROR_INVALID_SIZE;
        auto& set = joined_[head.set];
        set.insert(set.end(), raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(head.bytes));
        raw = raw.subspan(head.bytes);
    }
    sets_.assign(joined_.begin(), joined_.end());
    const bool empty = std::ranges::all_of(sets_, [](const auto& set) { return set.empty(); });
    return empty ? ZE_RESULT_ERROR_INVALID_SIZE : ZE_RESULT_SUCCESS;
}

void RawSets::skip(std::size_t reports, std::size_t reportBytes) noexcept {
    for (auto& set : sets_) set = set.subspan(std::min(set.size() / reportBytes, reports) * reportBytes);
}

}  // namespace zetl::metrics

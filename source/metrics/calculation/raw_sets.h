// Takes the raw data of one device, or of several tiles together, apart into one set of reports per tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace zetl::metrics {

/// Precedes the reports of each tile in a read that has those of several. `mark` is no possible time at the begin of a
/// report, so that the data of several reads may be joined. Little endian.
struct TileHead {
    static constexpr std::uint64_t kMark = 0xffff'5a45'544c'5453;
    std::uint64_t mark = kMark;
    std::uint32_t set = 0;
    std::uint32_t sets = 0;
    std::uint64_t bytes = 0;  ///< of reports that follow
};
static_assert(sizeof(TileHead) == 24);
inline constexpr std::uint32_t kMostSets = 64;

/// Plain reports are one set and are not copied. Immutable; the data that it was made from must outlive it.
class RawSets {
  public:
    /// Zeroes behind heads are the rest of a buffer that was not filled. NOT_READY if there are no bytes, or only
    /// zeroes in the space that the reports of several tiles need. INVALID_SIZE if the bytes are no whole reports, or
    /// if heads promise more than there is. INVALID_ARGUMENT for heads that contradict each other.
    static Result<RawSets> of(std::span<const std::byte> raw, std::size_t reportBytes);
    RawSets(RawSets&&) = default;
    RawSets& operator=(RawSets&&) = default;

    /// Sets that are read already.
    static RawSets together(std::vector<std::vector<std::byte>> sets);

    bool tiled() const noexcept { return tiled_; }
    std::size_t size() const noexcept { return sets_.size(); }
    std::span<const std::byte> operator[](std::size_t set) const noexcept { return sets_[set]; }
    /// Each set without its first `reports` reports.
    void skip(std::size_t reports, std::size_t reportBytes) noexcept;

  private:
    RawSets() = default;
    ze_result_t join(std::span<const std::byte> raw, std::size_t reportBytes);

    bool tiled_ = false;
    std::vector<std::vector<std::byte>> joined_;
    std::vector<std::span<const std::byte>> sets_;
};

}  // namespace zetl::metrics

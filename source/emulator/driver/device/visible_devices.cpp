#include "emulator/driver/device/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>

#include "base/log.h"
#include "base/parts.h"

namespace zetl::emulator::driver {
namespace {

/// A number as Intel's driver reads it: blanks around it, and hexadecimal behind 0x.
std::optional<std::uint32_t> numberIn(std::string_view text) {
    text = withoutBlanks(text);
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) text.remove_prefix(2);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Counts the tiles of a machine through over all devices.
class Mask {
  public:
    Mask(Hierarchy hierarchy, std::span<const std::uint32_t> tiles)
        : flat_(hierarchy != Hierarchy::composite), tiles_(tiles), chosen_(tiles.size()) {}

    void add(std::string_view entry) {
        const auto dot = entry.find('.');
        const auto first = numberIn(entry.substr(0, dot));
        const auto tile = dot == std::string_view::npos ? std::nullopt : numberIn(entry.substr(dot + 1));
        const bool whole = dot == std::string_view::npos;
        if (first && flat_ && whole && addCounted(*first)) return;
        if (first && !flat_ && whole && *first < tiles_.size())
            for (std::uint32_t i = 0; i < tiles_[*first]; ++i) chosen_[*first].insert(i);
        else if (first && !flat_ && tile && *first < tiles_.size() && *tile < tiles_[*first])
            chosen_[*first].insert(*tile);
        else
            log::error(log::Channel::emulator,
                       "ZE_AFFINITY_MASK: '{}' names none of the {} devices with {} tiles in this hierarchy", entry,
                       tiles_.size(), std::accumulate(tiles_.begin(), tiles_.end(), 0u));
    }

    std::vector<std::vector<std::uint32_t>> byDevice() const {
        std::vector<std::vector<std::uint32_t>> left;
        for (const auto& tiles : chosen_) left.emplace_back(tiles.begin(), tiles.end());
        return left;
    }

  private:
    /// The tile of this number, counted through over all devices; false if there is none.
    bool addCounted(std::uint32_t number) {
        for (std::size_t device = 0; device < tiles_.size(); number -= tiles_[device++]) {
            if (number >= tiles_[device]) continue;
            chosen_[device].insert(number);
            return true;
        }
        return false;
    }

    bool flat_;
    std::span<const std::uint32_t> tiles_;
    std::vector<std::set<std::uint32_t>> chosen_;
};

}  // namespace

Hierarchy hierarchyNamed(std::string_view name) {
    if (name == "FLAT") return Hierarchy::flat;
    if (name == "COMBINED") return Hierarchy::combined;
    if (name != "COMPOSITE")
        log::error(log::Channel::emulator,
                   "ZE_FLAT_DEVICE_HIERARCHY={} is none of FLAT, COMBINED, COMPOSITE; the last is taken", name);
    return Hierarchy::composite;
}

std::vector<std::vector<std::uint32_t>> visibleTiles(Hierarchy hierarchy, std::string_view mask,
                                                     std::span<const std::uint32_t> tiles) {
    if (mask = withoutBlanks(mask); mask.empty() || mask == "default") {
        std::vector<std::vector<std::uint32_t>> all;
        for (const std::uint32_t each : tiles) {
            auto& own = all.emplace_back(each);
            std::iota(own.begin(), own.end(), 0u);
        }
        return all;
    }
    Mask chosen(hierarchy, tiles);
    forEachPart(mask, ',', [&](std::string_view entry) { chosen.add(entry); });
    return chosen.byDevice();
}

}  // namespace zetl::emulator::driver

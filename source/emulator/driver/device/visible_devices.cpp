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
    Mask(Hierarchy hierarchy, std::uint32_t devices, std::uint32_t tilesOfEach)
        : flat_(hierarchy != Hierarchy::composite), devices_(devices), tiles_(tilesOfEach) {}

    void add(std::string_view entry) {
        const auto dot = entry.find('.');
        const auto first = numberIn(entry.substr(0, dot));
        const auto tile = dot == std::string_view::npos ? std::nullopt : numberIn(entry.substr(dot + 1));
        const bool whole = dot == std::string_view::npos;
        if (first && flat_ && whole && *first < devices_ * tiles_)
            chosen_.insert(*first);
        else if (first && !flat_ && whole && *first < devices_)
            for (std::uint32_t i = 0; i < tiles_; ++i) chosen_.insert(*first * tiles_ + i);
        else if (first && !flat_ && tile && *first < devices_ && *tile < tiles_)
            chosen_.insert(*first * tiles_ + *tile);
        else
            log::error(log::Channel::emulator,
                       "ZE_AFFINITY_MASK: '{}' names none of the {} devices with {} tiles each in this hierarchy",
                       entry, devices_, tiles_);
    }

    std::vector<std::vector<std::uint32_t>> byDevice() const {
        std::vector<std::vector<std::uint32_t>> left(devices_);
        for (const std::uint32_t tile : chosen_) left[tile / tiles_].push_back(tile % tiles_);
        return left;
    }

  private:
    bool flat_;
    std::uint32_t devices_;
    std::uint32_t tiles_;
    std::set<std::uint32_t> chosen_;
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

std::vector<std::vector<std::uint32_t>> visibleTiles(Hierarchy hierarchy, std::string_view mask, std::uint32_t devices,
                                                     std::uint32_t tilesOfEach) {
    if (mask = withoutBlanks(mask); mask.empty() || mask == "default") {
        std::vector<std::uint32_t> all(tilesOfEach);
        std::iota(all.begin(), all.end(), 0u);
        return {devices, all};
    }
    Mask chosen(hierarchy, devices, tilesOfEach);
    forEachPart(mask, ',', [&](std::string_view entry) { chosen.add(entry); });
    return chosen.byDevice();
}

}  // namespace zetl::emulator::driver

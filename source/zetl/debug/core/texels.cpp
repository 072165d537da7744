#include "core/texels.h"

#include <algorithm>
#include <bit>

#include "core/failure.h"
#include "isa/xe/surface_format.h"
#include "isa/xe/texel.h"

namespace zetl::debugger {
namespace {

using isa::xe::SurfaceFormat;
using isa::xe::SurfaceState;

std::string texelText(const SurfaceState& state, const SurfaceFormat& format, const std::uint8_t* bytes) {
    const auto texel =
        isa::xe::selected(state.select, format, isa::xe::readTexel(format, reinterpret_cast<const std::byte*>(bytes)));
    std::string text;
    for (const std::uint32_t channel : texel) {
        if (!text.empty()) text += ", ";
        text += format.kind == isa::xe::TexelKind::unsignedInt ? std::to_string(channel)
                : format.isInteger()                           ? std::to_string(static_cast<std::int32_t>(channel))
                                                               : fmt::format("{}", std::bit_cast<float>(channel));
    }
    return "{" + text + "}";
}

/// Coordinates of which the second or third may be the number of a layer, as an address takes them.
std::array<std::int64_t, 3> placeIn(const SurfaceState& state, const std::array<std::int64_t, 3>& at) {
    const bool layersOfLines = state.array && state.dimensions() == 1;
    return layersOfLines ? std::array<std::int64_t, 3>{at[0], 0, at[1]} : at;
}

}  // namespace

std::string imageTextOf(const SurfaceState& image) {
    return fmt::format("{}, at {:#x}", isa::xe::textOf(image), image.base);
}

std::vector<std::string> texelsOf(const SurfaceState& image, const TexelRegion& region, const Memory& memory) {
    const SurfaceFormat* const format = isa::xe::findSurfaceFormat(image.format);
    if (!format || !image.linear) fail("its texels are not known: a {}", isa::xe::textOf(image));
    const auto sizes = image.sizes();
    const auto at = placeIn(image, region.at);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (at[i] < 0 || static_cast<std::uint64_t>(at[i]) >= sizes[i])
            fail("the region begins outside of a {}; give coordinates within it", isa::xe::textOf(image));
    const std::size_t down = image.array && image.dimensions() == 1 ? 2 : 1;
    const auto columns = std::min(region.columns, sizes[0] - static_cast<std::uint64_t>(at[0]));
    const auto rows = std::min(region.rows, sizes[down] - static_cast<std::uint64_t>(at[down]));
    std::vector<std::string> lines;
    for (std::uint64_t row = 0; row < rows; ++row) {
        auto place = at;
        place[down] += static_cast<std::int64_t>(row);
        const auto address = image.addressOf(place, format->bytes);
        const auto bytes = memory.read(address, columns * format->bytes);
        if (!bytes) fail("cannot read {} texels at {:#x}; was the image destroyed?", columns, address);
        std::string line = fmt::format("({}{}{}):", place[0], sizes[down] > 1 ? fmt::format(", {}", place[down]) : "",
                                       down == 1 && sizes[2] > 1 ? fmt::format(", {}", place[2]) : "");
        for (std::uint64_t i = 0; i < columns; ++i)
            line += ' ' + texelText(image, *format, bytes->data() + i * format->bytes);
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace zetl::debugger

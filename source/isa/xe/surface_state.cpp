#include "isa/xe/surface_state.h"

#include <algorithm>
#include <cstring>

#include "isa/xe/surface_format.h"

namespace zetl::isa::xe {
namespace {

using Dwords = std::array<std::uint32_t, SurfaceState::kBytes / sizeof(std::uint32_t)>;

struct Field {
    std::uint8_t dword;
    std::uint8_t high;
    std::uint8_t low;

    constexpr std::uint32_t mask() const noexcept { return high - low == 31 ? ~0u : (1u << (high - low + 1)) - 1; }
    constexpr std::uint32_t of(const Dwords& dwords) const noexcept { return dwords[dword] >> low & mask(); }
    constexpr void set(Dwords& dwords, std::uint64_t value) const noexcept {
        dwords[dword] |= (static_cast<std::uint32_t>(value) & mask()) << low;
    }
};

constexpr Field kType{0, 31, 29};
constexpr Field kArray{0, 28, 28};
constexpr Field kFormat{0, 26, 18};
constexpr Field kTileMode{0, 13, 12};
constexpr Field kSliceRowsField{1, 14, 0};
constexpr Field kHeight{2, 29, 16};
constexpr Field kWidth{2, 13, 0};
constexpr Field kDepth{3, 31, 21};
constexpr Field kPitch{3, 17, 0};
constexpr Field kExtent{4, 17, 7};
constexpr Field kLevels{5, 3, 0};
constexpr Field kSelects[] = {{7, 27, 25}, {7, 24, 22}, {7, 21, 19}, {7, 18, 16}};
constexpr std::size_t kBaseDword = 8;

// The number of elements of a buffer, in three fields.
constexpr std::uint32_t kLowBits = 7;
constexpr std::uint32_t kMiddleBits = 14;

}  // namespace

SurfaceState SurfaceState::read(ConstBytes bytes) noexcept {
    Dwords d;
    std::memcpy(d.data(), bytes.data(), sizeof d);
    SurfaceState s;
    s.type = static_cast<Type>(kType.of(d));
    s.array = kArray.of(d) != 0;
    s.linear = kTileMode.of(d) == 0;
    s.format = static_cast<std::uint16_t>(kFormat.of(d));
    s.width = kWidth.of(d) + 1;
    s.height = kHeight.of(d) + 1;
    s.depth = kDepth.of(d) + 1;
    s.pitch = kPitch.of(d) + 1;
    s.sliceRows = kSliceRowsField.of(d) * kSliceRows;
    s.levels = kLevels.of(d) + 1;
    for (std::size_t i = 0; i < s.select.size(); ++i) s.select[i] = static_cast<ChannelSelect>(kSelects[i].of(d));
    std::memcpy(&s.base, &d[kBaseDword], sizeof s.base);
    if (s.type != Type::buffer) return s;
    const std::uint64_t last = (kWidth.of(d) & ((1u << kLowBits) - 1)) | std::uint64_t{kHeight.of(d)} << kLowBits |
                               std::uint64_t{kDepth.of(d)} << (kLowBits + kMiddleBits);
    s.width = last + 1;
    s.height = s.depth = 1;
    return s;
}

void SurfaceState::write(Bytes bytes) const noexcept {
    Dwords d{};
    kType.set(d, static_cast<std::uint32_t>(type));
    kArray.set(d, array ? 1 : 0);
    kFormat.set(d, format);
    kSliceRowsField.set(d, sliceRows / kSliceRows);
    const std::uint64_t last = width - 1;
    const bool isBuffer = type == Type::buffer;
    kWidth.set(d, isBuffer ? last & ((1u << kLowBits) - 1) : last);
    kHeight.set(d, isBuffer ? last >> kLowBits : height - 1);
    kDepth.set(d, isBuffer ? last >> (kLowBits + kMiddleBits) : depth - 1);
    kPitch.set(d, pitch - 1);
    kExtent.set(d, isBuffer ? 0 : depth - 1);
    kLevels.set(d, levels - 1);
    for (std::size_t i = 0; i < select.size(); ++i) kSelects[i].set(d, static_cast<std::uint32_t>(select[i]));
    std::memcpy(&d[kBaseDword], &base, sizeof base);
    std::memcpy(bytes.data(), d.data(), sizeof d);
}

unsigned SurfaceState::dimensions() const noexcept { return type == Type::volume ? 3 : type == Type::plane ? 2 : 1; }

std::array<std::uint64_t, 3> SurfaceState::sizes() const noexcept {
    return {width, type == Type::line || type == Type::buffer ? 1 : height,
            array || type == Type::volume ? std::uint64_t{depth} : 1};
}

std::uint64_t SurfaceState::addressOf(const std::array<std::int64_t, 3>& at, std::uint32_t texelBytes) const noexcept {
    const auto x = static_cast<std::uint64_t>(at[0]) * texelBytes;
    const auto y = static_cast<std::uint64_t>(at[1]) * pitch;
    const auto z = static_cast<std::uint64_t>(at[2]) * sliceRows * pitch;
    return base + x + y + z;
}

std::uint64_t SurfaceState::bytes(std::uint32_t texelBytes) const noexcept {
    const auto [x, y, z] = sizes();
    return x * texelBytes + (y - 1) * pitch + (z - 1) * sliceRows * pitch;
}

std::string textOf(const SurfaceState& state) {
    using Type = SurfaceState::Type;
    const SurfaceFormat* const format = findSurfaceFormat(state.format);
    std::string text = state.type == Type::buffer ? "buffer image" : std::to_string(state.dimensions()) + "D image";
    if (state.array) text += " array";
    text += " of ";
    for (unsigned i = 0; i < state.dimensions(); ++i) text += (i == 0 ? "" : " x ") + std::to_string(state.sizes()[i]);
    text += " texels";
    if (state.array) text += " and " + std::to_string(state.depth) + " layers";
    return text + ", " + (format != nullptr ? nameOf(*format) : "of an unknown format");
}

}  // namespace zetl::isa::xe

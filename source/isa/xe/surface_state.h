// RENDER_SURFACE_STATE of Xe2 and Xe3: what a message's surface is. (compute-runtime,
// shared/source/generated/xe2_hpg_core.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace zetl::isa::xe {

/// Where a channel that a shader sees comes from, or goes to.
enum class ChannelSelect : std::uint8_t { zero = 0, one = 1, red = 4, green = 5, blue = 6, alpha = 7 };

/// A linear surface, all levels but the first left out.
struct SurfaceState {
    static constexpr std::uint32_t kBytes = 64;
    enum class Type : std::uint8_t { line = 0, plane = 1, volume = 2, cube = 3, buffer = 4, scratch = 6, none = 7 };
    using Bytes = std::span<std::byte, kBytes>;
    using ConstBytes = std::span<const std::byte, kBytes>;

    // The most that the fields hold.
    static constexpr std::uint32_t kMostWidth = 1 << 14;
    static constexpr std::uint32_t kMostHeight = 1 << 14;
    static constexpr std::uint32_t kMostDepth = 1 << 11;
    static constexpr std::uint64_t kMostElements = std::uint64_t{1} << 32;  ///< of a buffer
    static constexpr std::uint32_t kMostPitch = 1 << 18;
    static constexpr std::uint32_t kSliceRows = 4;  ///< slices have so many rows, or a multiple

    Type type = Type::none;
    bool array = false;
    bool linear = true;  ///< read(): no tiles
    std::uint16_t format = 0;
    std::uint64_t width = 1;  ///< texels; of a buffer its elements
    std::uint32_t height = 1;
    std::uint32_t depth = 1;      ///< or the number of layers
    std::uint32_t pitch = 1;      ///< bytes from row to row
    std::uint32_t sliceRows = 0;  ///< rows from slice to slice, or from layer to layer
    std::uint32_t levels = 1;     ///< of a mip chain
    std::array<ChannelSelect, 4> select{ChannelSelect::red, ChannelSelect::green, ChannelSelect::blue,
                                        ChannelSelect::alpha};
    std::uint64_t base = 0;

    /// How many coordinates it has beside the number of the layer: 1 to 3.
    unsigned dimensions() const noexcept;
    /// In x, y and z; 1 where it has none.
    std::array<std::uint64_t, 3> sizes() const noexcept;
    /// Of the texel at these coordinates, the third of which may be the number of a layer.
    std::uint64_t addressOf(const std::array<std::int64_t, 3>& at, std::uint32_t texelBytes) const noexcept;
    /// From the first texel to the end of the last one.
    std::uint64_t bytes(std::uint32_t texelBytes) const noexcept;

    /// Any bytes are a state, though perhaps of no image.
    static SurfaceState read(ConstBytes bytes) noexcept;
    void write(Bytes bytes) const noexcept;
};

/// "2D image of 8 x 4 texels, R8G8B8A8 UNORM".
std::string textOf(const SurfaceState& state);

}  // namespace zetl::isa::xe

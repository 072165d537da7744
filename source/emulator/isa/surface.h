// The surface that a message names, and its texels in memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "emulator/isa/thread.h"
#include "isa/xe/sampler_state.h"
#include "isa/xe/surface_format.h"
#include "isa/xe/surface_state.h"
#include "isa/xe/texel.h"

namespace zetl::emulator::isa {

using zetl::isa::xe::TexelBits;

/// A surface, for the time of one message of one thread. Texels are reached through the thread's memory windows, so a
/// damaged state leads to a fault, never out of the device's memory.
class Surface {
  public:
    /// What an access comes to, if it does not go through: where it failed.
    struct Failure {
        FaultKind kind = FaultKind::none;
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
        bool write = false;
    };
    struct Place {
        std::int64_t x = 0;
        std::int64_t y = 0;
        std::int64_t z = 0;  ///< or the layer
    };

    /// The surface at an offset of the heap; none, with `failure`, if there is no image.
    static std::optional<Surface> find(Thread& thread, std::uint32_t offset, Failure& failure) noexcept;

    const zetl::isa::xe::SurfaceState& state() const noexcept { return state_; }
    const zetl::isa::xe::SurfaceFormat& format() const noexcept { return *format_; }
    /// Sizes in x, y and z; 1 where it has none.
    const std::array<std::uint64_t, 3>& sizes() const noexcept { return sizes_; }
    /// How many coordinates it has beside the number of the layer: 1 to 3.
    unsigned dimensions() const noexcept;
    bool holds(const Place& at) const noexcept;
    /// The place that whole coordinates name; the number of a layer follows them. Those that it does not have are left
    /// out.
    Place placeOf(const std::array<std::int64_t, 3>& coordinates) const noexcept;

    /// As kernels see it: channels where the state's selects say. Everything outside is zero in memory. False, with
    /// `failure`, if the memory cannot be read.
    bool read(Thread& thread, std::uint32_t window, const Place& at, TexelBits& texel, Failure& failure) const noexcept;
    /// Outside, nothing is written.
    bool write(Thread& thread, std::uint32_t window, const Place& at, const TexelBits& texel,
               Failure& failure) const noexcept;
    /// The same without them.
    bool readMemory(Thread& thread, std::uint32_t window, const Place& at, TexelBits& texel,
                    Failure& failure) const noexcept;
    /// The host address of bytes of a row; null, with `failure`, if they are not there.
    std::byte* bytesAt(Thread& thread, std::uint32_t window, std::uint64_t address, std::uint64_t bytes, bool write,
                       Failure& failure) const noexcept;
    std::uint64_t addressOf(const Place& at) const noexcept;
    /// Where the first texel lies on the host, if the window holds all of them; null otherwise.
    const std::byte* heldBy(const MemoryWindow& window) const noexcept;

  private:
    zetl::isa::xe::SurfaceState state_;
    const zetl::isa::xe::SurfaceFormat* format_ = nullptr;
    zetl::isa::xe::TexelReader reader_ = nullptr;
    bool selectsAll_ = true;
    std::array<std::uint64_t, 3> sizes_{1, 1, 1};
};

/// The sampler at an offset of the heap; none, with `failure`, if nothing can be there.
std::optional<zetl::isa::xe::SamplerState> findSampler(Thread& thread, std::uint32_t offset,
                                                       Surface::Failure& failure) noexcept;

}  // namespace zetl::emulator::isa

#include "reference/surface_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace zetl::test::reference {
namespace {

bool isOn(const SurfaceBlock& m, const State& s) {
    const bool enabled = m.noMask || (s.active & 1) != 0;
    return enabled && (!m.predicated || ((s.read(layout::kFlags, 4) & 1) != 0) != m.inverted);
}

/// Where an element of a block lies in registers, in elements.
std::uint32_t placeOf(const SurfaceBlock& m, std::uint32_t block, std::uint32_t x, std::uint32_t y) {
    const std::uint32_t n = m.inDword();
    const std::uint32_t first = block * m.blockPitch();
    if (m.transposed) return first + x / n * n * m.rowPitch() + y * n + x % n;
    return first + y / n * n * m.rowPitch() + x * n + y % n;
}

class Transfer {
  public:
    Transfer(const SurfaceBlock& m, State& state, Memories& memory)
        : m_(m), state_(state), memory_(memory.global), begin_(memory.globalAddress) {}

    void element(std::uint32_t block, std::uint32_t x, std::uint32_t y) {
        const std::int64_t column = std::int64_t{m_.x} + block * m_.width + x;
        const std::int64_t row = std::int64_t{m_.y} + y;
        if (!m_.isInside(column, row)) return;
        const auto down = static_cast<std::uint64_t>(row) * m_.pitch;
        const std::uint64_t at = m_.base - begin_ + down + static_cast<std::uint64_t>(column) * m_.elementBytes;
        const std::uint32_t place = placeOf(m_, block, x, y) * m_.elementBytes;
        for (std::uint32_t k = 0; k < m_.elementBytes; ++k) {
            if (m_.kind == SurfaceBlock::Kind::store)
                memory_.at(at + k) = state_.bytes[registerPlace(m_.values) + place + k];
            else
                state_.bytes[registerPlace(m_.result) + place + k] = memory_.at(at + k);
        }
    }

  private:
    const SurfaceBlock& m_;
    State& state_;
    std::vector<std::byte>& memory_;
    std::uint64_t begin_;
};

}  // namespace

std::uint32_t SurfaceBlock::rowPitch() const { return std::bit_ceil(transposed ? height : width); }
std::uint32_t SurfaceBlock::blockPitch() const {
    const std::uint32_t elements = rowPitch() * (transposed ? width : height);
    const std::uint32_t inRegister = layout::kRegisterBytes / elementBytes;
    return (elements + inRegister - 1) / inRegister * inRegister;
}
std::uint32_t SurfaceBlock::registers() const { return blocks * blockPitch() * elementBytes / layout::kRegisterBytes; }

/// A row each: the blocks lie side by side.
Touched touchedBy(const SurfaceBlock& m, const State& state) {
    Touched touched{.reads = m.kind == SurfaceBlock::Kind::load, .writes = m.kind == SurfaceBlock::Kind::store};
    if (m.kind == SurfaceBlock::Kind::prefetch || !isOn(m, state)) return touched;
    for (std::uint32_t y = 0; y < m.height; ++y) {
        std::uint32_t inside = 0;
        for (std::uint32_t x = 0; x < m.width * m.blocks; ++x) {
            const std::int64_t column = std::int64_t{m.x} + x;
            const std::int64_t row = std::int64_t{m.y} + y;
            if (!m.isInside(column, row)) continue;
            if (inside++ == 0)
                touched.address[y] = m.base + static_cast<std::uint64_t>(row) * m.pitch +
                                     static_cast<std::uint64_t>(column) * m.elementBytes;
        }
        if (inside == 0) continue;
        touched.lanes |= 1u << y;
        touched.bytesPerLane = inside * m.elementBytes;
    }
    return touched;
}

/// What lies outside of the surface, and what pads rows and blocks, is zero in registers.
void execute(const SurfaceBlock& m, State& state, Memories& memory) {
    if (m.kind == SurfaceBlock::Kind::prefetch || !isOn(m, state)) return;
    if (m.kind == SurfaceBlock::Kind::load)
        for (std::uint32_t at = 0; at < m.registers() * layout::kRegisterBytes; at += 8)
            state.write(registerPlace(m.result) + at, 8, 0);
    Transfer transfer(m, state, memory);
    for (std::uint32_t block = 0; block < m.blocks; ++block)
        for (std::uint32_t y = 0; y < m.height; ++y)
            for (std::uint32_t x = 0; x < m.width; ++x) transfer.element(block, x, y);
}

std::string SurfaceBlock::assembly() const {
    constexpr std::uint32_t kLongest = 31;  // says thirty-two as well
    const char* sign = inverted ? "~" : "";
    const std::string mask = noMask && predicated ? fmt::format("(W&{}f0.0) ", sign)
                             : noMask             ? "(W) "
                             : predicated         ? fmt::format("({}f0.0) ", sign)
                                                  : "";
    const std::uint32_t length = std::min(registers(), kLongest);
    std::uint32_t descriptor = (kind == Kind::store ? 7u : 3u) | std::uint32_t{packed} << 7 | 1u << 25;
    descriptor |= static_cast<std::uint32_t>(std::countr_zero(elementBytes)) << 9 | std::uint32_t{transposed} << 15;
    descriptor |= kind == Kind::load ? length << 20 : 0;
    const std::string to = kind == Kind::load ? fmt::format("r{}", result) : "null";
    const std::string from = kind == Kind::store ? fmt::format("r{}:{}", values, length) : "null:0";
    return fmt::format("{}send.ugm (1|M0) {} r{} {} 0x0 0x{:08x}", mask, to, payload, from, descriptor);
}

}  // namespace zetl::test::reference

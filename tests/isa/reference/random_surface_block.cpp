// Two-dimensional messages of every size and order of elements, on small surfaces that blocks leave on every side.
#include <algorithm>
#include <bit>
#include <iterator>

#include "reference/surface_block.h"

namespace zetl::test::reference {
namespace {

class SurfaceDrawing {
  public:
    SurfaceDrawing(std::uint64_t number, std::uint64_t globalAddress) : dice_(number * 0x9e3779b97f4a7c15u + 11) {
        p_.number = number;
        p_.memory.globalAddress = globalAddress;
    }
    SurfaceProgram draw() {
        form();
        do shape();
        while (p_.message.registers() > (p_.message.kind == Kind::store ? 31 : 32));
        surface();
        place();
        contents();
        return p_;
    }

  private:
    using Kind = SurfaceBlock::Kind;
    static constexpr std::uint32_t kMemoryBytes = 4096;
    static constexpr std::uint32_t kCompilersWidth = 16;  // of packed blocks: dpas has as many columns
    static constexpr std::uint8_t kPayloadRegister = 10;
    static constexpr std::uint8_t kValueRegister = 20;
    static constexpr std::uint8_t kResultRegister = 60;

    Dice dice_;
    SurfaceProgram p_;

    void form() {
        constexpr Kind kinds[] = {Kind::load,  Kind::load,  Kind::load,    Kind::load,
                                  Kind::store, Kind::store, Kind::prefetch};
        constexpr std::uint32_t sizes[] = {1, 2, 4, 8};
        SurfaceBlock& m = p_.message;
        m.kind = dice_.of(kinds);
        m.elementBytes = dice_.of(sizes);
        const bool loads = m.kind != Kind::store;  // stores know one order
        m.transposed = loads && dice_.oneIn(2);
        m.packed = loads && m.elementBytes < 4 && dice_.oneIn(2);
        m.noMask = dice_.oneIn(2);
        m.predicated = dice_.oneIn(4);
        m.inverted = m.predicated && dice_.oneIn(2);
        m.payload = kPayloadRegister;
        m.values = kValueRegister;
        // The reply may cover the payload.
        m.result = dice_.oneIn(4) ? kPayloadRegister - static_cast<std::uint8_t>(dice_.below(2)) : kResultRegister;
        p_.lanes = dice_.oneIn(4) ? 0xfffe : 0xffff;
    }
    /// Blocks that one message may have, side by side, are 64 bytes wide; dwords are shared by whole elements.
    void shape() {
        SurfaceBlock& m = p_.message;
        const std::uint32_t most = 64 / m.elementBytes;
        m.width = 1 + dice_.below(most);
        m.height = 1 + dice_.below(32);
        if (dice_.oneIn(2)) m.width = 1u << dice_.below(static_cast<std::uint32_t>(std::bit_width(most)));
        if (m.packed && dice_.oneIn(2)) m.width = kCompilersWidth;
        if (m.transposed) m.width = up(m.width, m.inDword());
        if (!m.transposed) m.height = up(m.height, m.inDword());
        m.blocks = m.kind == Kind::store ? 1 : 1u << dice_.below(3);
        m.blocks = std::max(std::min(m.blocks, most / m.width), 1u);
    }
    static std::uint32_t up(std::uint32_t n, std::uint32_t unit) { return (n + unit - 1) / unit * unit; }

    void surface() {
        SurfaceBlock& m = p_.message;
        const std::uint32_t unit = std::max(m.elementBytes, 4u);
        m.surfaceWidth = unit * (1 + dice_.below(128 / unit));
        m.pitch = m.surfaceWidth + (dice_.oneIn(2) ? 0 : 8 * dice_.below(9));
        const std::uint32_t rows = (kMemoryBytes - m.surfaceWidth) / m.pitch;
        m.surfaceHeight = 1 + dice_.below(dice_.oneIn(2) ? std::min(rows, 8u) : rows);
        const std::uint32_t room = kMemoryBytes - (m.surfaceHeight - 1) * m.pitch - m.surfaceWidth;
        m.base = p_.memory.globalAddress + dice_.below(room / 4 + 1) * 4;
        if (m.kind == Kind::prefetch) m.base = dice_.bits();
    }
    std::int32_t coordinate(std::uint32_t ofBlocks, std::uint32_t ofSurface) {
        constexpr std::int32_t far[] = {INT32_MIN, INT32_MAX, 1 << 24, -(1 << 24)};
        if (dice_.oneIn(24)) return dice_.of(far);
        if (dice_.oneIn(2) && ofBlocks <= ofSurface)
            return static_cast<std::int32_t>(dice_.below(ofSurface - ofBlocks + 1));
        const auto ahead = static_cast<std::int32_t>(ofBlocks + 1);
        const auto all = static_cast<std::int32_t>(ofSurface) + ahead + 1;
        return static_cast<std::int32_t>(dice_.below(static_cast<std::uint32_t>(all))) - ahead;
    }
    void place() {
        SurfaceBlock& m = p_.message;
        m.x = coordinate(m.width * m.blocks, m.surfaceWidth / m.elementBytes);
        m.y = coordinate(m.height, m.surfaceHeight);
    }

    void contents() {
        const SurfaceBlock& m = p_.message;
        for (const Space space : {Space::global, Space::local, Space::scratch, Space::payload}) {
            std::vector<std::byte>& area = p_.memory.of(space);
            area.resize(space == Space::global ? kMemoryBytes : 64);
            for (std::byte& b : area) b = static_cast<std::byte>(dice_.bits());
        }
        State& s = p_.registers;
        for (std::uint32_t at = 0; at < layout::kGrfBytes; at += 8) s.write(layout::kGrf + at, 8, dice_.bits());
        s.active = p_.lanes;
        s.write(layout::kFlags, 4, dice_.bits() & ~0u);
        const std::uint32_t payload = layout::kGrf + m.payload * layout::kRegisterBytes;
        const std::uint32_t shape = (m.width - 1) | (m.height - 1) << 8 | (m.blocks - 1) << 16;
        const std::uint32_t fields[] = {m.surfaceWidth - 1,
                                        m.surfaceHeight - 1,
                                        m.pitch - 1,
                                        static_cast<std::uint32_t>(m.x),
                                        static_cast<std::uint32_t>(m.y),
                                        shape};
        s.write(payload, 8, m.base);
        for (std::uint32_t k = 0; k < std::size(fields); ++k) s.write(payload + 8 + k * 4, 4, fields[k]);
    }
};

}  // namespace

SurfaceProgram surfaceProgram(std::uint64_t number, std::uint64_t globalAddress) {
    return SurfaceDrawing(number, globalAddress).draw();
}

}  // namespace zetl::test::reference

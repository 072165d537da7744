#include "reference/moved_message.h"

#include <cstring>

namespace zetl::test::reference {
namespace {

/// Bits of an instruction.
class Word {
  public:
    explicit Word(Code& code) : code_(code) {}
    void set(unsigned top, unsigned bottom, std::uint64_t value) {
        for (unsigned bit = bottom; bit <= top; ++bit, value >>= 1) {
            const std::byte mask{static_cast<std::uint8_t>(1u << bit % 8)};
            code_[bit / 8] = (value & 1) != 0 ? code_[bit / 8] | mask : code_[bit / 8] & ~mask;
        }
    }
    /// The extended descriptor, but for the bits that say which part of a0.
    void setExtended(std::uint32_t extended, bool besideRegister) {
        if (!besideRegister) set(42, 40, extended >> 16 & 7);
        set(39, 35, extended >> 11 & 31);
        set(47, 43, extended >> 19 & 31);
        set(65, 64, extended >> 24 & 3);
        set(97, 96, extended >> 26 & 3);
        set(127, 124, extended >> 28);
    }

  private:
    Code& code_;
};

std::int32_t within(Dice& dice, std::int32_t limit) {
    if (dice.oneIn(4)) return 0;
    if (dice.oneIn(6)) return dice.oneIn(2) ? limit - 1 : -limit;
    return static_cast<std::int32_t>(dice.below(static_cast<std::uint32_t>(2 * limit))) - limit;
}

void lowerAddresses(MessageProgram& p) {
    const MemoryMessage& m = p.message;
    const std::uint32_t first = registerPlace(m.addresses);
    const std::uint32_t lanes = m.strided || m.transposed ? 1 : m.width;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t at = first + lane * m.addressBytes;
        const std::uint64_t address = p.registers.read(at, m.addressBytes);
        p.registers.write(at, m.addressBytes, address - static_cast<std::uint64_t>(std::int64_t{m.moved}));
    }
}

}  // namespace

void move(MessageProgram& p, Code& code) {
    MemoryMessage& m = p.message;
    if (m.port != MemoryMessage::Port::cache || m.isScratchBlock()) return;
    constexpr std::int32_t kFlatLimit = 1 << 19;
    constexpr std::int32_t kScratchLimit = 1 << 16;
    constexpr std::int32_t kTableLimit = 1 << 11;
    constexpr std::uint32_t kPayloadTable = 255u << 24;
    Dice dice(p.number * 0x9e3779b97f4a7c15u + 13);
    Word word(code);
    if (m.addressBytes == 2) return;
    if (m.space == Space::scratch) {
        m.moved = within(dice, kScratchLimit);
        const auto bits = static_cast<std::uint32_t>(m.moved);
        word.setExtended((bits >> 4 & 0x1fff) << 19 | (bits & 15) << 12, true);
    } else if (m.space == Space::payload) {
        m.moved = within(dice, kTableLimit);
        word.setExtended(kPayloadTable | (static_cast<std::uint32_t>(m.moved) & 0xfff) << 12, false);
    } else {
        m.moved = within(dice, kFlatLimit);
        word.setExtended(static_cast<std::uint32_t>(m.moved) << 12, false);
    }
    lowerAddresses(p);
}

void move(SurfaceProgram& p, Code& code) {
    constexpr std::int32_t kLimit = 1 << 9;
    constexpr std::uint32_t kMask = 0x3ff;
    constexpr std::uint32_t kXAt = 20;
    Dice dice(p.number * 0x9e3779b97f4a7c15u + 17);
    const auto right = static_cast<std::uint32_t>(within(dice, kLimit));
    const auto down = static_cast<std::uint32_t>(within(dice, kLimit));
    Word(code).setExtended((down & kMask) << 22 | (right & kMask) << 12, false);
    const std::uint32_t place = registerPlace(p.message.payload) + kXAt;
    p.registers.write(place, 4, static_cast<std::uint32_t>(p.message.x) - right);
    p.registers.write(place + 4, 4, static_cast<std::uint32_t>(p.message.y) - down);
}

}  // namespace zetl::test::reference

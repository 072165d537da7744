#include "reference/older_message.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace zetl::test::reference {
namespace {

/// A type of messages: bits [18:14] of the descriptor.
struct OlderType {
    using Kind = MemoryMessage::Kind;
    using Port = MemoryMessage::Port;
    Port port;
    std::uint32_t type;
    Kind kind;
    Space space;
    void (*draw)(Dice& dice, MemoryMessage& m);  ///< bits [13:8] with their meaning
};

/// Sixteen lanes, where the descriptor tells: so lie their components.
constexpr std::uint32_t kSixteenBytes = 1 << 8;
constexpr std::uint32_t kSixteenDwords = 3 << 8;
constexpr std::uint32_t kSixteenLanes = 1 << 12;
constexpr std::uint32_t kReturns = 1 << 13;

constexpr std::uint8_t kDwordData = 2;
constexpr std::uint8_t kQwordData = 3;
constexpr std::uint8_t kNarrow[] = {4, 5, kDwordData};  ///< one, two and four bytes, in a dword

void bytes(Dice& dice, MemoryMessage& m) {
    const std::uint32_t size = dice.below(3);
    m.data = kNarrow[size];
    m.older |= kSixteenBytes | size << 10;
}
void dwords(Dice&, MemoryMessage& m) {
    m.addressUnit = 4;
    m.older |= kSixteenDwords;
}
/// One to sixteen octets of words: 0 the lower half of a register, 1 the upper one, which is not drawn.
void octets(Dice& dice, MemoryMessage& m) {
    constexpr std::uint32_t sizes[] = {0, 2, 3, 4, 5};
    const std::uint32_t size = dice.of(sizes);
    m.transposed = true;
    m.vector = static_cast<std::uint8_t>(size == 0 ? 4 : 4 << (size - 1));
    m.older |= size << 8;
}
/// The offset is in the header, in bytes or octets of words.
void localBytes(Dice& dice, MemoryMessage& m) {
    octets(dice, m);
    m.addressAt = 8;
}
void localOctets(Dice& dice, MemoryMessage& m) {
    localBytes(dice, m);
    m.addressUnit = 16;
}
void globalOctets(Dice& dice, MemoryMessage& m) {
    octets(dice, m);
    if (m.kind == MemoryMessage::Kind::load) m.older |= dice.below(2) << 11;  // alignment, which makes no difference
}
/// Components whose bit is set are left out.
void untyped(Dice& dice, MemoryMessage& m) {
    m.vector = 4;
    m.components = static_cast<std::uint8_t>(1 + dice.below(15));
    m.older |= (~m.components & 15u) << 8 | kSixteenLanes;
}
void scattered(Dice& dice, MemoryMessage& m) {
    const std::uint32_t size = dice.below(3);
    const std::uint32_t count = dice.below(size == 0 ? 3 : 4);
    m.data = size == 0 ? kNarrow[count] : size == 1 ? kDwordData : kQwordData;
    m.vector = static_cast<std::uint8_t>(size == 0 ? 1 : 1 << count);
    m.older |= size << 8 | count << 10 | kSixteenLanes;
}

void update(Dice& dice, MemoryMessage& m, std::uint32_t code, std::uint8_t operation) {
    m.operation = operation;
    m.returns = dice.oneIn(2);
    m.older |= code << 8 | (m.returns ? kReturns : 0);
}
void whole(Dice& dice, MemoryMessage& m) {
    constexpr std::uint8_t operations[] = {atomic::kAnd,
                                           atomic::kOr,
                                           atomic::kXor,
                                           atomic::kStore,
                                           atomic::kIncrement,
                                           atomic::kDecrement,
                                           atomic::kAdd,
                                           atomic::kSubtract,
                                           atomic::kReverseSubtract,
                                           atomic::kMaxSigned,
                                           atomic::kMinSigned,
                                           atomic::kMaxUnsigned,
                                           atomic::kMinUnsigned,
                                           atomic::kCompareExchange,
                                           atomic::kPreDecrement};
    const std::uint32_t k = dice.below(static_cast<std::uint32_t>(std::size(operations)));
    update(dice, m, k + 1, operations[k]);
}
void wholeWords(Dice& dice, MemoryMessage& m) {
    m.data = 5;
    whole(dice, m);
}
void wholeQwords(Dice& dice, MemoryMessage& m) {
    whole(dice, m);
    if (dice.oneIn(2)) return;
    m.data = kQwordData;
    m.older |= 1 << 12;
}
void real(Dice& dice, MemoryMessage& m) {
    constexpr std::uint8_t operations[] = {atomic::kMaxReal, atomic::kMinReal, atomic::kCompareExchangeReal,
                                           atomic::kAddReal, atomic::kSubtractReal};
    const std::uint32_t k = dice.below(static_cast<std::uint32_t>(std::size(operations)));
    update(dice, m, k + 1, operations[k]);
}
void realHalves(Dice& dice, MemoryMessage& m) {
    m.data = 5;
    real(dice, m);
}
void realDoubles(Dice& dice, MemoryMessage& m) {
    if (dice.oneIn(2)) return real(dice, m);
    const std::uint32_t subtracts = dice.below(2);
    m.data = kQwordData;
    update(dice, m, 6 + subtracts, subtracts != 0 ? atomic::kSubtractReal : atomic::kAddReal);
}

using Kind = MemoryMessage::Kind;
using Port = MemoryMessage::Port;
constexpr OlderType kOlderTypes[] = {
    {Port::data0, 0x00, Kind::load, Space::local, localOctets},
    {Port::data0, 0x01, Kind::load, Space::local, localBytes},
    {Port::data0, 0x03, Kind::load, Space::local, dwords},
    {Port::data0, 0x04, Kind::load, Space::local, bytes},
    {Port::data0, 0x08, Kind::store, Space::local, localOctets},
    {Port::data0, 0x0b, Kind::store, Space::local, dwords},
    {Port::data0, 0x0c, Kind::store, Space::local, bytes},
    {Port::data1, 0x01, Kind::loadQuad, Space::local, untyped},
    {Port::data1, 0x09, Kind::storeQuad, Space::local, untyped},
    {Port::data1, 0x11, Kind::loadQuad, Space::global, untyped},
    {Port::data1, 0x19, Kind::storeQuad, Space::global, untyped},
    {Port::data1, 0x10, Kind::load, Space::global, scattered},
    {Port::data1, 0x1a, Kind::store, Space::global, scattered},
    {Port::data1, 0x14, Kind::load, Space::global, globalOctets},
    {Port::data1, 0x15, Kind::store, Space::global, globalOctets},
    {Port::data1, 0x02, Kind::atomic, Space::local, whole},
    {Port::data1, 0x12, Kind::atomic, Space::global, wholeQwords},
    {Port::data1, 0x03, Kind::atomic, Space::local, wholeWords},
    {Port::data1, 0x13, Kind::atomic, Space::global, wholeWords},
    {Port::data1, 0x1b, Kind::atomic, Space::local, real},
    {Port::data1, 0x1d, Kind::atomic, Space::global, realDoubles},
    {Port::data1, 0x1c, Kind::atomic, Space::local, realHalves},
    {Port::data1, 0x1e, Kind::atomic, Space::global, realHalves},
};

}  // namespace

std::size_t olderTypes() noexcept { return std::size(kOlderTypes); }

void drawOlder(Dice& dice, MemoryMessage& m) {
    constexpr std::uint32_t kLocal = 0xfe;
    constexpr std::uint32_t kGlobal = 0xff;
    constexpr std::uint8_t operations[] = {0x00, 0x02, 0x04, 0x06};
    const OlderType type = dice.of(kOlderTypes);
    m.port = type.port;
    m.kind = type.kind;
    m.space = type.space;
    m.addressBytes = m.space == Space::local ? 4 : 8;
    m.older = type.type << 14 | (m.space == Space::local ? kLocal : kGlobal);
    if (m.kind != Kind::atomic) m.operation = operations[static_cast<int>(m.kind)];
    type.draw(dice, m);
    // A block's address is in the header itself.
    m.header = m.transposed || dice.oneIn(3);
    if (m.header && !m.transposed) m.addressAt = layout::kRegisterBytes;
}

}  // namespace zetl::test::reference

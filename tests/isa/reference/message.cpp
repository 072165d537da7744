#include "reference/message.h"

namespace zetl::test::reference {
namespace {

constexpr std::uint32_t kScratchUnit = 32;

std::uint64_t read(const std::vector<std::byte>& memory, std::uint64_t at, std::uint32_t bytes) {
    std::uint64_t value = 0;
    for (std::uint32_t k = 0; k < bytes; ++k) value |= std::to_integer<std::uint64_t>(memory.at(at + k)) << 8 * k;
    return value;
}
void write(std::vector<std::byte>& memory, std::uint64_t at, std::uint32_t bytes, std::uint64_t value) {
    for (std::uint32_t k = 0; k < bytes; ++k) memory.at(at + k) = static_cast<std::byte>(value >> 8 * k);
}

std::int64_t signExtended(std::uint64_t value, std::uint32_t bytes) {
    const unsigned unused = 64 - 8 * bytes;
    return static_cast<std::int64_t>(value << unused) >> unused;
}
/// Rounded to the nearest even, the mode in which the tests' threads run: which one counts is not published.
std::uint64_t updatedReal(std::uint8_t operation, std::uint64_t old, std::uint64_t x, std::uint64_t y,
                          std::uint32_t bytes) {
    const RealFormat format = bytes == 8 ? kDouble : bytes == 4 ? kSingle : kHalf;
    const Real a = decodeReal(old, format);
    const Real b = decodeReal(x, format);
    const auto rounded = [&](const Real& addend) {
        return encodeReal(sum(a, addend, Rounding::nearestEven), format, Rounding::nearestEven);
    };
    switch (operation) {
        case atomic::kAddReal:
            return rounded(b);
        case atomic::kSubtractReal:
            return rounded(negated(b));
        case atomic::kMinReal:
            return compare(b, a) == Order::less ? x : old;
        case atomic::kMaxReal:
            return compare(b, a) == Order::greater ? x : old;
        default:
            return compare(a, b) == Order::equal ? y : old;
    }
}
std::uint64_t updated(std::uint8_t operation, std::uint64_t old, std::uint64_t x, std::uint64_t y,
                      std::uint32_t bytes) {
    const bool less = signExtended(old, bytes) < signExtended(x, bytes);
    switch (operation) {
        case atomic::kIncrement:
            return old + 1;
        case atomic::kDecrement:
        case atomic::kPreDecrement:
            return old - 1;
        case atomic::kLoad:
            return old;
        case atomic::kStore:
            return x;
        case atomic::kAdd:
            return old + x;
        case atomic::kSubtract:
            return old - x;
        case atomic::kReverseSubtract:
            return x - old;
        case atomic::kMinSigned:
            return less ? old : x;
        case atomic::kMaxSigned:
            return less ? x : old;
        case atomic::kMinUnsigned:
            return old < x ? old : x;
        case atomic::kMaxUnsigned:
            return old < x ? x : old;
        case atomic::kCompareExchange:
            return old == x ? y : old;
        case atomic::kAnd:
            return old & x;
        case atomic::kOr:
            return old | x;
        case atomic::kXor:
            return old ^ x;
        default:
            return updatedReal(operation, old, x, y, bytes);
    }
}

std::uint64_t addressOf(const MemoryMessage& m, const State& s, std::uint32_t lane) {
    constexpr std::uint32_t kPitchAt = 8;
    const std::uint32_t payload = registerPlace(m.addresses) + m.addressAt;
    const auto moved = static_cast<std::uint64_t>(std::int64_t{m.moved});
    const std::uint64_t bits = m.moved != 0 && m.addressBytes == 4 ? 0xffff'ffff : ~std::uint64_t{0};
    if (!m.strided) return (s.read(payload + lane * m.addressBytes, m.addressBytes) * m.addressUnit + moved) & bits;
    return (s.read(payload, m.addressBytes) + lane * s.read(payload + kPitchAt, 4) + moved) & bits;
}

/// One message while it is executed. Its payload is read before anything is written.
class Delivery {
  public:
    Delivery(const MemoryMessage& m, State& state, std::vector<std::byte>& memory, std::uint64_t base)
        : m_(m), before_(state), after_(state), memory_(memory), base_(base) {}

    void lane(std::uint32_t lane) {
        using Kind = MemoryMessage::Kind;
        const std::uint64_t address = addressOf(m_, before_, lane) - base_;
        if (m_.kind == Kind::atomic) return update(lane, address);
        std::uint32_t row = 0;
        for (std::uint32_t k = 0; k < m_.vector; ++k) {
            if (m_.isQuad() && !(m_.components >> k & 1)) continue;
            const std::uint32_t place = m_.transposed ? k * m_.registerBytes() : slot(row, lane);
            move(place, address + k * m_.memoryBytes());
            ++row;
        }
    }
    void scratchBlock() {
        for (std::uint32_t k = 0; k < m_.vector * kScratchUnit; k += 4) move(k, m_.components * kScratchUnit + k);
    }

  private:
    std::uint32_t slot(std::uint32_t row, std::uint32_t lane) const {
        return row * m_.rowBytes() + lane * m_.registerBytes();
    }
    void move(std::uint32_t place, std::uint64_t at) {
        if (m_.stores())
            write(memory_, at, m_.memoryBytes(), before_.read(registerPlace(m_.values) + place, m_.memoryBytes()));
        else
            after_.write(registerPlace(m_.result) + place, m_.registerBytes(), read(memory_, at, m_.memoryBytes()));
    }
    void update(std::uint32_t lane, std::uint64_t at) {
        const auto operand = [&](std::uint32_t row) {
            return before_.read(registerPlace(m_.values) + slot(row, lane), m_.memoryBytes());
        };
        const std::uint64_t old = read(memory_, at, m_.memoryBytes());
        write(memory_, at, m_.memoryBytes(), updated(m_.operation, old, operand(0), operand(1), m_.memoryBytes()));
        const bool givesNew = m_.operation == atomic::kPreDecrement;
        const std::uint64_t given = givesNew ? read(memory_, at, m_.memoryBytes()) : old;
        if (m_.returns) after_.write(registerPlace(m_.result) + slot(0, lane), m_.registerBytes(), given);
    }

    const MemoryMessage& m_;
    const State before_;
    State& after_;
    std::vector<std::byte>& memory_;
    std::uint64_t base_;
};

}  // namespace

bool MemoryMessage::stores() const {
    return kind == Kind::store || kind == Kind::storeQuad || kind == Kind::scratchWrite;
}
std::uint32_t MemoryMessage::memoryBytes() const {
    constexpr std::uint32_t bytes[] = {1, 2, 4, 8, 1, 2};
    return bytes[data];
}
std::uint32_t MemoryMessage::registerBytes() const { return data == 3 ? 8 : 4; }
std::uint32_t MemoryMessage::rowBytes() const {
    const std::uint32_t lanes = width > 16 ? 32 : 16;
    return lanes * registerBytes();
}

std::vector<std::byte>& Memories::of(Space space) {
    switch (space) {
        case Space::global:
            return global;
        case Space::local:
            return local;
        case Space::scratch:
            return scratch;
        default:
            return payload;
    }
}

std::uint32_t lanesOn(const MemoryMessage& m, const State& state) {
    const auto flag = static_cast<std::uint32_t>(state.read(layout::kFlags, 4));
    std::uint32_t on = 0;
    for (std::uint32_t lane = 0; lane < m.width; ++lane) {
        const std::uint32_t bit = m.offset + lane;
        const bool enabled = m.noMask || (state.active >> bit & 1) != 0;
        const bool chosen = !m.predicated || ((flag >> bit & 1) != 0) != m.inverted;
        on |= std::uint32_t(enabled && chosen) << lane;
    }
    return on;
}

Touched touchedBy(const MemoryMessage& m, const State& state) {
    Touched touched{.space = m.space,
                    .reads = !m.stores(),
                    .writes = m.stores() || m.kind == MemoryMessage::Kind::atomic,
                    .lanes = m.isPrefetch() ? 0 : lanesOn(m, state)};
    const int elements = m.isQuad() ? std::popcount(m.components) : m.vector;
    touched.bytesPerLane = static_cast<std::uint32_t>(elements) * (m.isScratchBlock() ? kScratchUnit : m.memoryBytes());
    if (m.transposed || m.isScratchBlock()) touched.lanes &= 1;
    for (std::uint32_t lane = 0; lane < m.width; ++lane)
        touched.address[lane] = m.isScratchBlock() ? m.components * kScratchUnit : addressOf(m, state, lane);
    return touched;
}

void execute(const MemoryMessage& m, State& state, Memories& memory) {
    if (m.isPrefetch()) return;
    Delivery delivery(m, state, memory.of(m.space), m.space == Space::global ? memory.globalAddress : 0);
    if (m.isScratchBlock()) return delivery.scratchBlock();
    const std::uint32_t on = lanesOn(m, state);
    for (std::uint32_t lane = 0; lane < (m.transposed ? 1u : m.width); ++lane)
        if (on >> lane & 1) delivery.lane(lane);
}

}  // namespace zetl::test::reference

// Messages with every operation, element size, number of elements, mask and pattern of addresses.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "reference/older_message.h"

namespace zetl::test::reference {
namespace {

using Kind = MemoryMessage::Kind;

constexpr std::uint32_t kMemoryBytes = 4096;
constexpr std::uint32_t kAddressRegister = 10;
constexpr std::uint32_t kValueRegister = 20;  // up to sixteen lanes of eight longs, or a block
constexpr std::uint32_t kResultRegister = 60;
constexpr std::uint8_t kVectors[] = {1, 2, 3, 4, 8, 16, 32, 64};

class MessageDrawing {
  public:
    MessageDrawing(std::uint64_t number, std::uint64_t globalAddress) : dice_(number * 0x9e3779b97f4a7c15u + 7) {
        p_.number = number;
        p_.memory.globalAddress = globalAddress;
    }
    MessageProgram draw() {
        if (dice_.oneIn(3)) {
            drawOlder(dice_, p_.message);
        } else {
            kind();
            elements();
        }
        lanes();
        p_.message.fromRegister = dice_.oneIn(6);
        p_.message.result = kResultRegister;
        p_.message.values = kValueRegister;
        p_.message.addresses = p_.message.isScratchBlock() ? 0 : kAddressRegister;
        // The reply may cover the addresses.
        if (!p_.message.isScratchBlock() && dice_.oneIn(4)) p_.message.result = kAddressRegister + dice_.below(2);
        contents();
        if (!p_.message.isScratchBlock()) addresses();
        return p_;
    }

  private:
    static constexpr std::uint32_t kPlace = layout::kGrf + kAddressRegister * layout::kRegisterBytes;
    static constexpr std::uint32_t kPitchAt = 8;
    static constexpr std::uint8_t kStoreUncompressed = 0x1c;

    Dice dice_;
    MessageProgram p_;

    void kind() {
        constexpr Kind kinds[] = {Kind::load,   Kind::load,   Kind::loadQuad,    Kind::store,       Kind::storeQuad,
                                  Kind::atomic, Kind::atomic, Kind::scratchRead, Kind::scratchWrite};
        MemoryMessage& m = p_.message;
        m.kind = dice_.of(kinds);
        constexpr std::uint8_t operations[] = {0x00, 0x02, 0x04, 0x06};
        if (m.kind <= Kind::storeQuad) m.operation = operations[static_cast<int>(m.kind)];
        if (m.kind == Kind::atomic)
            m.operation = static_cast<std::uint8_t>(atomic::kIncrement + dice_.below(atomic::kXor - 7));
        const bool plain = m.kind == Kind::load || m.kind == Kind::store;
        m.transposed = plain && dice_.oneIn(4);
        space();
        m.strided = plain && !m.transposed && m.addressBytes != 2 && dice_.oneIn(4);
        if (m.strided) ++m.operation;
        if (m.kind == Kind::store && !m.strided && dice_.oneIn(6)) m.operation = kStoreUncompressed;
        m.hints = static_cast<std::uint8_t>(dice_.below(8));
    }
    void space() {
        constexpr Space spaces[] = {Space::global, Space::global, Space::global,
                                    Space::local,  Space::local,  Space::scratch};
        MemoryMessage& m = p_.message;
        m.space = m.isScratchBlock() ? Space::scratch : dice_.of(spaces);
        if (m.kind == Kind::load && m.transposed && dice_.oneIn(4)) m.space = Space::payload;
        m.addressBytes = m.space == Space::global ? 8 : m.space == Space::local && dice_.oneIn(3) ? 2 : 4;
    }
    void lanes() {
        constexpr std::uint8_t widths[] = {1, 2, 4, 8, 16, 16, 16, 32, 32};
        MemoryMessage& m = p_.message;
        const bool older = m.port != MemoryMessage::Port::cache;
        const bool wholeThread = m.isScratchBlock() || (older && m.transposed);
        do m.width = wholeThread ? 16 : m.transposed ? 1 : dice_.of(widths);
        while (older && m.width > 16);
        const bool wide = m.width == 32 || dice_.oneIn(2);
        const std::uint32_t all = wide ? ~0u : 0xffff;
        p_.lanes = dice_.oneIn(2) ? all : static_cast<std::uint32_t>(dice_.bits()) & all;
        if (p_.lanes == 0) p_.lanes = 1;
        if (wide && m.width <= 16 && m.width >= 4 && dice_.oneIn(2)) m.offset = 16;
        m.noMask = wholeThread || dice_.oneIn(3);
        m.predicated = !wholeThread && dice_.oneIn(3);
        m.inverted = m.predicated && dice_.oneIn(2);
    }
    void elements() {
        MemoryMessage& m = p_.message;
        constexpr std::uint8_t units[] = {1, 2, 4, 8};
        if (m.isScratchBlock()) {
            m.vector = dice_.of(units);
            m.components = static_cast<std::uint8_t>(dice_.below(kMemoryBytes / 32 - 8));
            return;
        }
        constexpr std::uint8_t whole[] = {2, 3};
        constexpr std::uint8_t any[] = {2, 2, 3, 4, 5};
        constexpr std::uint8_t notBytes[] = {2, 2, 3, 5};
        const bool real = m.kind == Kind::atomic && atomic::isReal(m.operation);
        m.data = m.transposed || real ? dice_.of(whole) : m.kind == Kind::atomic ? dice_.of(notBytes) : dice_.of(any);
        if (m.isQuad()) {
            m.vector = 4;
            m.components = static_cast<std::uint8_t>(1 + dice_.below(15));
            if (m.data > 3) m.data = 2;
        } else if (m.kind != Kind::atomic) {
            m.vector = kVectors[dice_.below(m.transposed ? 8 : 5)];
        }
        m.returns = m.kind == Kind::atomic ? dice_.oneIn(2) : m.space != Space::global || !dice_.oneIn(10);
    }

    /// Numbers that are often equal, and numbers whose sum is rounded, normal or, seldom, infinite. What becomes of
    /// NaNs and denormals is not published.
    std::uint64_t realElement(RealFormat format) {
        const std::uint64_t sign = std::uint64_t{dice_.below(2)} << format.signBit();
        const auto bias = static_cast<std::uint64_t>(format.bias());
        const std::uint64_t exponent = dice_.oneIn(12) ? 2 * bias : bias + dice_.below(6) - 3;
        const std::uint64_t ones = (std::uint64_t{1} << format.fractionBits) - 1;
        const std::uint64_t fraction =
            dice_.oneIn(2) ? dice_.bits() : std::uint64_t{dice_.below(2)} << (format.fractionBits - 1);
        return dice_.oneIn(4) ? 0 : sign | exponent << format.fractionBits | (fraction & ones);
    }
    void contents() {
        const MemoryMessage& m = p_.message;
        const bool real = m.kind == Kind::atomic && atomic::isReal(m.operation);
        const std::uint32_t bytes = m.memoryBytes();
        const auto element = [&] {
            // Few values of small numbers, so that comparisons find equal ones.
            if (real) return realElement(bytes == 8 ? kDouble : bytes == 4 ? kSingle : kHalf);
            return dice_.oneIn(2) ? dice_.bits() : dice_.below(3) - std::uint64_t{1};
        };
        const auto fill = [&](std::byte* to, std::size_t size) {
            for (std::size_t at = 0; at < size; at += bytes) {
                const std::uint64_t value = element();
                std::memcpy(to + at, &value, bytes);
            }
        };
        for (const Space space : {Space::global, Space::local, Space::scratch, Space::payload}) {
            std::vector<std::byte>& area = p_.memory.of(space);
            area.resize(kMemoryBytes);
            fill(area.data(), area.size());
        }
        fill(p_.registers.bytes + layout::kGrf, 128 * layout::kRegisterBytes);
        if (m.fromRegister) p_.registers.write(layout::kAddress, 4, m.descriptor());
        p_.registers.active = p_.lanes;
        p_.registers.write(layout::kFlags, 4, dice_.bits() & ~0u);
    }

    /// Places of the lanes' elements. Those that are written are apart, but for operations whose order makes no
    /// difference.
    void addresses() {
        const MemoryMessage& m = p_.message;
        const std::uint32_t span = m.vector * m.memoryBytes();
        const bool atomics = m.kind == Kind::atomic;
        const bool anyOrder = atomics && !m.returns && !atomic::isReal(m.operation) && m.operation != atomic::kStore &&
                              m.operation != atomic::kReverseSubtract && m.operation != atomic::kCompareExchange;
        const bool apart = m.stores() || (atomics && !anyOrder);
        std::vector<std::uint32_t> offsets(m.width);
        std::iota(offsets.begin(), offsets.end(), 0);
        const std::uint32_t pattern = m.strided ? 0 : dice_.below(5);
        if (pattern == 1) std::ranges::reverse(offsets);
        if (pattern == 2) shuffle(offsets);
        const std::uint32_t most = kMemoryBytes / (span * m.width);
        const std::uint32_t step = span * (most > 1 && dice_.oneIn(2) ? 1 + dice_.below(most) : 1);
        const std::uint32_t pitch = m.strided && !apart && dice_.oneIn(3) ? dice_.below(step + 1) : step;
        for (std::uint32_t& offset : offsets) offset *= pitch;
        if (pattern == 3 && !apart)
            for (std::uint32_t& offset : offsets) offset = dice_.below((kMemoryBytes - span) / 8 + 1) * 8;
        if (pattern == 4 && !apart) std::ranges::fill(offsets, offsets.back());
        const std::uint32_t room = kMemoryBytes - span - *std::ranges::max_element(offsets);
        const bool aligned = atomics || m.transposed || m.addressUnit > 1 || dice_.oneIn(2);
        const std::uint32_t grain = aligned ? std::max(m.memoryBytes(), m.addressUnit) : 1;
        const std::uint32_t begin = dice_.below(room / grain + 1) * grain;
        const std::uint64_t base = (m.space == Space::global ? p_.memory.globalAddress : 0) + begin;
        if (m.strided) {
            address(0, m.isPrefetch() ? dice_.bits() : base);
            p_.registers.write(kPlace + kPitchAt, 4, pitch);
            return;
        }
        const std::uint32_t on = m.isPrefetch() ? 0 : lanesOn(m, p_.registers);
        for (std::uint32_t lane = 0; lane < (m.transposed ? 1u : m.width); ++lane)
            address(lane, (on >> lane & 1) != 0 ? (base + offsets[lane]) / m.addressUnit : dice_.bits());
    }
    void address(std::uint32_t lane, std::uint64_t value) {
        const std::uint32_t bytes = p_.message.addressBytes;
        p_.registers.write(kPlace + p_.message.addressAt + lane * bytes, bytes, value);
    }
    void shuffle(std::vector<std::uint32_t>& list) {
        for (std::size_t k = list.size(); k > 1; --k)
            std::swap(list[k - 1], list[dice_.below(static_cast<std::uint32_t>(k))]);
    }
};

}  // namespace

MessageProgram messageProgram(std::uint64_t number, std::uint64_t globalAddress) {
    return MessageDrawing(number, globalAddress).draw();
}

}  // namespace zetl::test::reference

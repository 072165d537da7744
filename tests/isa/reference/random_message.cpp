// Messages with every operation, element size, number of elements, mask and pattern of addresses.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "reference/message.h"

namespace zetl::test::reference {
namespace {

using Kind = MemoryMessage::Kind;

constexpr std::uint32_t kMemoryBytes = 4096;
constexpr std::uint32_t kAddressRegister = 10;
constexpr std::uint32_t kValueRegister = 20;  // up to sixteen lanes of eight longs, or a block
constexpr std::uint32_t kResultRegister = 60;
constexpr std::uint8_t kVectors[] = {1, 2, 3, 4, 8, 16, 32, 64};

std::uint64_t realBits(std::int32_t quarters, std::uint32_t bytes) {
    const double value = quarters * 0.25;
    if (bytes == 8) return std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

class MessageDrawing {
  public:
    MessageDrawing(std::uint64_t number, std::uint64_t globalAddress) : dice_(number * 0x9e3779b97f4a7c15u + 7) {
        p_.number = number;
        p_.memory.globalAddress = globalAddress;
    }
    MessageProgram draw() {
        kind();
        lanes();
        elements();
        p_.message.result = kResultRegister;
        p_.message.values = kValueRegister;
        p_.message.addresses = p_.message.isScratch() ? 0 : kAddressRegister;
        // The reply may cover the addresses.
        if (!p_.message.isScratch() && dice_.oneIn(4)) p_.message.result = kAddressRegister + dice_.below(2);
        contents();
        if (!p_.message.isScratch()) addresses();
        return p_;
    }

  private:
    Dice dice_;
    MessageProgram p_;

    void kind() {
        constexpr Kind kinds[] = {Kind::load,   Kind::load,   Kind::loadQuad,    Kind::store,       Kind::storeQuad,
                                  Kind::atomic, Kind::atomic, Kind::scratchRead, Kind::scratchWrite};
        MemoryMessage& m = p_.message;
        m.kind = dice_.of(kinds);
        const bool scratch = m.kind == Kind::scratchRead || m.kind == Kind::scratchWrite;
        m.space = scratch ? Space::scratch : dice_.oneIn(3) ? Space::local : Space::global;
        constexpr std::uint8_t operations[] = {0x00, 0x02, 0x04, 0x06};
        if (m.kind <= Kind::storeQuad) m.operation = operations[static_cast<int>(m.kind)];
        if (m.kind == Kind::atomic)
            m.operation = static_cast<std::uint8_t>(atomic::kIncrement + dice_.below(atomic::kXor - 7));
        m.transposed = (m.kind == Kind::load || m.kind == Kind::store) && dice_.oneIn(4);
    }
    void lanes() {
        constexpr std::uint8_t widths[] = {1, 2, 4, 8, 16, 16, 16, 32, 32};
        MemoryMessage& m = p_.message;
        m.width = m.transposed ? 1 : m.isScratch() ? 16 : dice_.of(widths);
        const bool wide = m.width == 32 || dice_.oneIn(2);
        const std::uint32_t all = wide ? ~0u : 0xffff;
        p_.lanes = dice_.oneIn(2) ? all : static_cast<std::uint32_t>(dice_.bits()) & all;
        if (p_.lanes == 0) p_.lanes = 1;
        if (wide && m.width <= 16 && m.width >= 4 && dice_.oneIn(2)) m.offset = 16;
        m.noMask = m.isScratch() || dice_.oneIn(3);
        m.predicated = !m.isScratch() && dice_.oneIn(3);
        m.inverted = m.predicated && dice_.oneIn(2);
    }
    void elements() {
        MemoryMessage& m = p_.message;
        constexpr std::uint8_t units[] = {1, 2, 4, 8};
        if (m.isScratch()) {
            m.vector = dice_.of(units);
            m.components = static_cast<std::uint8_t>(dice_.below(kMemoryBytes / 32 - 8));
            return;
        }
        constexpr std::uint8_t whole[] = {2, 3};
        constexpr std::uint8_t any[] = {2, 2, 3, 4, 5};
        constexpr std::uint8_t notBytes[] = {2, 2, 3, 5};
        const bool real = m.kind == Kind::atomic && atomic::isReal(m.operation);
        m.data = m.transposed || real ? dice_.of(whole) : m.kind == Kind::atomic ? dice_.of(notBytes) : dice_.of(any);
        if (m.kind == Kind::loadQuad || m.kind == Kind::storeQuad) {
            m.vector = 4;
            m.components = static_cast<std::uint8_t>(1 + dice_.below(15));
            if (m.data > 3) m.data = 2;
        } else if (m.kind != Kind::atomic) {
            m.vector = kVectors[dice_.below(m.transposed ? 8 : 5)];
        }
        m.returns = m.kind != Kind::atomic || dice_.oneIn(2);
    }

    void contents() {
        const MemoryMessage& m = p_.message;
        const bool real = m.kind == Kind::atomic && atomic::isReal(m.operation);
        const std::uint32_t bytes = m.memoryBytes();
        const auto element = [&] {
            // Few values of small numbers, so that comparisons find equal ones.
            if (real) return realBits(static_cast<std::int32_t>(dice_.below(9)) - 4, bytes);
            return dice_.oneIn(2) ? dice_.bits() : dice_.below(3) - std::uint64_t{1};
        };
        const auto fill = [&](std::byte* to, std::size_t size) {
            for (std::size_t at = 0; at < size; at += bytes) {
                const std::uint64_t value = element();
                std::memcpy(to + at, &value, bytes);
            }
        };
        for (auto* area : {&p_.memory.global, &p_.memory.local, &p_.memory.scratch}) {
            area->resize(kMemoryBytes);
            fill(area->data(), area->size());
        }
        fill(p_.registers.bytes + layout::kGrf, 128 * layout::kRegisterBytes);
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
                              m.operation != atomic::kCompareExchange;
        const bool apart = m.stores() || (atomics && !anyOrder);
        std::vector<std::uint32_t> offsets(m.width);
        std::iota(offsets.begin(), offsets.end(), 0);
        const std::uint32_t pattern = dice_.below(5);
        if (pattern == 1) std::ranges::reverse(offsets);
        if (pattern == 2) shuffle(offsets);
        const std::uint32_t most = kMemoryBytes / (span * m.width);
        const std::uint32_t step = span * (most > 1 && dice_.oneIn(2) ? 1 + dice_.below(most) : 1);
        for (std::uint32_t& offset : offsets) offset *= step;
        if (pattern == 3 && !apart)
            for (std::uint32_t& offset : offsets) offset = dice_.below((kMemoryBytes - span) / 8 + 1) * 8;
        if (pattern == 4 && !apart) std::ranges::fill(offsets, offsets.back());
        const std::uint32_t room = kMemoryBytes - span - *std::ranges::max_element(offsets);
        const std::uint32_t grain = atomics || m.transposed || dice_.oneIn(2) ? m.memoryBytes() : 1;
        const std::uint32_t begin = dice_.below(room / grain + 1) * grain;
        const std::uint32_t on = lanesOn(m, p_.registers);
        for (std::uint32_t lane = 0; lane < m.width; ++lane) {
            const bool isOn = (on >> lane & 1) != 0;
            const std::uint64_t base = m.space == Space::global ? p_.memory.globalAddress : 0;
            const std::uint64_t address = isOn ? base + begin + offsets[lane] : dice_.bits();
            p_.registers.write(layout::kGrf + m.addresses * layout::kRegisterBytes + lane * m.addressBytes(),
                               m.addressBytes(), address);
        }
    }
    void shuffle(std::vector<std::uint32_t>& list) {
        for (std::size_t k = list.size(); k > 1; --k)
            std::swap(list[k - 1], list[dice_.below(static_cast<std::uint32_t>(k))]);
    }
};

std::uint32_t registers(std::uint32_t bytes) { return (bytes + layout::kRegisterBytes - 1) / layout::kRegisterBytes; }

}  // namespace

MessageProgram messageProgram(std::uint64_t number, std::uint64_t globalAddress) {
    return MessageDrawing(number, globalAddress).draw();
}

std::string MemoryMessage::assembly() const {
    const char* sign = inverted ? "~" : "";
    std::string text = noMask && predicated ? fmt::format("(W&{}f0.0) ", sign)
                       : noMask             ? "(W) "
                       : predicated         ? fmt::format("({}f0.0) ", sign)
                                            : "";
    const auto form = [&](const char* function, bool replies, std::uint32_t values, std::uint32_t descriptor) {
        const std::string to = replies ? fmt::format("r{}", result) : "null";
        const std::string from = values != 0 ? fmt::format("r{}:{}", this->values, values) : "null:0";
        return fmt::format("{}send.{} ({}|M{}) {} r{} {} 0x0 0x{:08x}", text, function, width, offset, to, addresses,
                           from, descriptor);
    };
    if (isScratch()) {
        const auto size = static_cast<std::uint32_t>(std::countr_zero(vector));
        const std::uint32_t length = registers(vector * 32);
        const bool writes = kind == Kind::scratchWrite;
        const std::uint32_t reply = writes ? 0 : length << 20;
        return form("dc0", !writes, writes ? length : 0,
                    1u << 25 | reply | 1u << 19 | 1u << 18 | (writes ? 3u << 16 : 0) | size << 12 | components);
    }
    const bool quad = kind == Kind::loadQuad || kind == Kind::storeQuad;
    const std::uint32_t rows = quad ? static_cast<std::uint32_t>(std::popcount(components)) : vector;
    const std::uint32_t length = registers(transposed ? vector * registerBytes() : rows * rowBytes());
    const auto vectorField = static_cast<std::uint32_t>(std::ranges::find(kVectors, vector) - kVectors);
    const bool replies = !stores() && returns;
    constexpr std::uint32_t kLongest = 31;
    std::uint32_t descriptor = operation | (addressBytes() == 8 ? 3u : 2u) << 7 | std::uint32_t{data} << 9;
    descriptor |= (quad ? components : vectorField) << 12 | std::uint32_t{transposed} << 15;
    descriptor |= (replies ? std::min(length, kLongest) : 0) << 20;
    descriptor |= std::max(registers(width * addressBytes()), 1u) << 25;
    const bool two = operation == atomic::kCompareExchange || operation == atomic::kCompareExchangeReal;
    const bool none = operation >= atomic::kIncrement && operation <= atomic::kLoad;
    const std::uint32_t values = kind == Kind::atomic ? (none ? 0 : length * (two ? 2 : 1)) : stores() ? length : 0;
    return form(space == Space::local ? "slm" : "ugm", replies, std::min(values, kLongest), descriptor);
}

}  // namespace zetl::test::reference

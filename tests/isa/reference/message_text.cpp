// Messages for the vendor's assembler: descriptors from their fields.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "reference/message.h"

namespace zetl::test::reference {
namespace {

using Kind = MemoryMessage::Kind;

constexpr std::uint32_t kLongest = 31;

std::uint32_t registers(std::uint32_t bytes) { return (bytes + layout::kRegisterBytes - 1) / layout::kRegisterBytes; }

/// What a message says beside what it means.
struct Encoding {
    const char* function;
    std::uint32_t values;  ///< registers of what it takes
    std::uint32_t descriptor;
    const char* extended = "0x0";
};

Encoding scratchEncoding(const MemoryMessage& m) {
    const auto size = static_cast<std::uint32_t>(std::countr_zero(m.vector));
    const std::uint32_t length = registers(m.vector * 32u);
    const std::uint32_t reply = m.stores() ? 0 : length << 20;
    return {"dc0", m.stores() ? length : 0,
            1u << 25 | reply | 1u << 19 | 1u << 18 | (m.stores() ? 3u << 16 : 0) | size << 12 | m.components};
}
/// Registers of what the message stores, loads, or of one operand of an atomic.
std::uint32_t lengthOf(const MemoryMessage& m) {
    const std::uint32_t rows = m.isQuad() ? static_cast<std::uint32_t>(std::popcount(m.components)) : m.vector;
    return registers(m.transposed ? m.vector * m.registerBytes() : rows * m.rowBytes());
}
std::uint32_t operandsOf(const MemoryMessage& m) {
    if (m.operation >= atomic::kIncrement && m.operation <= atomic::kLoad) return 0;
    return m.operation == atomic::kCompareExchange || m.operation == atomic::kCompareExchangeReal ? 2 : 1;
}
Encoding cacheEncoding(const MemoryMessage& m) {
    constexpr std::uint32_t kFlat = 0;
    constexpr std::uint32_t kSurface = 2;
    constexpr std::uint32_t kBindingTable = 3;
    constexpr std::uint8_t vectors[] = {1, 2, 3, 4, 8, 16, 32, 64};
    const auto vectorField = static_cast<std::uint32_t>(std::ranges::find(vectors, m.vector) - vectors);
    const std::uint32_t surface = m.space == Space::scratch   ? kSurface
                                  : m.space == Space::payload ? kBindingTable
                                                              : kFlat;
    const bool replies = !m.stores() && m.returns;
    const std::uint32_t length = lengthOf(m);
    std::uint32_t descriptor = m.operation | std::uint32_t{m.data} << 9 | surface << 29;
    descriptor |= static_cast<std::uint32_t>(std::countr_zero(m.addressBytes)) << 7;
    descriptor |= (m.isQuad() ? m.components : vectorField) << 12 | std::uint32_t{m.transposed} << 15;
    descriptor |= (replies ? std::min(length, kLongest) : 0) << 20;
    descriptor |= (m.strided ? 1 : std::max(registers(m.width * m.addressBytes), 1u)) << 25;
    const std::uint32_t values = m.kind == Kind::atomic ? length * operandsOf(m) : m.stores() ? length : 0;
    const char* extended = m.space == Space::scratch ? "a0.2" : m.space == Space::payload ? "0xff000000" : "0x0";
    return {m.space == Space::local ? "slm" : "ugm", std::min(values, kLongest), descriptor, extended};
}

}  // namespace

std::string MemoryMessage::assembly() const {
    const char* sign = inverted ? "~" : "";
    const std::string mask = noMask && predicated ? fmt::format("(W&{}f0.0) ", sign)
                             : noMask             ? "(W) "
                             : predicated         ? fmt::format("({}f0.0) ", sign)
                                                  : "";
    const Encoding e = isScratchBlock() ? scratchEncoding(*this) : cacheEncoding(*this);
    const std::string to = !stores() && returns ? fmt::format("r{}", result) : "null";
    const std::string from = e.values != 0 ? fmt::format("r{}:{}", values, e.values) : "null:0";
    return fmt::format("{}send.{} ({}|M{}) {} r{} {} {} 0x{:08x}", mask, e.function, width, offset, to, addresses, from,
                       e.extended, e.descriptor);
}

}  // namespace zetl::test::reference

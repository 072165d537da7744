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
    const bool none = m.operation >= atomic::kIncrement && m.operation <= atomic::kLoad;
    if (none || m.operation == atomic::kPreDecrement) return 0;
    return m.operation == atomic::kCompareExchange || m.operation == atomic::kCompareExchangeReal ? 2 : 1;
}
std::uint32_t valuesOf(const MemoryMessage& m) {
    const std::uint32_t length = lengthOf(m);
    return std::min(m.kind == Kind::atomic ? length * operandsOf(m) : m.stores() ? length : 0, kLongest);
}
/// The fields of all descriptors: registers of the reply and of the addresses.
std::uint32_t lengthFields(const MemoryMessage& m) {
    const std::uint32_t reply = !m.stores() && m.returns ? std::min(lengthOf(m), kLongest) : 0;
    const bool one = m.strided || m.transposed;
    return reply << 20 | (one ? 1 : registers(m.addressAt + m.width * m.addressBytes)) << 25;
}
Encoding olderEncoding(const MemoryMessage& m) {
    return {m.port == MemoryMessage::Port::data0 ? "dc0" : "dc1", valuesOf(m),
            m.older | lengthFields(m) | std::uint32_t{m.header} << 19};
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
    std::uint32_t descriptor = m.operation | std::uint32_t{m.data} << 9 | surface << 29 | std::uint32_t{m.hints} << 17;
    descriptor |= lengthFields(m);
    descriptor |= static_cast<std::uint32_t>(std::countr_zero(m.addressBytes)) << 7;
    descriptor |= (m.isQuad() ? m.components : vectorField) << 12 | std::uint32_t{m.transposed} << 15;
    const char* extended = m.space == Space::scratch ? "a0.2" : m.space == Space::payload ? "0xff000000" : "0x0";
    return {m.space == Space::local ? "slm" : "ugm", valuesOf(m), descriptor, extended};
}

Encoding encodingOf(const MemoryMessage& m) {
    if (m.isScratchBlock()) return scratchEncoding(m);
    return m.port == MemoryMessage::Port::cache ? cacheEncoding(m) : olderEncoding(m);
}

}  // namespace

std::uint32_t MemoryMessage::descriptor() const { return encodingOf(*this).descriptor; }
std::string MemoryMessage::assembly() const {
    const char* sign = inverted ? "~" : "";
    const std::string mask = noMask && predicated ? fmt::format("(W&{}f0.0) ", sign)
                             : noMask             ? "(W) "
                             : predicated         ? fmt::format("({}f0.0) ", sign)
                                                  : "";
    const Encoding e = encodingOf(*this);
    const std::string to = !stores() && returns ? fmt::format("r{}", result) : "null";
    const std::string from = e.values != 0 ? fmt::format("r{}:{}", values, e.values) : "null:0";
    const std::string what = fromRegister ? "a0.0" : fmt::format("0x{:08x}", e.descriptor);
    return fmt::format("{}send.{} ({}|M{}) {} r{} {} {} {}", mask, e.function, width, offset, to, addresses, from,
                       e.extended, what);
}

}  // namespace zetl::test::reference

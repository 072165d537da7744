#include "binary/dwarf_bytes.h"

namespace zetl::binary {
namespace {

constexpr unsigned kBitsPerByte = 7;
constexpr unsigned kNumberBits = 64;
constexpr std::uint8_t kMore = 0x80;
constexpr std::uint8_t kPayload = 0x7f;
constexpr std::uint8_t kSign = 0x40;

}  // namespace

std::uint64_t DwarfReader::unsignedNumber() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += kBitsPerByte) {
        const auto byte = fixed<std::uint8_t>();
        if (shift < kNumberBits) value |= static_cast<std::uint64_t>(byte & kPayload) << shift;
        if (!(byte & kMore)) return value;
    }
}

std::int64_t DwarfReader::signedNumber() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
        const auto byte = fixed<std::uint8_t>();
        if (shift < kNumberBits) value |= static_cast<std::uint64_t>(byte & kPayload) << shift;
        shift += kBitsPerByte;
        if (byte & kMore) continue;
        if (byte & kSign && shift < kNumberBits) value |= ~0ull << shift;
        return static_cast<std::int64_t>(value);
    }
}

void appendUnsigned(std::vector<std::uint8_t>& bytes, std::uint64_t value) {
    for (; value > kPayload; value >>= kBitsPerByte) bytes.push_back(static_cast<std::uint8_t>(value) | kMore);
    bytes.push_back(static_cast<std::uint8_t>(value));
}

void appendSigned(std::vector<std::uint8_t>& bytes, std::int64_t value) {
    for (; value < -static_cast<std::int64_t>(kSign) || value >= kSign; value >>= kBitsPerByte)
        bytes.push_back(static_cast<std::uint8_t>(value) | kMore);
    bytes.push_back(static_cast<std::uint8_t>(value) & kPayload);
}

}  // namespace zetl::binary

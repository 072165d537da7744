// Reads little-endian data of unknown origin from front to back.
#pragma once

#include <cstdint>
#include <span>

#include "core/failure.h"

namespace zetl::debugger {

/// Throws Failure if the data end too early.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::uint8_t> data) : data_(data) {}

    bool atEnd() const noexcept { return at_ == data_.size(); }
    std::size_t position() const noexcept { return at_; }
    std::span<const std::uint8_t> take(std::uint64_t bytes) {
        if (bytes > data_.size() - at_) fail("debug data end in the middle of an item");
        const auto part = data_.subspan(at_, bytes);
        at_ += bytes;
        return part;
    }
    std::uint8_t u8() { return take(1)[0]; }
    std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    std::uint64_t uleb() { return leb(false); }
    std::int64_t sleb() { return static_cast<std::int64_t>(leb(true)); }

  private:
    std::uint64_t number(std::size_t bytes) {
        std::uint64_t value = 0;
        const auto part = take(bytes);
        for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{part[i]} << (8 * i);
        return value;
    }
    std::uint64_t leb(bool isSigned) {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = u8();
            if (shift < 64) value |= std::uint64_t{byte & 0x7fu} << shift;
            if ((byte & 0x80) != 0) continue;
            if (isSigned && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
            return value;
        }
    }

    std::span<const std::uint8_t> data_;
    std::size_t at_ = 0;
};

}  // namespace zetl::debugger

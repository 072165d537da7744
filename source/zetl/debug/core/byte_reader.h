// Reads little-endian data of unknown origin from front to back.
#pragma once

#include <cstdint>
#include <span>

#include "binary/dwarf_bytes.h"
#include "core/failure.h"

namespace zetl::debugger {

/// Throws Failure if the data end too early.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::uint8_t> data) : data_(data), in_(binary::ByteView(data)) {}

    bool atEnd() const noexcept { return in_.atEnd(); }
    std::size_t position() const noexcept { return in_.position(); }
    std::span<const std::uint8_t> take(std::uint64_t bytes) {
        const auto at = position();
        in_.skip(bytes);
        mustBeGood();
        return data_.subspan(at, bytes);
    }
    std::uint8_t u8() { return checked(in_.fixed<std::uint8_t>()); }
    std::uint16_t u16() { return checked(in_.fixed<std::uint16_t>()); }
    std::uint32_t u32() { return checked(in_.fixed<std::uint32_t>()); }
    std::uint64_t u64() { return checked(in_.fixed<std::uint64_t>()); }
    std::uint64_t uleb() { return checked(in_.unsignedNumber()); }
    std::int64_t sleb() { return checked(in_.signedNumber()); }

  private:
    void mustBeGood() const {
        if (!in_.good()) fail("debug data end in the middle of an item");
    }
    template <class T>
    T checked(T value) const {
        mustBeGood();
        return value;
    }

    std::span<const std::uint8_t> data_;
    binary::DwarfReader in_;
};

}  // namespace zetl::debugger

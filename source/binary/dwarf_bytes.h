// Reads numbers in DWARF's encodings from unchecked bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "binary/byte_view.h"

namespace zetl::binary {

/// Reads sequentially. Numbers beyond the end read as zero, and good() becomes false.
class DwarfReader {
  public:
    explicit DwarfReader(ByteView bytes, std::uint64_t position = 0) : bytes_(bytes), position_(position) {}

    bool good() const noexcept { return good_; }
    bool atEnd() const noexcept { return !good_ || position_ >= bytes_.size(); }
    std::uint64_t position() const noexcept { return position_; }

    template <class T>
    T fixed() noexcept {
        const auto value = good_ ? bytes_.read<T>(position_) : std::nullopt;
        skip(sizeof(T));
        return value.value_or(T{});
    }
    std::uint64_t unsignedNumber() noexcept;
    std::int64_t signedNumber() noexcept;
    void skip(std::uint64_t count) noexcept {
        good_ &= bytes_.holds(position_, count);
        if (good_) position_ += count;
    }

  private:
    ByteView bytes_;
    std::uint64_t position_;
    bool good_ = true;
};

void appendUnsigned(std::vector<std::uint8_t>& bytes, std::uint64_t value);
void appendSigned(std::vector<std::uint8_t>& bytes, std::int64_t value);

template <class T>
void appendFixed(std::vector<std::uint8_t>& bytes, T value) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(&value);
    bytes.insert(bytes.end(), data, data + sizeof value);
}
template <class T>
void storeFixed(std::vector<std::uint8_t>& bytes, std::uint64_t position, T value) {
    std::memcpy(&bytes[position], &value, sizeof value);
}

}  // namespace zetl::binary

// Little-endian reads from untrusted bytes, with bounds checks.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace zetl::binary {

/// A view of bytes that another object owns. Reading beyond its end returns nothing.
class ByteView {
  public:
    ByteView() = default;
    ByteView(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    ByteView(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

    std::size_t size() const noexcept { return bytes_.size(); }
    bool holds(std::uint64_t offset, std::uint64_t count) const noexcept {
        return offset <= bytes_.size() && count <= bytes_.size() - offset;
    }

    template <class T>
    std::optional<T> read(std::uint64_t offset) const noexcept {
        static_assert(std::is_trivially_copyable_v<T>);
        if (!holds(offset, sizeof(T))) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof(T));
        return value;
    }

    std::optional<ByteView> part(std::uint64_t offset, std::uint64_t count) const noexcept {
        if (!holds(offset, count)) return std::nullopt;
        return ByteView(bytes_.subspan(offset, count));
    }

    /// The text at offset up to its NUL; nothing if there is no NUL.
    std::optional<std::string_view> text(std::uint64_t offset) const noexcept {
        if (offset >= bytes_.size()) return std::nullopt;
        const auto* start = reinterpret_cast<const char*>(bytes_.data() + offset);
        const void* end = std::memchr(start, 0, bytes_.size() - offset);
        if (end == nullptr) return std::nullopt;
        return std::string_view(start, static_cast<const char*>(end) - start);
    }

    std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
    const std::uint8_t* begin() const noexcept { return bytes_.data(); }
    const std::uint8_t* end() const noexcept { return bytes_.data() + bytes_.size(); }

  private:
    std::span<const std::uint8_t> bytes_;
};

}  // namespace zetl::binary

// Elements of a buffer, by the type of the argument that points to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zetl::command {

/// What a buffer is made of.
class Element {
  public:
    /// Of a pointer's type as the compiler spells it, such as "float*;8" or "uint4*". Other types are words of four
    /// bytes.
    static Element of(std::string_view pointerType);

    std::size_t bytes() const noexcept { return bytes_; }
    /// `bytes()` bytes as a person reads them: "1.5 (0x3fc00000)".
    std::string text(std::span<const std::byte> element) const;
    /// Whether two of them are the same, or floating-point numbers at most so many units in the last place apart.
    bool alike(std::span<const std::byte> one, std::span<const std::byte> other, std::uint64_t ulps) const;

  private:
    enum class Kind : std::uint8_t { integer, unsignedInteger, real, bits };
    Element(Kind kind, std::size_t bytes) : kind_(kind), bytes_(bytes) {}

    Kind kind_;
    std::size_t bytes_;
};

}  // namespace zetl::command

// Packs values as bytes, for the compiler's process and for files: one build makes both ends.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace zetl::compiler {

using Bytes = std::vector<std::uint8_t>;

/// A sequence of byte strings, each behind its length.
class Packer {
  public:
    void add(const void* data, std::uint64_t size) {
        const auto length = reinterpret_cast<const std::uint8_t*>(&size);
        const auto bytes = static_cast<const std::uint8_t*>(data);
        bytes_.insert(bytes_.end(), length, length + sizeof size);
        bytes_.insert(bytes_.end(), bytes, bytes + size);
    }
    void add(const std::string& text) { add(text.data(), text.size()); }
    void add(std::span<const std::uint8_t> bytes) { add(bytes.data(), bytes.size()); }
    void add(std::uint32_t number) { add(&number, sizeof number); }
    void add(std::uint64_t number) { add(&number, sizeof number); }
    Bytes take() { return std::move(bytes_); }

  private:
    Bytes bytes_;
};

/// Reads such a sequence. After a read beyond its end everything is empty and ok() is false.
class Unpacker {
  public:
    explicit Unpacker(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    std::span<const std::uint8_t> bytes() {
        std::uint64_t size = 0;
        if (rest_.size() < sizeof size) return fail();
        std::memcpy(&size, rest_.data(), sizeof size);
        if (size > rest_.size() - sizeof size) return fail();
        const auto found = rest_.subspan(sizeof size, size);
        rest_ = rest_.subspan(sizeof size + size);
        return found;
    }
    std::string text() {
        const auto found = bytes();
        return {found.begin(), found.end()};
    }
    template <class N = std::uint32_t>
    N number() {
        N value = 0;
        const auto found = bytes();
        if (found.size() != sizeof value) {
            fail();
            return 0;
        }
        std::memcpy(&value, found.data(), sizeof value);
        return value;
    }
    /// False after a read beyond the end.
    bool ok() const noexcept { return ok_; }
    /// True if all was read.
    bool done() const noexcept { return ok_ && rest_.empty(); }

  private:
    std::span<const std::uint8_t> fail() noexcept {
        ok_ = false;
        return rest_ = {};
    }
    std::span<const std::uint8_t> rest_;
    bool ok_ = true;
};

}  // namespace zetl::compiler

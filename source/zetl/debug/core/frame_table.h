// How to get from a function's registers to its caller's: .debug_frame. Intel's compilers write expressions, NVIDIA's
// offsets from the canonical frame address.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace zetl::debugger {

struct FrameRule {
    /// `atOffset`: in memory, from the canonical frame address on; `computed`: the expression's result.
    enum class Kind { undefined, same, inRegister, atExpression, atOffset, computed } kind = Kind::same;
    unsigned number = 0;  ///< a register, by its DWARF number
    std::vector<std::uint8_t> expression = {};
    std::int64_t offset = 0;
};

struct FrameRow {
    std::map<unsigned, FrameRule> registers;
    unsigned returnRegister = 0;
    std::vector<std::uint8_t> canonical;  ///< the expression of the canonical frame address; empty: it has none
    std::uint64_t baseRegister = 0;       ///< or this register
    std::uint64_t baseOffset = 0;         ///< and what is added to it
};

/// Reads the section up to the first invalid entry. Returns nothing for an address that it does not describe.
class FrameTable {
  public:
    explicit FrameTable(std::span<const std::uint8_t> section);

    std::optional<FrameRow> at(std::uint64_t address) const;

  private:
    struct Common {
        std::uint64_t codeFactor = 1;
        std::int64_t offsetFactor = 1;
        unsigned returnRegister = 0;
        std::span<const std::uint8_t> program;
    };
    struct Entry {
        std::uint64_t begin = 0;
        std::uint64_t bytes = 0;
        std::uint64_t common = 0;  ///< offset of its Common
        std::span<const std::uint8_t> program;
    };
    void read(std::span<const std::uint8_t> section);
    static Common commonFrom(std::span<const std::uint8_t> body);

    std::map<std::uint64_t, Common> commons_;  ///< by offset in the section
    std::vector<Entry> entries_;
};

}  // namespace zetl::debugger

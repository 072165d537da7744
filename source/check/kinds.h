// The kinds of mistakes that zetl check names, and the groups by which they are switched on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace zetl::check {

/// What is switched on or off together. Faults are always told.
enum class Group : std::uint8_t { memory, race, barrier, init, api, code, numbers, precision, fault };

enum class Level : std::uint8_t { info, warning, error };
std::string_view nameOf(Level level) noexcept;

enum class Kind : std::uint8_t {
#define KIND(enumerator, name, group, level, summary) enumerator,
#include "check/kinds.def"
#undef KIND
};

struct KindInfo {
    Kind kind;
    std::string_view name;  ///< "race/local"
    Group group;
    Level level;
    std::string_view summary;  ///< what it is, without a full stop
};

std::span<const KindInfo> allKinds() noexcept;
const KindInfo& infoOf(Kind kind) noexcept;
/// Nothing if no kind has this name.
std::optional<Kind> kindNamed(std::string_view name) noexcept;

/// The groups that a run checks.
class Groups {
  public:
    constexpr bool has(Group group) const noexcept { return (bits_ >> static_cast<unsigned>(group) & 1) != 0; }
    constexpr void add(Group group) noexcept { bits_ |= 1u << static_cast<unsigned>(group); }
    static constexpr Groups all() noexcept { return Groups(~0u); }
    /// All but numbers and their precision, of which programs make odd ones on purpose.
    static constexpr Groups usual() noexcept {
        return Groups(~(1u << static_cast<unsigned>(Group::numbers) | 1u << static_cast<unsigned>(Group::precision)));
    }
    constexpr Groups() noexcept = default;

    /// Of a list such as "memory,race"; faults are always among them. Nothing if a word is no group's name.
    static std::optional<Groups> named(std::string_view list) noexcept;

  private:
    constexpr explicit Groups(std::uint32_t bits) noexcept : bits_(bits) {}
    std::uint32_t bits_ = 1u << static_cast<unsigned>(Group::fault);
};

/// The names of the groups, separated by commas: for help texts and refusals.
std::string_view groupNames() noexcept;

}  // namespace zetl::check

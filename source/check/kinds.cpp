#include "check/kinds.h"

#include <algorithm>
#include <utility>

namespace zetl::check {
namespace {

constexpr KindInfo kKinds[] = {
#define KIND(enumerator, name, group, level, summary) {Kind::enumerator, name, Group::group, Level::level, summary},
#include "check/kinds.def"
#undef KIND
};

constexpr std::pair<std::string_view, Group> kGroups[] = {
    {"memory", Group::memory}, {"race", Group::race}, {"barrier", Group::barrier}, {"init", Group::init},
    {"api", Group::api},       {"code", Group::code}, {"numbers", Group::numbers}, {"precision", Group::precision}};

}  // namespace

std::string_view nameOf(Level level) noexcept {
    constexpr std::array<std::string_view, 3> kNames{"info", "warning", "error"};
    return kNames[static_cast<std::size_t>(level)];
}

std::span<const KindInfo> allKinds() noexcept { return kKinds; }

const KindInfo& infoOf(Kind kind) noexcept { return kKinds[static_cast<std::size_t>(kind)]; }

std::optional<Kind> kindNamed(std::string_view name) noexcept {
    const auto* const found = std::ranges::find(kKinds, name, &KindInfo::name);
    return found == std::end(kKinds) ? std::nullopt : std::optional(found->kind);
}

std::optional<Groups> Groups::named(std::string_view list) noexcept {
    Groups groups;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const auto* const found =
            std::ranges::find(kGroups, list.substr(0, comma), &std::pair<std::string_view, Group>::first);
        if (found == std::end(kGroups)) return std::nullopt;
        groups.add(found->second);
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return groups;
}

std::string_view groupNames() noexcept { return "memory, race, barrier, init, api, code, numbers, precision"; }

}  // namespace zetl::check

#include "findings/stop_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace zetl::command {
namespace {

/// "$group_x == 1 && $group_y == 0 && $group_z == 0".
std::string isAt(const char* name, const std::array<std::uint32_t, 3>& id) {
    return fmt::format("${0}_x == {1} && ${0}_y == {2} && ${0}_z == {3}", name, id[0], id[1], id[2]);
}

}  // namespace

std::vector<std::string> stopCommands(const check::Finding& finding) {
    constexpr std::uint64_t kMostCode = 1ull << 31;  // beyond it lies code that is not the kernel's
    const auto blamed = std::ranges::find_if(finding.sides, [](const check::Side& side) {
        return side.command.empty() && !side.kernel.empty() && side.ip < kMostCode;
    });
    if (blamed == finding.sides.end()) return {};
    std::string condition = isAt("group", blamed->group);
    if (blamed->item) condition += " && " + isAt("local", *blamed->item);
    return {fmt::format("tbreak *{}+{:#x} if {}", blamed->kernel, blamed->ip, condition), "run"};
}

}  // namespace zetl::command

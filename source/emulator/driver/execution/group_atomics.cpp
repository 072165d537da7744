#include "emulator/driver/execution/group_atomics.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>

#include "binary/spirv_group_atomics.h"
#include "emulator/check/checked_program.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/program/source_line.h"
#include "emulator/machine/code/loaded_program.h"

namespace zetl::emulator::driver {
namespace {

/// Compilers name one file in several ways.
std::string_view nameOf(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

bool isOneOf(const std::set<binary::CodeLine>& lines, const std::string& place) {
    const std::size_t colon = place.find_last_of(':');
    if (colon == std::string::npos) return false;
    std::uint32_t number = 0;
    std::from_chars(place.data() + colon + 1, place.data() + place.size(), number);
    const std::string_view file = nameOf(std::string_view(place).substr(0, colon));
    return std::ranges::any_of(
        lines, [&](const binary::CodeLine& line) { return line.second == number && nameOf(line.first) == file; });
}

std::shared_ptr<const std::vector<bool>> linesIn(const Module& module, const isa::Program& program) {
    const std::set<binary::CodeLine> lines = binary::linesOfGroupAtomics(module.image().spirv);
    if (lines.empty() || !module.image().hasDebugData) return nullptr;
    const std::uint64_t base = module.code()->address() - module.code()->offset();
    const check::CheckedProgram checked(program);
    std::vector<bool> found(checked.lines.size());
    for (isa::Line line = 0; line < found.size(); ++line) {
        const auto& access = checked.lines[line].access;
        found[line] =
            access && access->shape.atomic && isOneOf(lines, sourceLine(module, base + program.instruction(line).ip));
    }
    return std::make_shared<const std::vector<bool>>(std::move(found));
}

}  // namespace

std::shared_ptr<const std::vector<bool>> GroupAtomics::of(const Module& module) {
    const machine::LoadedProgram* const loaded = module.code()->program();
    if (loaded == nullptr) return nullptr;
    const Lock guard(mutex_);
    const auto [known, isNew] = known_.try_emplace(module.id());
    if (isNew) known->second = linesIn(module, *loaded->program);
    return known->second;
}

}  // namespace zetl::emulator::driver

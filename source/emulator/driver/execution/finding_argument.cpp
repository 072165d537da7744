#include "emulator/driver/execution/finding_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace zetl::emulator::driver {

std::string argumentInto(const KernelState& state, const zetl::check::Object& object) {
    if (object.begin == 0) return {};
    const auto& declared = state.image().arguments;
    const auto& given = state.arguments();
    for (std::size_t index = 0; index < std::min(declared.size(), given.size()); ++index) {
        std::uint64_t address = 0;
        if (declared[index].kind != binary::KernelArgument::Kind::pointer || given[index].bytes.size() < sizeof address)
            continue;
        std::memcpy(&address, given[index].bytes.data(), sizeof address);
        if (address < object.begin || address - object.begin >= object.bytes) continue;
        const auto& names = state.image().reflection;
        const auto named = std::ranges::find(names, index, &binary::ArgumentReflection::index);
        if (named == names.end() || named->name.empty()) return fmt::format("argument {}", index);
        return fmt::format("argument {} ({})", index, named->name);
    }
    return {};
}

}  // namespace zetl::emulator::driver

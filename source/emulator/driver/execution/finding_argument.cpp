#include "emulator/driver/execution/finding_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace zetl::emulator::driver {
namespace {

/// "argument 1 (to)".
std::string nameOfArgument(const KernelState& state, std::size_t index) {
    const auto& names = state.image().reflection;
    const auto named = std::ranges::find(names, index, &binary::ArgumentReflection::index);
    if (named == names.end() || named->name.empty()) return fmt::format("argument {}", index);
    return fmt::format("argument {} ({})", index, named->name);
}

}  // namespace

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
        return nameOfArgument(state, index);
    }
    return {};
}

std::string imageArgument(const KernelState& state, std::uint32_t surface) {
    const auto& declared = state.image().arguments;
    const auto& given = state.arguments();
    for (std::size_t index = 0; index < std::min(declared.size(), given.size()); ++index) {
        binary::ImageArgument image;
        if (declared[index].kind != binary::KernelArgument::Kind::image || given[index].bytes.size() < sizeof image)
            continue;
        std::memcpy(&image, given[index].bytes.data(), sizeof image);
        if (image.state == surface) return nameOfArgument(state, index);
    }
    return {};
}

}  // namespace zetl::emulator::driver

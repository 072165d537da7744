// What a compiler forgets of the arguments of vector code.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

namespace zetl::binary {

/// The indices of those arguments that are pointers to local memory, by the kernel's name. Compiler 22.43 describes
/// them as values in vector code, and leaves the local memory out that the application asks for with them. Nothing of
/// SPIR-V that is damaged.
std::map<std::string, std::set<std::uint32_t>> localPointerArguments(std::span<const std::uint8_t> spirv);

}  // namespace zetl::binary

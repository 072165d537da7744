// An ELF file of a native binary as the executable that debuggers see: with the addresses of one linked module.
#pragma once

#include <cstdint>
#include <vector>

#include "binary/outcome.h"
#include "emulator/module/link.h"

namespace zetl::emulator::module {

/// A section that the device has, and where in the module it comes from.
struct LoadedSection {
    std::uint32_t section = 0;  ///< ELF index
    binary::Place place;
    std::uint32_t permissions = 0;  ///< of its program header; 0: it has an address only
};

struct UnplacedElf {
    binary::Bytes bytes;
    std::vector<LoadedSection> loaded;
};

/// Permissions of data's program headers: constants, variables, strings.
std::uint32_t permissionsOf(binary::DataKind kind) noexcept;

/// The file as type EXEC: loaded sections have their device addresses and a PT_LOAD header each, symbols of such
/// sections are absolute, relocations of .debug_ sections are applied; notes that leave the device's families at 0
/// state them. Errors: damaged.
binary::Outcome<binary::Bytes> place(UnplacedElf elf, const LinkedModule& module);

}  // namespace zetl::emulator::module

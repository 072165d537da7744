// An ELF file of a native binary as the executable for debuggers: with the addresses of one linked module.
#pragma once

#include <cstdint>
#include <vector>

#include "binary/outcome.h"
#include "emulator/module/link.h"

namespace zetl::emulator::module {

/// A section that is on the device, and its place in the module.
struct LoadedSection {
    std::uint32_t section = 0;  ///< ELF index
    binary::Place place;
    std::uint32_t permissions = 0;  ///< of its program header; 0: it only gets an address
};

struct UnplacedElf {
    binary::Bytes bytes;
    std::vector<LoadedSection> loaded;
};

/// Permissions of data's program headers: constants, variables, strings.
std::uint32_t permissionsOf(binary::DataKind kind) noexcept;

/// The file as type EXEC: loaded sections have their device addresses and one PT_LOAD header each, symbols of such
/// sections are absolute, relocations of .debug_ sections are applied, and notes that left the device's families at 0
/// state them. Errors: damaged.
binary::Outcome<binary::Bytes> place(UnplacedElf elf, const LinkedModule& module);

}  // namespace zetl::emulator::module

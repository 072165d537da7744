// The debug data of patch-token modules, which have their own container: beside the device binary in the outer ELF, and
// alone in the data that Intel's driver returns for zetModuleGetDebugInfo.
#pragma once

#include <string>
#include <vector>

#include "binary/byte_view.h"
#include "binary/native_binary.h"
#include "binary/outcome.h"

namespace zetl::binary {

/// For one kernel, or for the functions that kernels call.
struct KernelDebugData {
    std::string name;
    ByteView elf;  ///< its code, from address 0 on, and DWARF; empty if the compiler wrote none
};

/// Whether the bytes start like such a container for the device. A device binary starts with the same number.
bool looksLikePatchTokenDebug(std::span<const std::uint8_t> bytes,
                              const isa::xe::Product& device = isa::xe::kPvc) noexcept;

/// The views point into the given bytes. Bytes for which looksLikePatchTokenDebug() is false are damaged.
Outcome<std::vector<KernelDebugData>> readPatchTokenDebug(std::span<const std::uint8_t> bytes,
                                                          const isa::xe::Product& device = isa::xe::kPvc);

}  // namespace zetl::binary

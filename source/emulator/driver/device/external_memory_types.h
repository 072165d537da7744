// ze_external_memory_type_flags_t of the device (core specification, "External Memory Import and Export").
#pragma once

#include <level_zero/ze_api.h>

namespace zetl::emulator::driver {

/// How memory is exported to and imported from other processes: as files that mmap(2) maps. To code that maps one, it
/// is as good as a DMA buffer, though no kernel driver can attach to it.
constexpr ze_external_memory_type_flags_t kExternalMemoryTypes =
    ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD | ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF;

}  // namespace zetl::emulator::driver

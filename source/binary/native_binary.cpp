#include "binary/native_binary.h"

#include "binary/elf_file.h"

namespace zetl::binary {

Outcome<ModulePointer> readNative(std::span<const std::uint8_t> bytes, const DeviceIdentity& device) {
    if (looksLikeElf(bytes)) {
        const auto file = readElf(bytes);
        if (!file) return file.error();
        if (file->find(".ze_info") != nullptr || file->machine == kMachineIntelGt) return readZebin(bytes, device);
    }
    return readPatchTokens(bytes, device);
}

}  // namespace zetl::binary

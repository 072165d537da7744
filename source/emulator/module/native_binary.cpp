#include "emulator/module/native_binary.h"

#include "emulator/module/elf_file.h"

namespace zetl::emulator::module {

Outcome<ModulePointer> readNative(std::span<const std::uint8_t> bytes, const DeviceIdentity& device) {
    return readZebin(bytes, device);
}

}  // namespace zetl::emulator::module

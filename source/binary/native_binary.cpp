#include "binary/native_binary.h"

#include "binary/device_binary.h"
#include "binary/elf_file.h"
#include "binary/intel_notes.h"

namespace zetl::binary {

ModuleImage::Container containerOf(std::span<const std::uint8_t> bytes) {
    const auto file = readElf(bytes);
    const bool zebin = file && (file->find(".ze_info") != nullptr || file->machine == kMachineIntelGt);
    return zebin ? ModuleImage::Container::zebin : ModuleImage::Container::patchTokens;
}

const isa::xe::Product& productOf(std::span<const std::uint8_t> bytes) {
    const auto file = readElf(bytes);
    const auto* const stated = file ? statedProduct(*file) : nullptr;
    return stated ? *stated : isa::xe::kPvc;
}

Outcome<ModulePointer> readNative(std::span<const std::uint8_t> bytes, const isa::xe::Product& device) {
    const auto own = binaryFor(bytes, device);
    if (!own) return own.error();
    return readBinary(*own, device);
}

Outcome<ModulePointer> readBinary(std::span<const std::uint8_t> bytes, const isa::xe::Product& device) {
    const bool zebin = containerOf(bytes) == ModuleImage::Container::zebin;
    return zebin ? readZebin(bytes, device) : readPatchTokens(bytes, device);
}

}  // namespace zetl::binary

// Any bytes as patch-token container, bare or in an ELF file, and its debug image, which has to be one of an ELF file.
#include <cstdlib>

#include "binary/elf_file.h"
#include "binary/native_binary.h"
#include "emulator/module/debug_image.h"
#include "emulator/module/link.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace zetl::emulator::module;
    const auto image = zetl::binary::readPatchTokens({data, size});
    if (!image) return 0;
    const auto module =
        LinkedModule::place(*image, {.instructionBase = 0, .code = 0x10000, .data = {1ull << 40, 2ull << 40, 0}});
    if (!module) return 0;
    const auto debug = makeDebugImage(*module);
    if (!debug || !zetl::binary::readElf(*debug)) std::abort();
    return 0;
}

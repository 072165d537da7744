// Any bytes as patch-token container, bare or in an ELF file.
#include "binary/native_binary.h"
#include "emulator/module/link.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace zetl::emulator::module;
    const auto image = zetl::binary::readPatchTokens({data, size});
    if (image)
        (void)LinkedModule::place(*image, {.instructionBase = 0, .code = 0x10000, .data = {1ull << 40, 2ull << 40, 0}});
    return 0;
}

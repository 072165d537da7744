// Any bytes as native module, or an archive of such: read, place, resolve, debug image, launch payload of every kernel;
// twice in one file.
#include "binary/device_binary.h"
#include "binary/native_binary.h"
#include "binary/ze_info_local_pointers.h"
#include "binary/zebin_parts.h"
#include "emulator/module/debug_image.h"
#include "emulator/module/link.h"
#include "emulator/module/payload.h"

using namespace zetl::emulator::module;

namespace {

void buildPayloads(const zetl::binary::ModuleImage& image) {
    const LaunchShape shape{.groupSize = {7, 3, 2}, .groupCount = {2, 1, 1}};
    for (const zetl::binary::KernelImage& kernel : image.kernels) {
        std::vector<ArgumentValue> values(kernel.arguments.size());
        for (ArgumentValue& value : values) value = {.bytes = zetl::binary::Bytes(8), .localBytes = 16};
        (void)crossThreadData(kernel, shape, values, {});
        (void)perThreadBlocks(kernel, shape);
        (void)localIdTable(kernel, shape);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    (void)zetl::binary::carriedSpirv({data, size});
    (void)zetl::binary::withLocalPointers({data, data + size}, {{"scope", {0, 1, 2, 3}}});
    const zetl::binary::Bytes bytes(data, data + size);
    if (const auto twice = zetl::binary::joinZebins(std::vector{bytes, bytes}, {}))
        (void)zetl::binary::readNative(*twice);
    const auto image = zetl::binary::readNative(bytes);
    if (!image) return 0;
    auto module = LinkedModule::place(
        *image, {.instructionBase = 0, .code = 0x10000, .data = {1ull << 40, 2ull << 40, 3ull << 40}});
    if (!module) return 0;
    LinkedModule* const modules[] = {&*module};
    (void)LinkedModule::resolve(modules);
    (void)makeDebugImage(*module);
    for (const zetl::binary::Symbol& symbol : (*image)->symbols) (void)module->variable(symbol.name);
    buildPayloads(**image);
    return 0;
}

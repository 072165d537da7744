#include "emulator/module/debug_image.h"

#include <elf.h>

#include "emulator/module/patch_token_image.h"
#include "emulator/module/placed_elf.h"

namespace zetl::emulator::module {
namespace {

/// The container itself, which knows what of it is loaded.
UnplacedElf zebinImage(const binary::ModuleImage& image) {
    UnplacedElf elf{.bytes = image.native, .loaded = {}};
    for (std::uint32_t i = 0; i < image.code.size(); ++i)
        elf.loaded.push_back({image.code[i].container, {binary::Place::Kind::code, i, 0}, PF_R | PF_X});
    for (std::uint32_t kind = 0; kind < binary::kDataKinds; ++kind) {
        const binary::DataSegment& segment = image.data[kind];
        const std::uint32_t permissions = permissionsOf(static_cast<binary::DataKind>(kind));
        if (segment.container != 0)
            elf.loaded.push_back({segment.container, {binary::Place::Kind::data, kind, 0}, permissions});
        if (segment.zeroContainer != 0)
            elf.loaded.push_back(
                {segment.zeroContainer, {binary::Place::Kind::data, kind, segment.bytes.size()}, permissions});
    }
    return elf;
}

}  // namespace

binary::Outcome<binary::Bytes> makeDebugImage(const LinkedModule& module) {
    const bool zebin = module.image().container == binary::ModuleImage::Container::zebin;
    return place(zebin ? zebinImage(module.image()) : patchTokenImage(module), module);
}

}  // namespace zetl::emulator::module

#include "binary/patch_token_debug.h"

#include <fmt/format.h>

#include "binary/patch_token_format.h"

namespace zetl::binary {
namespace {

constexpr std::string_view kWhere = "debug data of patch tokens";

}  // namespace

bool looksLikePatchTokenDebug(std::span<const std::uint8_t> bytes, const isa::xe::Product& device) noexcept {
    const auto header = ByteView(bytes).read<patch::DebugHeader>(0);
    return header && header->magic == patch::kMagic && header->device == device.coreFamily;
}

Outcome<std::vector<KernelDebugData>> readPatchTokenDebug(std::span<const std::uint8_t> bytes,
                                                          const isa::xe::Product& device) {
    if (!looksLikePatchTokenDebug(bytes, device)) return damaged(kWhere, "they are not, or of another device");
    const ByteView view(bytes);
    const auto header = *view.read<patch::DebugHeader>(0);
    if (header.kernels > kMaxKernels)
        return Error{Cause::limit, fmt::format("{}: {} kernels, the limit is {}", kWhere, header.kernels, kMaxKernels)};
    std::vector<KernelDebugData> kernels;
    std::uint64_t at = sizeof header;
    for (std::uint32_t i = 0; i < header.kernels; ++i) {
        const auto sizes = view.read<patch::KernelDebugHeader>(at);
        if (!sizes) return damaged(kWhere, fmt::format("the header of kernel {} is cut off", i));
        const std::uint64_t name = at + sizeof *sizes;
        const std::uint64_t elf = name + sizes->nameBytes;
        const auto text = view.part(name, sizes->nameBytes);
        const auto content = view.part(elf, sizes->elfBytes);
        const auto known = text ? text->text(0) : std::nullopt;
        if (!known || known->empty() || !content) return damaged(kWhere, fmt::format("kernel {} is cut off", i));
        kernels.push_back({std::string(*known), *content});
        at = elf + sizes->elfBytes + sizes->nativeBytes;
    }
    return kernels;
}

}  // namespace zetl::binary

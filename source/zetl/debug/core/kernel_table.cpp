#include "core/kernel_table.h"

#include <ze_tools_layer/correlation.h>

#include <algorithm>

#include "binary/ze_info.h"

namespace zetl::debugger {
namespace {

KernelInfo infoFrom(const binary::KernelImage& kernel) {
    KernelInfo info{.name = kernel.name,
                    .simd = kernel.environment.simdSize,
                    .registers = kernel.environment.grfCount,
                    .crossThreadBytes = kernel.crossThreadBytes,
                    .localIdBytes = 0,
                    .inlineBytes = std::min(kernel.environment.inlineDataBytes, kernel.crossThreadBytes),
                    .localSize = {},
                    .globalOffset = {},
                    .images = {}};
    if (kernel.perThread && !kernel.perThread->packedLocalIds) info.localIdBytes = kernel.perThread->size;
    for (const auto& piece : kernel.payload) {
        if (piece.kind == binary::PayloadKind::localSize ||
            (piece.kind == binary::PayloadKind::enqueuedLocalSize && !info.localSize))
            info.localSize = piece.offset;
        if (piece.kind == binary::PayloadKind::globalIdOffset) info.globalOffset = piece.offset;
        const bool ofImage = piece.argument < kernel.arguments.size() &&
                             kernel.arguments[piece.argument].kind == binary::KernelArgument::Kind::image;
        if (piece.kind == binary::PayloadKind::value && ofImage && piece.sourceOffset == 0)
            info.images[piece.argument] = piece.offset;
    }
    return info;
}

}  // namespace

std::vector<KernelInfo> kernelsFrom(std::string_view zeInfo) {
    std::vector<KernelInfo> all;
    for (const auto& kernel : binary::readableZeInfo(zeInfo).kernels) all.push_back(infoFrom(kernel));
    return all;
}

std::vector<KernelInfo> kernelsOfCubin(std::span<const std::uint8_t> image) {
    std::string failure;
    const auto binary = correlation::Binary::read(image, failure);
    std::vector<KernelInfo> all;
    if (!binary) return all;
    for (const auto& each : binary->kernels())
        if (each.launchable) {
            all.emplace_back();
            all.back().name = each.name;
            all.back().simd = each.simdWidth;
            all.back().registers = each.registers;
        }
    return all;
}

}  // namespace zetl::debugger

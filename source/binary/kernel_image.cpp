#include "binary/kernel_image.h"

#include <algorithm>

namespace zetl::binary {

bool KernelImage::hasImplicitArguments() const noexcept {
    return needsImplicitArguments ||
           std::ranges::count(payload, PayloadKind::implicitArguments, &PayloadArgument::kind);
}

bool KernelImage::usesImages() const noexcept {
    const auto isOne = [](const KernelArgument& argument) {
        return argument.kind == KernelArgument::Kind::image || argument.kind == KernelArgument::Kind::sampler;
    };
    return !inlineSamplers.empty() || std::ranges::any_of(arguments, isOne);
}

bool KernelImage::mayPrint() const noexcept {
    return hasImplicitArguments() || recordFrom != 0 ||
           std::ranges::count(payload, PayloadKind::printfBuffer, &PayloadArgument::kind);
}

std::uint32_t KernelImage::scratchBytes() const noexcept {
    std::uint32_t largest = 0;
    for (const MemoryBuffer& buffer : memoryBuffers)
        if (buffer.kind == MemoryKind::scratch) largest = std::max(largest, buffer.size);
    return largest;
}

std::uint64_t KernelImage::privateBytesPerThread() const noexcept {
    std::uint64_t total = 0;
    for (const MemoryBuffer& buffer : memoryBuffers)
        if (buffer.kind == MemoryKind::global)
            total += std::uint64_t{buffer.size} * (buffer.perLane ? environment.simdSize : 1);
    return total;
}

}  // namespace zetl::binary

#include "emulator/driver/program/kernel_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/driver/device/device_properties.h"
#include "emulator/driver/object/refusal.h"
#include "emulator/driver/program/kernel_limits.h"

namespace zetl::emulator::driver {
namespace {

using Kind = module::KernelArgument::Kind;

module::ArgumentValue unsetValue(const module::KernelArgument& argument) {
    switch (argument.kind) {
        case Kind::pointer:
            return {module::Bytes(sizeof(void*)), 0};
        case Kind::value:
            return {module::Bytes(argument.size), 0};
        default:
            return {};
    }
}

/// Whether a value of that size reaches every piece of the argument.
bool reachesAll(const module::KernelImage& image, std::uint32_t index, std::size_t size) {
    return std::ranges::all_of(image.payload, [&](const module::PayloadArgument& piece) {
        return piece.kind != module::PayloadKind::value || piece.argument != index || piece.sourceOffset < size;
    });
}

bool fits(const module::KernelImage& image, std::uint32_t index, std::size_t size) {
    switch (image.arguments[index].kind) {
        case Kind::pointer:
            return size == sizeof(void*);
        case Kind::value:
            return size != 0 && size <= kMaxArgumentBytes && reachesAll(image, index, size);
        case Kind::localPointer:
            return size != 0;
        default:
            return true;  // nothing of it is passed
    }
}

std::string expected(const module::KernelArgument& argument) {
    if (argument.kind == Kind::localPointer) return "which is local memory of at least 1";
    return fmt::format("which is {} of {}", argument.kind == Kind::pointer ? "a pointer" : "a value",
                       argument.kind == Kind::pointer ? sizeof(void*) : argument.size);
}

}  // namespace

KernelState initialState(const module::KernelImage& image) {
    KernelState state;
    if (image.environment.requiredGroupSize[0] != 0) state.groupSize = image.environment.requiredGroupSize;
    for (const auto& argument : image.arguments) state.arguments.push_back(unsetValue(argument));
    return state;
}

Status setGroupSize(KernelState& state, const module::KernelImage& image, const machine::DeviceProfile& profile,
                    const module::Extent& size) {
    const auto& required = image.environment.requiredGroupSize;
    if (required[0] != 0 && size != required)
        return refuse(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "the source of {} requires groups of {}x{}x{}",
                      image.name, required[0], required[1], required[2]);
    const std::uint64_t limit = largestGroup(image, profile);
    const std::uint64_t plane = std::uint64_t{size[0]} * size[1];
    if (plane == 0 || size[2] == 0 || plane > limit || plane * size[2] > limit)
        return refuse(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "groups of {}x{}x{}; {} takes 1 to {} work-items",
                      size[0], size[1], size[2], image.name, limit);
    state.groupSize = size;
    return ZE_RESULT_SUCCESS;
}

Status setArgument(KernelState& state, const module::KernelImage& image, std::uint32_t index, std::size_t size,
                   const void* value) {
    if (index >= image.arguments.size())
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, "argument {} of {}, which has {}", index,
                      image.name, image.arguments.size());
    const module::KernelArgument& argument = image.arguments[index];
    module::ArgumentValue next = unsetValue(argument);
    if (!fits(image, index, size))
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, "{} bytes for argument {} of {}, {}", size, index,
                      image.name, expected(argument));
    if (argument.kind == Kind::localPointer)
        next.localBytes = static_cast<std::uint32_t>(std::min<std::size_t>(size, UINT32_MAX));
    else if (!next.bytes.empty() && value)
        std::memcpy(next.bytes.data(), value, std::min(size, next.bytes.size()));
    state.arguments[index] = std::move(next);
    return ZE_RESULT_SUCCESS;
}

std::uint64_t localBytes(const KernelState& state) noexcept {
    std::uint64_t bytes = 0;
    for (const auto& argument : state.arguments) bytes += argument.localBytes;
    return bytes;
}

}  // namespace zetl::emulator::driver

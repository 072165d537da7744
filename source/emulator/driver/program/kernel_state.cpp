#include "emulator/driver/program/kernel_state.h"

#include <algorithm>
#include <cstring>

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

Status setArgument(KernelState& state, const module::KernelImage& image, const machine::DeviceProfile& profile,
                   std::uint32_t index, std::size_t size, const void* value) {
    if (index >= image.arguments.size())
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, "argument {} of {}, which has {}", index,
                      image.name, image.arguments.size());
    const module::KernelArgument& argument = image.arguments[index];
    module::ArgumentValue next = unsetValue(argument);
    if (argument.kind == Kind::localPointer) {
        if (size == 0 || size > profile.slmBytes)
            return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                          "{} bytes of local memory for argument {} of {}", size, index, image.name);
        next.localBytes = static_cast<std::uint32_t>(size);
    } else if (!next.bytes.empty()) {
        if (size == 0 || (argument.kind == Kind::pointer && size != next.bytes.size()))
            return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, "argument {} of {} has {} bytes, not {}", index,
                          image.name, next.bytes.size(), size);
        // Hardware drivers take a value that is too short, such as an int for a long, and so must this one.
        if (value) std::memcpy(next.bytes.data(), value, std::min(size, next.bytes.size()));
    }
    state.arguments[index] = std::move(next);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver

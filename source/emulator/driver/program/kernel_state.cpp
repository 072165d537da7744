#include "emulator/driver/program/kernel_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulator/driver/memory/image.h"
#include "emulator/driver/memory/sampler.h"
#include "emulator/driver/program/image_argument.h"
#include "emulator/driver/program/kernel_limits.h"
#include "emulator/driver/program/module_source.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/capabilities.h"

namespace zetl::emulator::driver {
namespace {

using Kind = binary::KernelArgument::Kind;

module::ArgumentValue unsetValue(const binary::KernelArgument& argument) {
    switch (argument.kind) {
        case Kind::pointer:
            return {binary::Bytes(sizeof(void*)), 0};
        case Kind::value:
            return {binary::Bytes(argument.size), 0};
        case Kind::image:
            return {binary::Bytes(sizeof(binary::ImageArgument)), 0};
        case Kind::sampler:
            return {binary::Bytes(sizeof(binary::SamplerArgument)), 0};
        default:
            return {};
    }
}

/// Whether a value of that size reaches into every piece of the argument.
bool reachesAll(const binary::KernelImage& image, std::uint32_t index, std::size_t size) {
    return std::ranges::all_of(image.payload, [&](const binary::PayloadArgument& piece) {
        return piece.kind != binary::PayloadKind::value || piece.argument != index || piece.sourceOffset < size;
    });
}

bool fits(const binary::KernelImage& image, std::uint32_t index, std::size_t size) {
    switch (image.arguments[index].kind) {
        case Kind::pointer:
        case Kind::image:
        case Kind::sampler:
            return size == sizeof(void*);
        case Kind::value:
            return size != 0 && size <= machine::kMaxArgumentBytes && reachesAll(image, index, size);
        case Kind::localPointer:
            return size != 0;
        default:
            return true;  // none of it is passed
    }
}

bool isState(Kind kind) noexcept { return kind == Kind::image || kind == Kind::sampler; }

std::string expected(const binary::KernelArgument& argument) {
    if (argument.kind == Kind::localPointer) return "which is local memory of at least 1";
    if (isState(argument.kind)) return "which is the handle of an image or sampler, of 8";
    return fmt::format("which is {} of {}", argument.kind == Kind::pointer ? "a pointer" : "a value",
                       argument.kind == Kind::pointer ? sizeof(void*) : argument.size);
}

/// The object behind a handle, as an argument; `value` null, or a null handle: none.
Status readState(Kind kind, const void* value, binary::Bytes& bytes, std::shared_ptr<const void>& object) {
    if (kind == Kind::image) {
        const auto* const handle = static_cast<const ze_image_handle_t*>(value);
        if (!handle || !*handle) return ZE_RESULT_SUCCESS;
        const auto image = find<Image>(*handle);
        if (!image) return image.code();
        const binary::ImageArgument told = argumentOf(**image);
        std::memcpy(bytes.data(), &told, sizeof told);
        object = *image;
    } else {
        const auto* const handle = static_cast<const ze_sampler_handle_t*>(value);
        if (!handle || !*handle) return ZE_RESULT_SUCCESS;
        const auto sampler = find<Sampler>(*handle);
        if (!sampler) return sampler.code();
        const binary::SamplerArgument told = argumentOf(**sampler);
        std::memcpy(bytes.data(), &told, sizeof told);
        object = *sampler;
    }
    return ZE_RESULT_SUCCESS;
}

}  // namespace

KernelState::KernelState(const binary::KernelImage& image) : image_(&image) {
    if (image.environment.requiredGroupSize[0] != 0) groupSize_ = image.environment.requiredGroupSize;
    for (const auto& argument : image.arguments) arguments_.push_back(unsetValue(argument));
    set_.resize(arguments_.size());
    objects_.resize(arguments_.size());
}

bool KernelState::isSet(std::uint32_t index) const noexcept {
    const Kind kind = image_->arguments[index].kind;
    const bool passed = kind == Kind::pointer || isState(kind) || kind == Kind::localPointer ||
                        (kind == Kind::value && image_->arguments[index].size != 0);
    return set_[index] || !passed;
}

std::span<const std::uint8_t> KernelState::given(std::uint32_t index) const noexcept {
    const std::span<const std::uint8_t> bytes = arguments_[index].bytes;
    return isState(image_->arguments[index].kind) ? bytes.last(sizeof(std::uint64_t)) : bytes;
}

const Image* KernelState::imageOf(std::uint32_t index) const noexcept {
    return image_->arguments[index].kind == Kind::image ? static_cast<const Image*>(objects_[index].get()) : nullptr;
}

Status KernelState::setGroupSize(const machine::DeviceProfile& profile, const module::Extent& size) {
    const auto& required = image_->environment.requiredGroupSize;
    if (required[0] != 0 && size != required)
        return refuse(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "the source of {} requires groups of {}x{}x{}",
                      image_->name, required[0], required[1], required[2]);
    const std::uint64_t limit = largestGroup(*image_, profile);
    const std::uint64_t plane = std::uint64_t{size[0]} * size[1];
    if (plane == 0 || size[2] == 0 || plane > limit || plane * size[2] > limit)
        return refuse(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "groups of {}x{}x{}; {} takes 1 to {} work-items",
                      size[0], size[1], size[2], image_->name, limit);
    groupSize_ = size;
    return ZE_RESULT_SUCCESS;
}

Status KernelState::setArgument(std::uint32_t index, std::size_t size, const void* value) {
    if (index >= image_->arguments.size())
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, "argument {} of {}, which has {}", index,
                      image_->name, image_->arguments.size());
    const binary::KernelArgument& argument = image_->arguments[index];
    module::ArgumentValue next = unsetValue(argument);
    if (!fits(*image_, index, size))
        return refuse(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, "{} bytes for argument {} of {}, {}", size, index,
                      image_->name, expected(argument));
    std::shared_ptr<const void> object;
    if (isState(argument.kind)) {
        const Status bad = readState(argument.kind, value, next.bytes, object);
        if (bad != ZE_RESULT_SUCCESS) return bad;
    } else if (argument.kind == Kind::localPointer)
        next.localBytes = static_cast<std::uint32_t>(std::min<std::size_t>(size, UINT32_MAX));
    else if (!next.bytes.empty() && value)
        std::memcpy(next.bytes.data(), value, std::min(size, next.bytes.size()));
    arguments_[index] = std::move(next);
    objects_[index] = std::move(object);
    set_[index] = true;
    return ZE_RESULT_SUCCESS;
}

Status KernelState::setAll(const machine::DeviceProfile& profile, const module::Extent& size, void** values) {
    const std::size_t count = image_->arguments.size();
    if (!values && count != 0) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    KernelState next = *this;
    if (const Status bad = next.setGroupSize(profile, size); bad != ZE_RESULT_SUCCESS) return bad;
    for (std::uint32_t i = 0; i < count; ++i) {
        // Local memory has no value, only a size.
        const bool local = image_->arguments[i].kind == Kind::localPointer;
        if (local && !values[i]) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        const std::size_t bytes = local ? *static_cast<const std::size_t*>(values[i]) : given(i).size();
        if (!local && bytes == 0) continue;
        const Status bad = next.setArgument(i, bytes, local ? nullptr : values[i]);
        if (bad != ZE_RESULT_SUCCESS) return bad;
    }
    *this = std::move(next);
    return ZE_RESULT_SUCCESS;
}

Status KernelState::check(const machine::DeviceProfile& profile) const {
    const auto bytes = module::localMemoryWith(*image_, arguments_);
    if (bytes ? *bytes > profile.slmBytes : bytes.error().cause == binary::Cause::limit)
        return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                      "kernel {} needs {} bytes of local memory and its arguments {}; a group has {}", image_->name,
                      image_->environment.slmBytes, localBytes(), profile.slmBytes);
    return bytes ? ZE_RESULT_SUCCESS : codeOf(bytes.error());
}

module::LaunchShape KernelState::shape(const module::Extent& groupCount) const noexcept {
    const auto used = [&](int dimension) { return groupSize_[dimension] * std::uint64_t{groupCount[dimension]} > 1; };
    return {.groupSize = groupSize_,
            .groupCount = groupCount,
            .globalOffset = globalOffset_,
            .dimensions = used(2)   ? 3u
                          : used(1) ? 2u
                                    : 1u};
}

std::uint64_t KernelState::localBytes() const noexcept {
    std::uint64_t bytes = 0;
    for (const auto& argument : arguments_) bytes += argument.localBytes;
    return bytes;
}

}  // namespace zetl::emulator::driver

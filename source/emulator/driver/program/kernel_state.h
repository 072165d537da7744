// The state of a kernel that a launch takes when it is appended, and the rules for setting it.
#pragma once

#include <level_zero/ze_api.h>

#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "binary/kernel_image.h"
#include "emulator/machine/profile.h"
#include "emulator/module/payload.h"

namespace zetl::emulator::driver {

class Image;

/// Not thread-safe.
class KernelState {
  public:
    /// The state after zeKernelCreate: arguments that were never set are null pointers and zeroes, as on the hardware,
    /// where the payload starts out cleared. The image must outlive this.
    explicit KernelState(const binary::KernelImage& image);

    /// INVALID_GROUP_SIZE_DIMENSION if a size is 0, the product is too large, or the source requires another size.
    Status setGroupSize(const machine::DeviceProfile& profile, const module::Extent& size);

    /// INVALID_KERNEL_ARGUMENT_INDEX, INVALID_KERNEL_ARGUMENT_SIZE. A null `value` is a null pointer or local memory.
    /// An image or sampler is given by its handle; INVALID_NULL_HANDLE if none that lives is behind it. Null is none: a
    /// kernel that uses it ends in a fault. The state keeps what it was given.
    /// Local memory of any size can be set: a size that the device lacks is refused when the kernel is launched.
    ///
    /// Arguments by value may have the sizes that Intel's drivers take: shorter than the parameter, such as an int for
    /// a long, if every piece of the parameter begins within what is given; longer, since compilers leave out padding
    /// and members that no code reads, up to what all arguments of a kernel may have.
    Status setArgument(std::uint32_t index, std::size_t size, const void* value);

    /// Sets the group size and all arguments. `values` has one pointer per argument, to a size_t for local memory. An
    /// error changes nothing. Codes as above, and INVALID_NULL_POINTER.
    Status setAll(const machine::DeviceProfile& profile, const module::Extent& size, void** values);

    void setGlobalOffset(const module::Extent& offset) noexcept { globalOffset_ = offset; }
    void setIndirectAccess(ze_kernel_indirect_access_flags_t flags) noexcept { indirectAccess_ = flags; }

    /// Whether groups on such a device can take the arguments: OUT_OF_DEVICE_MEMORY (local memory), INVALID_ARGUMENT.
    Status check(const machine::DeviceProfile& profile) const;

    const binary::KernelImage& image() const noexcept { return *image_; }
    const module::Extent& groupSize() const noexcept { return groupSize_; }
    /// False for an argument that the kernel takes and that was never set.
    bool isSet(std::uint32_t index) const noexcept;
    /// The bytes that the program gave for an argument: of an image or sampler its handle. Empty for local memory.
    std::span<const std::uint8_t> given(std::uint32_t index) const noexcept;
    const std::vector<module::ArgumentValue>& arguments() const noexcept { return arguments_; }
    /// Null for an argument that is no image, or that has none.
    const Image* imageOf(std::uint32_t index) const noexcept;
    ze_kernel_indirect_access_flags_t indirectAccess() const noexcept { return indirectAccess_; }
    module::LaunchShape shape(const module::Extent& groupCount) const noexcept;
    /// The local memory that the arguments ask for.
    std::uint64_t localBytes() const noexcept;

  private:
    const binary::KernelImage* image_;
    module::Extent groupSize_{1, 1, 1};
    module::Extent globalOffset_{0, 0, 0};
    std::vector<module::ArgumentValue> arguments_;
    std::vector<std::shared_ptr<const void>> objects_;  ///< the image or sampler, by argument
    std::vector<bool> set_;                             ///< by argument
    ze_kernel_indirect_access_flags_t indirectAccess_ = 0;
};

}  // namespace zetl::emulator::driver

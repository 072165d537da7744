// What a launch takes from a kernel at the moment it is appended, and the rules of setting it.
#pragma once

#include <level_zero/ze_api.h>

#include <vector>

#include "base/result.h"
#include "emulator/machine/profile.h"
#include "emulator/module/kernel_image.h"
#include "emulator/module/payload.h"

namespace zetl::emulator::driver {

struct KernelState {
    module::Extent groupSize{1, 1, 1};
    module::Extent globalOffset{0, 0, 0};
    std::vector<module::ArgumentValue> arguments;
    ze_kernel_indirect_access_flags_t indirectAccess = 0;
};

/// As after zeKernelCreate: arguments that nobody set are null pointers and zeroes, as on the hardware, where the
/// payload starts out cleared.
KernelState initialState(const module::KernelImage& image);

/// INVALID_GROUP_SIZE_DIMENSION if a size is 0, the product too large, or other than the source requires.
Status setGroupSize(KernelState& state, const module::KernelImage& image, const machine::DeviceProfile& profile,
                    const module::Extent& size);

/// INVALID_KERNEL_ARGUMENT_INDEX, INVALID_KERNEL_ARGUMENT_SIZE. `value` null: a null pointer or local memory, of which
/// any size can be asked for: that the device has not so much is said when the kernel is launched.
///
/// By value the sizes are those that Intel's drivers take: shorter than the parameter, such as an int for a long, if
/// every piece of it begins within what is given; longer, since compilers leave out padding and members that nobody
/// reads, up to what all arguments of a kernel may have.
Status setArgument(KernelState& state, const module::KernelImage& image, std::uint32_t index, std::size_t size,
                   const void* value);

/// Local memory that the arguments ask for.
std::uint64_t localBytes(const KernelState& state) noexcept;

}  // namespace zetl::emulator::driver

// What zeImageCreate and zeImageViewCreateExt are asked for, checked.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "emulator/driver/memory/image_format.h"
#include "isa/xe/sampler_state.h"
#include "isa/xe/surface_state.h"

namespace zetl::emulator::driver {

class Context;
class Device;

struct ImageDescription {
    ze_image_type_t type = ZE_IMAGE_TYPE_2D;
    ImageFormat format;
    std::uint64_t width = 1;
    std::uint32_t height = 1;
    std::uint32_t depth = 1;   ///< or the number of layers
    std::uint32_t levels = 1;  ///< of a mip chain; memory has the first alone
    bool bindless = false;
    std::optional<zetl::isa::xe::SamplerState> sampler;  ///< of an image that is read by its handle with this sampler
    std::optional<std::uint32_t> plane;                  ///< of a view
    const void* pitched = nullptr;                       ///< the program's own memory for it
    std::uint64_t rowPitch = 0;                          ///< asked for; 0: the driver's choice
    std::uint64_t slicePitch = 0;
    std::optional<int> descriptor;  ///< of memory to import

    bool isLayered() const noexcept { return type == ZE_IMAGE_TYPE_1DARRAY || type == ZE_IMAGE_TYPE_2DARRAY; }
    bool hasSlices() const noexcept { return isLayered() || type == ZE_IMAGE_TYPE_3D; }
    zetl::isa::xe::SurfaceState::Type surfaceType() const noexcept;
};

/// In the order of Intel's driver: UNSUPPORTED_FEATURE (32_32_32), UNSUPPORTED_ENUMERATION (a chained struct that is
/// not known, export), UNSUPPORTED_IMAGE_FORMAT, INVALID_ENUMERATION (flags), INVALID_ARGUMENT (type, memory of its
/// own where there can be none, a size that surface states cannot have, a sampled image without sampler).
Result<ImageDescription> readImageDescription(const ze_image_desc_t& description, bool isView);

/// Nothing if the device has images and samplers and the context holds it. `code` for a device without them, with a
/// warning the first time, since programs ask again and again; INVALID_ARGUMENT for a device of another context.
Status requireImages(Context& context, Device& device, ze_result_t code);

/// Nothing for a mode that the specification does not have.
std::optional<zetl::isa::xe::SamplerState> readSampler(const ze_sampler_desc_t& description) noexcept;

}  // namespace zetl::emulator::driver

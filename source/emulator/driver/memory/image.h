// ze_image_handle_t (core specification, "Images").
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "emulator/driver/memory/image_description.h"
#include "emulator/driver/memory/state_heap.h"
#include "emulator/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class Context;
class Device;

/// An image in linear memory: its own, a program's allocation, or another image's. Its memory lives as long as some
/// image, view or command uses it. Immutable; thread-safe.
class Image : public Object<Image, ze_image_handle_t> {
  public:
    static constexpr const char* kNoun = "image";

    /// The memory of an image. Rows are `rowPitch` bytes apart, layers and slices `slicePitch`.
    struct Place {
        std::shared_ptr<const void> memory;  ///< null: not the driver's
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
        std::uint64_t rowPitch = 0;
        std::uint64_t slicePitch = 0;
    };

    /// Codes of readImageDescription(), OUT_OF_DEVICE_MEMORY, UNSUPPORTED_FEATURE for a device without images.
    static Result<std::shared_ptr<Image>> create(Context& context, std::shared_ptr<Device> device,
                                                 const ze_image_desc_t& description);
    /// Another image over the memory of this one. INVALID_ARGUMENT for a plane that it does not have.
    static Result<std::shared_ptr<Image>> createView(Context& context, std::shared_ptr<Device> device,
                                                     const ze_image_desc_t& description, const Image& image);
    Image(std::shared_ptr<Device> device, const ImageDescription& description, Place place,
          std::shared_ptr<StateSlot> state);

    const ImageDescription& description() const noexcept { return description_; }
    const ImageFormat& format() const noexcept { return description_.format; }
    const Place& place() const noexcept { return place_; }
    Device& device() const noexcept { return *device_; }
    /// By which messages of kernels name it; 0 if the image has no state.
    std::uint32_t stateOffset() const noexcept { return state_->offset(); }

    Status memoryProperties(ze_image_memory_properties_exp_t& out) const noexcept;
    /// NOT_AVAILABLE for an image that was not created as a bindless one.
    Result<std::uint64_t> deviceOffset() const;

  private:
    const std::shared_ptr<Device> device_;
    const ImageDescription description_;
    const Place place_;
    const std::shared_ptr<StateSlot> state_;
};

/// zeImageGetProperties, which does not depend on the description.
Status imageProperties(Device& device, const ze_image_desc_t& description, ze_image_properties_t& out);
/// zeImageGetAllocPropertiesExt: images have no allocation of their own that zeMemGetAllocProperties would know.
Status imageAllocation(const Image& image, ze_image_allocation_ext_properties_t& out) noexcept;
/// zeMemGetPitchFor2dImage. INVALID_ARGUMENT for elements of a size that no format has.
Result<std::size_t> pitchFor2dImage(Device& device, std::size_t width, std::size_t height, unsigned elementBytes);
/// Everything is resident.
Status imageResidency(Device& device, const Image& image) noexcept;

}  // namespace zetl::emulator::driver

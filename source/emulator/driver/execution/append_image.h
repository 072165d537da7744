// The functions zeCommandListAppendImageCopy... of command lists.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "emulator/driver/execution/event_use.h"
#include "emulator/driver/memory/image.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class CommandList;

// All return the codes of CommandList::append(), and INVALID_ARGUMENT for a region that the image does not have, or for
// two of different sizes. Null regions are whole images. UNSUPPORTED_FEATURE for memory and an image of three channels
// on a list that only copies.
Status appendImageCopy(CommandList& list, std::shared_ptr<Image> to, std::shared_ptr<Image> from,
                       const EventUse& events);
Status appendImageCopyRegion(CommandList& list, std::shared_ptr<Image> to, std::shared_ptr<Image> from,
                             const ze_image_region_t* toRegion, const ze_image_region_t* fromRegion,
                             const EventUse& events);
Status appendImageCopyToMemory(CommandList& list, void* to, std::shared_ptr<Image> from,
                               const ze_image_region_t* region, const EventUse& events);
Status appendImageCopyFromMemory(CommandList& list, std::shared_ptr<Image> to, const void* from,
                                 const ze_image_region_t* region, const EventUse& events);
/// Pitches of 0: rows and slices of the region lie one behind the other.
Status appendImageCopyToMemoryExt(CommandList& list, void* to, std::shared_ptr<Image> from,
                                  const ze_image_region_t* region, std::uint32_t rowPitch, std::uint32_t slicePitch,
                                  const EventUse& events);
Status appendImageCopyFromMemoryExt(CommandList& list, std::shared_ptr<Image> to, const void* from,
                                    const ze_image_region_t* region, std::uint32_t rowPitch, std::uint32_t slicePitch,
                                    const EventUse& events);

}  // namespace zetl::emulator::driver

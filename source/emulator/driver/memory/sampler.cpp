#include "emulator/driver/memory/sampler.h"

#include "emulator/driver/memory/image_description.h"

namespace zetl::emulator::driver {

Result<std::shared_ptr<Sampler>> Sampler::create(Context& context, Device& device,
                                                 const ze_sampler_desc_t& description) {
    if (const Status bad = requireImages(context, device, ZE_RESULT_ERROR_UNINITIALIZED); bad != ZE_RESULT_SUCCESS)
        return bad;
    const auto state = readSampler(description);
    if (!state)
        return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "no samplers with address mode {} and filter mode {}",
                      static_cast<int>(description.addressMode), static_cast<int>(description.filterMode));
    auto slot = placeSampler(*state);
    if (!slot) return slot.code();
    return std::make_shared<Sampler>(description, *std::move(slot));
}

Result<std::shared_ptr<StateSlot>> placeSampler(const zetl::isa::xe::SamplerState& state) {
    auto slot = StateSlot::take();
    if (slot) state.write((*slot)->bytes().first<zetl::isa::xe::SamplerState::kBytes>());
    return slot;
}

}  // namespace zetl::emulator::driver

// ze_sampler_handle_t (core specification, "Samplers").
#pragma once

#include <memory>

#include "base/result.h"
#include "emulator/driver/memory/state_heap.h"
#include "emulator/driver/shared_parts.h"
#include "isa/xe/sampler_state.h"

namespace zetl::emulator::driver {

class Context;
class Device;

/// How kernels read images. Immutable; thread-safe.
class Sampler : public Object<Sampler, ze_sampler_handle_t> {
  public:
    static constexpr const char* kNoun = "sampler";

    /// As Intel's driver: UNINITIALIZED for a device without samplers, and for a mode that is not known.
    static Result<std::shared_ptr<Sampler>> create(Context& context, Device& device,
                                                   const ze_sampler_desc_t& description);
    Sampler(const ze_sampler_desc_t& description, std::shared_ptr<StateSlot> state) noexcept
        : description_(description), state_(std::move(state)) {}

    const ze_sampler_desc_t& description() const noexcept { return description_; }
    /// By which messages of kernels name it.
    std::uint32_t stateOffset() const noexcept { return state_->offset(); }

  private:
    const ze_sampler_desc_t description_;
    const std::shared_ptr<StateSlot> state_;
};

/// A slot with this state at its beginning.
Result<std::shared_ptr<StateSlot>> placeSampler(const zetl::isa::xe::SamplerState& state);

}  // namespace zetl::emulator::driver

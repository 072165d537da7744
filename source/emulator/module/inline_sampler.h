// Samplers that a program declares as constants.
#pragma once

#include "binary/kernel_image.h"
#include "isa/xe/sampler_state.h"

namespace zetl::emulator::module {

/// The state that a message finds for such a sampler.
zetl::isa::xe::SamplerState stateOf(const binary::InlineSampler& declared) noexcept;

}  // namespace zetl::emulator::module

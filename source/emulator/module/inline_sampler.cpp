#include "emulator/module/inline_sampler.h"

namespace zetl::emulator::module {

zetl::isa::xe::SamplerState stateOf(const binary::InlineSampler& declared) noexcept {
    using zetl::isa::xe::AddressMode;
    // By binary::InlineSampler::Address.
    constexpr AddressMode kModes[] = {AddressMode::border, AddressMode::wrap, AddressMode::clamp, AddressMode::border,
                                      AddressMode::mirror};
    zetl::isa::xe::SamplerState state;
    state.linear = declared.linear;
    state.normalized = declared.normalized;
    state.address.fill(kModes[static_cast<std::size_t>(declared.address)]);
    return state;
}

}  // namespace zetl::emulator::module

#include "lab.h"

#include <stdexcept>

#include "emulator/machine/model_detail.h"

namespace zetl::benchmark::emulator {

Lab::Lab(const ::zetl::emulator::machine::Profile& profile) : bench_(profile) {
    collecting_ = bench_.tile().collect(::zetl::emulator::machine::ModelDetail::full);
}

Lab::~Lab() { collecting_.reset(); }

double Lab::cycles(const Kernel& kernel, Extent groupSize, Extent groups, const std::vector<Argument>& arguments) {
    using ::zetl::emulator::machine::Counter;
    const auto [place, isNew] = built_.try_emplace(std::string(kernel.name) + kernel.flags);
    if (isNew) place->second = bench_.build(kernel.source, kernel.name, kernel.flags);
    const auto dispatch = bench_.run(place->second, groupSize, groups, arguments);
    if (dispatch->fault()) throw std::runtime_error(dispatch->fault().describe());
    return static_cast<double>(dispatch->counts()[Counter::workCycles]);
}

std::uint32_t Lab::groups(std::uint32_t threads, std::uint32_t times) { return profile().threads() / threads * times; }

}  // namespace zetl::benchmark::emulator

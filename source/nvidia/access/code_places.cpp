#include "nvidia/access/code_places.h"

#include <algorithm>
#include <vector>

#include "nvidia/cupti/instruction_sampler.h"
#include "nvidia/driver/program/cubin.h"
#include "nvidia/driver/program/module.h"

namespace zetl::nvidia::access {

void CodePlaces::learn() {
    const auto before = latest_;
    for (const auto& module : live<Module>().all()) {
        const auto code = module->code();
        if (module->place().device.get() != &device_ || !code || code->address() <= before) continue;
        latest_ = std::max(latest_, code->address());
        const auto checksum = checksumOf(code->image());
        if (checksum == 0 || byChecksum_.contains(checksum)) continue;
        auto& functions = byChecksum_[checksum];
        for (const auto& each : codeSectionsOf(code->image())) functions[each.function] = code->address() + each.offset;
    }
}

std::uint64_t CodePlaces::addressOf(std::uint64_t checksum, std::string_view function, std::uint64_t offset) const {
    const auto module = byChecksum_.find(checksum);
    if (module == byChecksum_.end()) return 0;
    const auto place = module->second.find(function);
    return place == module->second.end() ? 0 : place->second + offset;
}

zetl_module_t CodePlaces::moduleAt(std::uint64_t address) const {
    for (const auto& module : live<Module>().all()) {
        const auto code = module->code();
        if (module->place().device.get() == &device_ && code && address - code->address() < code->image().size())
            return module->id();
    }
    return 0;
}

}  // namespace zetl::nvidia::access

// Section "targets": program debug of this process.
#include "provider/targets.h"

#include <unistd.h>

#include <map>

#include "base/never_destroyed.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"
#include "emulator/access/target.h"
#include "emulator/isa/registers.h"

namespace zetl::emulator::access {
namespace {

using zetl::isa::xe::Architecture;

const char* nameOf(isa::RegisterSet set) {
    constexpr const char* kNames[] = {"",    "GRF", "ADDR", "FLAG", "CE",  "SR", "CR",
                                      "TDR", "ACC", "MME",  "SP",   "SBA", "DBG"};
    return set == isa::RegisterSet::scalar ? "SCALAR" : kNames[static_cast<std::size_t>(set)];
}

constexpr std::uint32_t kUsualRegisters = 128;  // in threads of every architecture

std::vector<zetl_register_set_t> setsOf(const Architecture& architecture) {
    std::vector<zetl_register_set_t> list;
    for (const isa::RegisterSet set : isa::registerSets(architecture)) {
        const auto most = isa::registerSet({architecture, architecture.registerCounts.back()}, set);
        if (!most) continue;
        list.push_back({.size = sizeof(zetl_register_set_t),
                        .type = static_cast<std::uint32_t>(set),
                        .name = nameOf(set),
                        .count = most->count,
                        .bits = most->bits,
                        .bytes = most->bytes,
                        .readable = 1,
                        .writeable = most->writable,
                        .per_lane = 0,
                        .usual = set == isa::RegisterSet::grf ? kUsualRegisters : most->count});
    }
    return list;
}

using SetsByArchitecture = std::map<const Architecture*, std::vector<zetl_register_set_t>>;

const SetsByArchitecture& sets() {
    static NeverDestroyed<SetsByArchitecture> all([] {
        SetsByArchitecture sets;
        for (const Architecture* each : zetl::isa::xe::allArchitectures()) sets.emplace(each, setsOf(*each));
        return sets;
    }());
    return *all;
}

class EmulatedTargets final : public provider::Targets<Backend> {
  public:
    provider::Made<provider::Target> open(Device& device, std::uint64_t pid, zetl_sink_t sink,
                                          void* user) const override {
        if (pid != static_cast<std::uint64_t>(getpid())) return ZETL_UNSUPPORTED;
        return access::Targets::instance().open(device, sink, user);
    }
    std::vector<const zetl_register_set_t*> registerSets(Device& device) const override {
        std::vector<const zetl_register_set_t*> all;
        for (const auto& each : sets().at(&device.profile().architecture())) all.push_back(&each);
        return all;
    }
};

}  // namespace

const zetl_target_functions_t kTargetFunctions = provider::TargetTable<EmulatedTargets>::kFunctions;

}  // namespace zetl::emulator::access

#include "emulator/driver/execution/object_places.h"

#include "emulator/driver/device/platform.h"

namespace zetl::emulator::driver {

void addPlaces(const Checks& all, zetl::check::Finding& finding) {
    if (!finding.object || finding.object->begin == 0) return;
    zetl::check::Object& object = *finding.object;
    const machine::Memory& memory = platform().memory();
    if (const auto live = memory.find(object.begin)) {
        object.made = all.made.of(live->id);
    } else if (const auto gone = memory.findFreed(object.begin)) {
        object.made = all.made.of(gone->id);
        object.freed = all.freed.callOf(gone->id);
    }
}

void noteFreed(Checks& all, std::uint64_t begin, std::uint64_t bytes) {
    for (const machine::Allocation& one : platform().memory().list())
        if (one.begin >= begin && one.begin - begin < bytes) all.freed.add(one.id);
}

}  // namespace zetl::emulator::driver

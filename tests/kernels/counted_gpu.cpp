// The emulated GPU with one function more: how often each instruction was executed, as the machine itself counts.
#include "counted_gpu.h"

#include "emulator/access/device_ref.h"

extern "C" __attribute__((visibility("default"))) std::size_t countedInstructions(std::size_t capacity,
                                                                                  CountedInstruction* counts) {
    std::size_t found = 0;
    for (auto* const device : zetl::emulator::access::devices()) {
        if (device->isSubDevice()) continue;
        for (std::uint32_t tile = 0; tile < device->tiles(); ++tile)
            for (const auto& count : device->tile(tile).instructionCounts())
                if (found++ < capacity) counts[found - 1] = {count.address, count.executed};
    }
    return found;
}

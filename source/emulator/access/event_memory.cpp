#include "emulator/access/event_memory.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <map>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "base/write_signals.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"
#include "provider/event_memory.h"

namespace zetl::emulator::access {
namespace {

using Memories = std::map<const driver::Device*, std::unique_ptr<EventMemory>>;

Synchronized<Memories>& memories() {
    static NeverDestroyed<Synchronized<Memories>> value;
    return *value;
}

class EmulatedEventMemories final : public provider::EventMemories<Backend> {
  public:
    zetl_status_t descriptor(Device& device, std::int32_t& descriptor, std::uint64_t& bytes) const override {
        const auto* const memory = EventMemory::of(device);
        if (!memory) return ZETL_NO_MEMORY;
        descriptor = memory->descriptor();
        bytes = EventMemory::kBytes;
        return ZETL_OK;
    }
};

}  // namespace

/// Nobody can take pages away from it: they are read here.
std::unique_ptr<EventMemory> EventMemory::make() {
    FileDescriptor file(memfd_create("zetl-event-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    const WriteSignalsHeld held;  // the host may limit the size of files
    if (!file || ftruncate(file.get(), kBytes) != 0) return nullptr;
    void* const page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (page == MAP_FAILED) return nullptr;
    fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return std::unique_ptr<EventMemory>(new EventMemory(std::move(file), page));
}

EventMemory* EventMemory::of(const driver::Device& device) {
    return memories().write([&](Memories& all) {
        auto& memory = all[&rootOf(device)];
        if (!memory) memory = make();
        return memory.get();
    });
}

EventMemory* EventMemory::existing(const driver::Device& device) noexcept {
    return memories().read([&](const Memories& all) {
        const auto found = all.find(&rootOf(device));
        return found == all.end() ? nullptr : found->second.get();
    });
}

const zetl_event_memory_functions_t kEventMemoryFunctions =
    provider::EventMemoryTable<EmulatedEventMemories>::kFunctions;

}  // namespace zetl::emulator::access

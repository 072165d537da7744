#include "emulator/machine/execution/thread_environment.h"

#include "emulator/machine/clock.h"
#include "emulator/machine/code_heap.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/memory/allocation_table.h"
#include "emulator/machine/tools/tally.h"

namespace zetl::emulator::machine {

bool ThreadEnvironment::findMemory(std::uint64_t address, std::uint64_t bytes, bool write,
                                   isa::MemoryWindow& window) noexcept {
    const AllocationTable& table = memory_.table();
    const Allocation* found = table.find(address);
    const Permission least = write ? Permission::readWrite : Permission::read;
    if (found == nullptr || found->permission < least) return false;
    window = {found->begin, found->bytes(), reinterpret_cast<std::byte*>(found->begin)};
    if (bytes <= found->end - address) return true;
    // Neighbouring mappings of one reservation may be crossed.
    if (!table.covers(address, address + bytes, write)) return false;
    window = {address, bytes, reinterpret_cast<std::byte*>(address)};
    return true;
}

void ThreadEnvironment::signalBarrier(isa::Thread& thread, const isa::BarrierSignal& signal) noexcept {
    HardwareThread& context = HardwareThread::of(thread);
    WorkGroup::of(context).signalBarrier(context.index, signal);
}

const isa::Program* ThreadEnvironment::findProgram(isa::Thread& thread, std::uint32_t ip) noexcept {
    const LoadedProgram* loaded = code_.programAt(ip);
    if (loaded == nullptr) return nullptr;
    HardwareThread& context = HardwareThread::of(thread);
    context.loaded = loaded;
    context.mayHoldAnything();
    thread.runs = context.tally->runs(*loaded);
    return loaded->program.get();
}

std::uint64_t ThreadEnvironment::timestamp() noexcept { return clock_.peek(); }

}  // namespace zetl::emulator::machine

#include "emulator/machine/execution/thread_environment.h"

#include <new>

#include "base/log.h"
#include "base/settings.h"
#include "emulator/machine/clock.h"
#include "emulator/machine/code_heap.h"
#include "emulator/machine/execution/history.h"
#include "emulator/machine/execution/overruns.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/trace_recorder.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/memory/allocation_table.h"
#include "emulator/machine/tools/tally.h"
#include "emulator/machine/tools/watchpoints.h"

namespace zetl::emulator::machine {

bool ThreadEnvironment::findMemory(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                                   isa::MemoryWindow& window) noexcept {
    // Some architectures read the launch's arguments by address.
    if (const std::uint64_t at = address - reinterpret_cast<std::uint64_t>(thread.payload.data());
        !write && at < thread.payload.size() && bytes <= thread.payload.size() - at) [[unlikely]] {
        window = {address - at, thread.payload.size(), thread.payload.data()};
        return true;
    }
    const AllocationTable& table = memory_.table();
    const Allocation* found = table.before(address);
    const Permission least = write ? Permission::readWrite : Permission::read;
    if (found == nullptr || found->permission < least) return false;
    if (found->contains(address)) {
        window = {found->begin, found->bytes(), reinterpret_cast<std::byte*>(found->begin)};
        if (bytes <= found->end - address) {
            return mayAccess(thread, address, bytes, write, window);
        }
        // Neighbouring mappings of one reservation may be crossed.
        if (table.covers(address, address + bytes, write)) {
            window = {address, bytes, reinterpret_cast<std::byte*>(address)};
            return mayAccess(thread, address, bytes, write, window);
        }
    }
    if (overruns_.areFaults() || found->reach < address || found->reach - address < bytes) return false;
    if (overruns_.observer() != nullptr) {
        HardwareThread& context = HardwareThread::of(thread);
        context.overran = context.mayOverrun == 0;
        if (context.overran) return false;  // WorkGroup tells the observer, and lets it repeat the access
        --context.mayOverrun;
    }
    tellOfOverrun(thread, address, bytes, write, *found);
    window = {found->begin, found->reach - found->begin, reinterpret_cast<std::byte*>(found->begin)};
    return mayAccess(thread, address, bytes, write, window);
}

bool ThreadEnvironment::mayAccess(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                                  isa::MemoryWindow& window) noexcept {
    HardwareThread& context = HardwareThread::of(thread);
    if (history_ != nullptr) history_->accesses(context, address, bytes, write, window);
    if (!write || !watchpoints_.isAny()) return true;
    const bool isRepeated = history_ != nullptr && !history_->isPresent();
    return isRepeated || watchpoints_.admits(context, address, bytes, window);
}

void ThreadEnvironment::tellOfOverrun(isa::Thread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                                      const Allocation& allocation) noexcept {
    const std::string& kernel = WorkGroup::of(HardwareThread::of(thread)).dispatch().launch().kernel;
    if (!overruns_.isFirstOf(kernel, Overruns::Of::allocation)) return;
    try {
        log::warn(
            log::Channel::emulator,
            "kernel {}: {}-byte {} at 0x{:x} ends {} bytes past the end of the allocation [0x{:x}, 0x{:x}), {} "
            "bytes, but within its last page of 64 KiB. Hardware does not notice that, so the kernel goes on. This "
            "is reported once per kernel; {}=1 makes it a fault",
            kernel, bytes, write ? "write" : "read", address, address + bytes - allocation.end, allocation.begin,
            allocation.end, allocation.bytes(), settings::kStrictMemory);
    } catch (const std::bad_alloc&) {  // the warning is lost
    }
}

void ThreadEnvironment::signalBarrier(isa::Thread& thread, const isa::BarrierSignal& signal) noexcept {
    HardwareThread& context = HardwareThread::of(thread);
    WorkGroup::of(context).signalBarrier(context.index, signal);
}

/// A thread that records goes on in a program that reports.
const LoadedProgram* ThreadEnvironment::recordingOf(HardwareThread& thread, const LoadedProgram& loaded) noexcept {
    try {
        return &WorkGroup::of(thread).tile().recorder().recording(loaded);
    } catch (const std::bad_alloc&) {
        if (thread.trace != nullptr) thread.trace->close();
        return &loaded;
    }
}

const isa::Program* ThreadEnvironment::findProgram(isa::Thread& thread, std::uint32_t ip) noexcept {
    const LoadedProgram* loaded = code_.programAt(ip);
    if (loaded == nullptr) return nullptr;
    HardwareThread& context = HardwareThread::of(thread);
    if (context.loaded->isTwin()) loaded = recordingOf(context, *loaded);
    context.loaded = loaded;
    context.mayHoldAnything();
    thread.runs = context.tally->runs(*loaded);
    return loaded->program.get();
}

std::uint64_t ThreadEnvironment::timestamp() noexcept {
    return history_ == nullptr ? clock_.peek() : history_->timestamp(clock_.peek());
}

}  // namespace zetl::emulator::machine

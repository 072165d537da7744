#include "emulator/driver/execution/transfer.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/log.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/execution/api_checks.h"
#include "emulator/driver/execution/command_checks.h"
#include "emulator/driver/execution/launch_checks.h"
#include "emulator/machine/memory/allocation_table.h"

namespace zetl::emulator::driver {
namespace {

/// A worker stays inside the memory guard for one piece only, so that frees elsewhere do not wait for a long copy.
constexpr std::uint64_t kPiece = 1 << 20;

enum class Side { device, host, bad };

class Guard {
  public:
    explicit Guard(machine::Quiescence::Reader& reader) noexcept : reader_(reader) { reader_.enter(); }
    ~Guard() { reader_.leave(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

  private:
    machine::Quiescence::Reader& reader_;
};

/// Where a range lies. It is host memory if it is not allocated now, was not lately, and is not just reserved.
Side classify(const machine::Memory& memory, std::uint64_t address, std::uint64_t bytes, bool write) {
    const machine::AllocationTable& table = memory.table();
    if (table.covers(address, address + bytes, write)) return Side::device;
    return table.find(address) ? Side::bad : Side::host;
}

machine::Transfers::Side memoryAt(const machine::Memory& memory, std::uint64_t address) {
    using machine::MemoryKind;
    using Sides = machine::Transfers::Side;
    const auto* found = memory.table().find(address);
    if (!found || found->kind == MemoryKind::host || found->kind == MemoryKind::shared) return Sides::host;
    return Sides::device;
}

/// What the engine copies from: memory, or a pattern that it repeats.
enum class Source { memory, pattern };

/// Counts bytes that have been copied.
void note(Execution& execution, std::uint64_t to, std::uint64_t from, std::uint64_t bytes, Source source) {
    const machine::Memory& memory = platform().memory();
    Device& device = execution.device;
    const auto origin = source == Source::pattern ? machine::Transfers::Side::none : memoryAt(memory, from);
    device.machine().transfers(device.firstTile()).moved(origin, memoryAt(memory, to), bytes);
    noteTransfer(execution, to, from, bytes);
}

void tellTools(Execution& execution, std::uint64_t address, bool write, bool forbidden) {
    if (const auto observer = toolObserver()) observer->transferFault(execution.device, address, write, forbidden);
}

void noteOutside(const Execution& execution, std::uint64_t address, std::uint64_t bytes, bool write) noexcept {
    noteAccessOutside(execution.checked != nullptr ? execution.checked->name : "a copy", address, bytes, write);
}

bool refuseAccess(Execution& execution, std::uint64_t address, std::uint64_t bytes, bool write) {
    const auto access = write ? machine::Access::write : machine::Access::read;
    const auto fault = platform().memory().explain(address, bytes, access);
    log::error(log::Channel::emulator, "memory copy: {}", fault.describe());
    tellTools(execution, fault.address, write, fault.kind == machine::FaultKind::accessDenied);
    noteOutside(execution, address, bytes, write);
    return false;
}

/// Copies through the kernel, which reports an unmapped address instead of raising a signal.
bool copyChecked(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    const iovec local{reinterpret_cast<void*>(from), bytes};
    const iovec remote{reinterpret_cast<void*>(to), bytes};
    const auto copied = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
    if (copied == static_cast<ssize_t>(bytes)) return true;
    if (copied < 0 && (errno == EPERM || errno == ENOSYS)) {
        // A sandbox forbids the call: fall back to an unchecked copy, as hardware drivers do.
        std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
        return true;
    }
    log::error(log::Channel::emulator, "memory copy: {} bytes from {:#x} to {:#x} are not mapped in this process",
               bytes, from, to);
    return false;
}

bool copyPiece(Execution& execution, std::uint64_t to, std::uint64_t from, std::uint64_t bytes, Source kind) {
    const machine::Memory& memory = platform().memory();
    Side source;
    Side target;
    {
        // Until the bytes are there: exporting memory to other processes moves it.
        const Guard guard(execution.memoryReader);
        source = classify(memory, from, bytes, false);
        target = classify(memory, to, bytes, true);
        // Pages have room behind the end of what was asked for: the copy is made, as hardware makes it.
        if (source == Side::host && isBehindAllocation(from)) noteOutside(execution, from, bytes, false);
        if (target == Side::host && isBehindAllocation(to)) noteOutside(execution, to, bytes, true);
        if (source == Side::device && target == Side::device) {
            std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
            note(execution, to, from, bytes, kind);
            return true;
        }
        if (source != Side::bad && target != Side::bad && copyChecked(to, from, bytes)) {
            note(execution, to, from, bytes, kind);
            return true;
        }
    }
    if (source == Side::bad) return refuseAccess(execution, from, bytes, false);
    if (target == Side::bad) return refuseAccess(execution, to, bytes, true);
    const bool write = source == Side::device;  // with two host addresses it may have been either
    tellTools(execution, write ? to : from, write, false);
    noteOutside(execution, write ? to : from, bytes, write);
    return false;
}

bool copyPieces(Execution& execution, std::uint64_t to, std::uint64_t from, std::uint64_t bytes, Source kind) {
    for (std::uint64_t done = 0; done < bytes;) {
        const std::uint64_t piece = std::min(kPiece, bytes - done);
        if (!copyPiece(execution, to + done, from + done, piece, kind)) return false;
        done += piece;
    }
    return true;
}

}  // namespace

bool copyMemory(Execution& execution, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    return copyPieces(execution, to, from, bytes, Source::memory);
}

bool fillMemory(Execution& execution, std::uint64_t to, std::span<const std::byte> pattern, std::uint64_t bytes) {
    // A buffer of whole repetitions, so that small patterns do not mean small copies.
    const std::uint64_t repetitions = std::max<std::uint64_t>(1, std::min(kPiece, bytes) / pattern.size());
    std::vector<std::byte> block;
    block.reserve(repetitions * pattern.size());
    for (std::uint64_t i = 0; i < repetitions; ++i) block.insert(block.end(), pattern.begin(), pattern.end());
    for (std::uint64_t done = 0; done < bytes;) {
        const std::uint64_t piece = std::min<std::uint64_t>(block.size(), bytes - done);
        const auto from = reinterpret_cast<std::uint64_t>(block.data());
        if (!copyPieces(execution, to + done, from, piece, Source::pattern)) return false;
        done += piece;
    }
    return true;
}

machine::Transfers::Copy copying(const Execution& execution) {
    Device& device = execution.device;
    return {device.machine().transfers(device.firstTile()), device.tile(), execution.engine};
}

}  // namespace zetl::emulator::driver

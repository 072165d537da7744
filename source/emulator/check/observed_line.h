// A line that a thread is about to execute, with the thread, its group and what its program says of the line.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/check/checked_program.h"
#include "emulator/check/findings.h"
#include "emulator/check/toucher.h"
#include "emulator/isa/observe.h"
#include "emulator/isa/thread.h"
#include "emulator/machine/execution/device_runtime.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/tools/hardware_thread.h"

namespace zetl::emulator::check {

/// Addresses below were made from a null pointer.
inline constexpr std::uint64_t kFirstPage = 0x1'0000;

/// Good while the observer is called. Of the launch it says what the checks ask for.
struct ObservedLine {
    isa::Thread& thread;
    const machine::HardwareThread& context;
    const machine::WorkGroup& group;
    const CheckedLine& checked;
    isa::Line number;
    std::uint32_t index;  ///< of the thread in its group
    machine::Extent id;   ///< of the group

    const machine::Launch& launch() const noexcept { return group.dispatch().launch(); }
    std::uint64_t groupNumber() const noexcept { return numberOf(id, gridOf(launch())); }
    /// The command's, or the launch's own if it is of none: what marks hold.
    std::uint64_t command() const noexcept {
        const std::uint64_t of = launch().command;
        return of != 0 ? of : group.dispatch().id();
    }
    /// Whether bytes of local memory belong to no argument.
    bool isInGap(std::uint64_t offset, std::uint32_t bytes) const noexcept {
        return std::ranges::any_of(launch().slmGaps,
                                   [&](const auto& gap) { return offset < gap[1] && offset + bytes > gap[0]; });
    }
    /// A launch, for pointers of this thread alone.
    std::uint64_t launchOfThread() const noexcept {
        constexpr unsigned kThreadAt = 48;
        return group.dispatch().id() ^ (std::uint64_t{index} + 1) << kThreadAt;
    }
    bool isGroupAtomic() const noexcept { return launch().groupAtomics && (*launch().groupAtomics)[number]; }
    bool isReadOnly(std::uint64_t address) const noexcept {
        return std::ranges::any_of(launch().readOnly,
                                   [&](const auto& range) { return address >= range[0] && address < range[1]; });
    }
    /// Memory of all threads that belongs to one thread each, and the part of this one.
    std::uint64_t allPrivateBytes() const noexcept {
        return launch().privateBytes * group.tile().device().profile().threads();
    }
    bool isPrivate(std::uint64_t address) const noexcept {
        return launch().privateBytes != 0 && address - launch().privateBase < allPrivateBytes();
    }
    Toucher toucher(const isa::MemoryAccess& access, std::int8_t lane) const noexcept {
        const Access kind = access.atomic ? Access::atomic : access.write ? Access::write : Access::read;
        return {kind, number, index, groupNumber(), lane};
    }
};

}  // namespace zetl::emulator::check

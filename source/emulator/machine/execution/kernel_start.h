// What a program says about the threads of a launch that begin.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/isa/entry.h"
#include "emulator/isa/state_slots.h"

namespace zetl::emulator::translate {
struct GroupCode;
}

namespace zetl::emulator::machine {

class ActiveDispatch;
struct LoadedProgram;

/// Holds for all places of the launch, as long as the code is neither changed nor translated.
struct KernelStart {
    KernelStart(const ActiveDispatch& dispatch, const LoadedProgram& loaded, std::uint64_t version);
    bool holds(const LoadedProgram& loaded, std::uint64_t version) const noexcept;

    const LoadedProgram& program;
    const std::uint64_t codeVersion;
    const std::uint32_t translations;
    const isa::Entry entry;
    // To be cleared, unless the other strayed: by threads with as many lanes as the first, and by one with fewer.
    const std::vector<isa::StateSlots::Run> registers;
    const std::vector<isa::StateSlots::Run> registersOfLast;
    const bool setsMode;  ///< they set the floating-point mode before they compute with it
    /// Code for all threads of a group together; null: there is none.
    const std::shared_ptr<const translate::GroupCode> groupCode;
};

}  // namespace zetl::emulator::machine

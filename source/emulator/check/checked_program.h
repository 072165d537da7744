// The lines of a program that checks look at: messages to memory, fences and barriers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "emulator/check/lane_crossing.h"
#include "emulator/check/provenance.h"
#include "emulator/isa/observe.h"
#include "emulator/machine/code/loaded_program.h"
#include "isa/xe/access_shape.h"

namespace zetl::emulator::check {

/// Immutable.
struct CheckedLine {
    std::optional<isa::AccessPlan> access;  ///< nothing: no memory message, or its descriptor is in registers
    zetl::isa::xe::Synchronization synchronization = zetl::isa::xe::Synchronization::none;
    std::uint32_t message = 0;               ///< its number among the program's messages
    std::int32_t pointer = kUnknownPointer;  ///< where the pointer lies that the addresses were made from
    bool ofArguments = false;                ///< it is the same for all threads of a launch
    bool pointerByLanes = false;             ///< there is one for each lane
    std::uint32_t part = 0;                  ///< of the program, among CheckedProgram::parts
    std::uint32_t elementBytes = 0;          ///< of which its addresses have to be multiples; 0: not known
    bool fencesLocal = false;                ///< a fence of local memory; otherwise of global memory
    bool withinGroup = false;                ///< a fence that orders only what the threads of one group see
    bool ofExchange = false;                 ///< a load that is the first half of an atomic operation
    bool inCallingProgram = false;           ///< its functions are called, and use each other's private memory
    std::uint32_t lanesCrossed = 0;          ///< lanes whose results a sub-group function reads here
    std::optional<Shuffle> shuffle{};        ///< the same, of lanes that are known only when it executes
    bool crossesLanes() const noexcept { return lanesCrossed != 0 || shuffle.has_value(); }
};

struct CheckedProgram {
    explicit CheckedProgram(const isa::Program& program);
    std::vector<CheckedLine> lines;
    /// What a ProgramObserver says of it.
    std::vector<bool> watched;
    /// Lines that only show the pointer of an argument.
    std::vector<bool> showsArgument;
    /// Lines that read whole dwords of local memory.
    std::vector<bool> readsLocal;
    /// Parts that threads do not leave: which pointers of arguments their lines show, without repetition. Empty for
    /// parts that they may leave.
    std::vector<std::vector<std::int32_t>> parts;

  private:
    void findParts(const isa::Program& program);
};

/// Programs that were looked at. They are kept with what was found out about them, so that another program never takes
/// the address of one; a process that loads and unloads modules for ever grows by their code. Thread-safe.
class CheckedPrograms {
  public:
    const CheckedProgram& of(const machine::LoadedProgram& loaded);

  private:
    struct Known {
        std::shared_ptr<const machine::LoadedProgram> keep;
        std::unique_ptr<const CheckedProgram> checked;
    };
    Mutex mutex_;
    std::map<const machine::LoadedProgram*, Known> known_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::check

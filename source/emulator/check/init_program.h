// What the lines of a program do with registers and memory, as the check for unwritten bytes has to know it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "emulator/check/register_set.h"
#include "emulator/check/used_bytes.h"
#include "emulator/isa/observe.h"
#include "emulator/isa/state_slots.h"
#include "emulator/machine/code/loaded_program.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::check {

/// Where the data of a message's lanes lie in registers.
struct MessageData {
    explicit MessageData(const isa::Instruction& in);

    std::uint32_t at(std::uint32_t lane, std::uint32_t component) const noexcept {
        return place + component * componentBytes + lane * kept;
    }
    /// That hold its data, at most so many.
    std::uint32_t registerBytes(std::uint32_t most) const noexcept {
        if (!known) return most;
        return std::min(most, components * (byLanes ? componentBytes : kept));
    }
    std::uint32_t place;
    std::uint32_t components;
    std::uint32_t componentBytes;
    std::uint32_t bytes;  ///< of a component in memory
    std::uint32_t kept;   ///< of a component in a register
    bool transposed;
    bool byLanes;  ///< its lanes lie as at() says
    bool known;    ///< its lanes' levels are followed; otherwise what it loads counts as defined
};

/// Immutable.
struct InitProgram {
    explicit InitProgram(const isa::Program& program);

    enum class What : std::uint8_t { nothing, computes, branches, defines, sends };
    struct Message {
        std::optional<isa::AccessPlan> plan;  ///< nothing: no access to memory, or one that is known only at run time
        MessageData data;
        std::uint32_t destination = 0;       ///< byte of the registers
        std::uint32_t destinationBytes = 0;  ///< 0: none
        bool mixes = false;                  ///< an atomic that computes with what it finds in memory
        std::int32_t operand = -1;           ///< byte of the registers with which an atomic computes; -1: none
    };
    struct Line {
        What what = What::nothing;
        RegisterSet used;           ///< that it names: if none of them is unwritten, nothing can come of it
        UsedBytes read;             ///< of a line that computes: of these, what its sources are, and flags
        UsedBytes written;          ///< and what its result is
        std::uint32_t message = 0;  ///< its number in `messages`
        /// A move of four bytes of local ids as one number, which they are not, and to which nothing is written: so the
        /// compiler moves a variable without a value.
        bool takesUnwritten = false;
        bool anywhere = false;  ///< of a line that computes: address registers choose some that it uses besides
    };
    std::vector<Line> lines;
    std::vector<Message> messages;

    /// Bytes of the registers, and of accumulators behind them, that a line may read: of others nothing can come.
    std::vector<bool> readBytes;
    /// Of these registers, the bytes that are read.
    std::vector<isa::StateSlots::Run> readOf(const isa::StateSlots& slots) const;

  private:
    void reads(std::uint32_t place, std::uint32_t bytes);
    void readsByLanes(const isa::Instruction& in);
    void findTaken(const isa::Program& program, isa::Line begin, isa::Line end);
};

/// Programs that were looked at, kept as CheckedPrograms keeps them. Thread-safe.
class InitPrograms {
  public:
    const InitProgram& of(const machine::LoadedProgram& loaded);

  private:
    struct Known {
        std::shared_ptr<const machine::LoadedProgram> keep;
        std::unique_ptr<const InitProgram> program;
    };
    Mutex mutex_;
    std::map<const machine::LoadedProgram*, Known> known_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::check

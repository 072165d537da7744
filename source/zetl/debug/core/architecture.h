// What a debugger must know of a kind of device by itself: its instructions, its registers, and what they say of a
// thread that stands still.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/instruction.h"
#include "core/thread_id.h"
#include "core/value.h"

namespace zetl::debugger {

class Inspector;
class Memory;
class StoppedThread;
struct Address;
struct FaultReport;
struct Frame;
struct KernelInfo;
struct WorkItems;

/// Facts about a stop, any number at once.
struct Exceptions {
    bool fault = false;
    bool breakpointOrStep = false;
    bool illegal = false;
    bool software = false;
};

/// What cannot be said of the device's code, and why; null: it can.
struct Silence {
    const char* variables = nullptr;
    const char* callers = nullptr;
};

struct RegisterSetName {
    const char* name;
    bool isNumbered = true;  ///< the register's number follows; else the set has one register
    bool isListed = true;    ///< else it is shown only when it is asked for
};

class Architecture {
  public:
    virtual ~Architecture() = default;

    // Instructions.
    virtual unsigned bytesOf(std::uint64_t firstWord) const = 0;
    virtual Instruction decode(const std::array<std::uint64_t, 2>& words) const = 0;
    virtual BreakpointCode breakpointIn(const Instruction& instruction) const = 0;
    virtual std::string textOf(const Instruction& instruction) const = 0;

    // Registers, whose sets zetDebugGetRegisterSetProperties numbers.
    /// By type of the set.
    virtual std::span<const RegisterSetName> setNames() const = 0;
    /// A set that every stopped thread has.
    virtual std::uint32_t surestSet() const = 0;
    /// One of a frame, by what a user writes behind `$`; for one lane where each has its own. Throws Failure if there
    /// is no such register.
    virtual Value registerNamed(const std::string& name, const Inspector& inspector) const = 0;
    /// Whether a stock gdb can be told of the registers.
    virtual bool isKnownToGdb() const = 0;

    // A thread that stands still.
    virtual std::uint64_t addressOf(StoppedThread& thread) const = 0;
    virtual Exceptions exceptionsOf(StoppedThread& thread) const = 0;
    /// Lanes that execute here, and those that the thread was started with.
    virtual std::uint32_t activeLanes(StoppedThread& thread) const = 0;
    virtual std::uint32_t dispatchedLanes(StoppedThread& thread) const = 0;
    virtual Triple groupOf(StoppedThread& thread) const = 0;
    /// `kernel`: whose code it executes; null if that is not known.
    virtual WorkItems itemsOf(StoppedThread& thread, const KernelInfo* kernel, const Memory& memory) const = 0;
    /// How it goes on when it is resumed: executes the instruction that it stands at, breakpoint or not, and then runs
    /// or stops again.
    virtual void prepare(StoppedThread& thread, bool stopAgain) const = 0;
    /// Whether a thread that is resumed to run, and not to step, takes all others along.
    virtual bool runsAsAWhole() const = 0;

    // Memory and code.
    /// What an address of the compiler's means.
    virtual Address addressFrom(std::uint64_t tagged, StoppedThread& thread) const = 0;
    /// To which the return addresses of calls are relative.
    virtual std::uint64_t codeBase(StoppedThread& thread) const = 0;
    virtual Silence silence() const = 0;
    /// Of a thread that stopped at a fault. `frame` is its innermost.
    virtual FaultReport reportFault(const Frame& frame, StoppedThread& thread, const Memory& memory,
                                    const Inspector& inspector) const = 0;
};

/// Xe-HPC of Intel, from Volta on of NVIDIA.
const Architecture& xe();
const Architecture& cuda();
/// By the vendor's number in PCI; null if it is none that the debugger knows.
const Architecture* architectureOf(std::uint32_t vendor);

}  // namespace zetl::debugger

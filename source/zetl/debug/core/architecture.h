// What the debugger knows about a kind of device: its instructions and registers, and what they say about a stopped
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/call_convention.h"
#include "core/code.h"
#include "core/instruction.h"
#include "core/location.h"
#include "core/thread_id.h"
#include "core/value.h"
#include "isa/xe/architecture.h"
#include "isa/xe/surface_state.h"

namespace zetl::debugger {

class Inspector;
class Memory;
class StoppedThread;
struct Address;
struct FaultReport;
struct Frame;
struct KernelInfo;
struct LaneStack;
struct Variable;
struct WorkItems;

/// Facts about a stop; several may be true at once.
struct Exceptions {
    bool fault = false;
    bool breakpointOrStep = false;
    bool illegal = false;
    bool software = false;
};

/// Why some facts about the device's code are not available; null: they are.
struct Silence {
    const char* variables = nullptr;
    const char* undescribed = nullptr;                                     ///< why a function may have no variables
    const char* noCaller = "this is the kernel itself; it has no caller";  ///< why the outermost frame is the outermost

    const char* whyNoVariables() const { return variables ? variables : undescribed; }
};

struct RegisterSetName {
    const char* name;
    bool isNumbered = true;  ///< the register's number follows; otherwise the set has one register
    bool isListed = true;    ///< otherwise it is shown only on request
};

class Architecture {
  public:
    virtual ~Architecture() = default;

    // Instructions.
    virtual unsigned bytesOf(std::uint64_t firstWord) const = 0;
    virtual Instruction decode(const std::array<std::uint64_t, 2>& words) const = 0;
    /// Nothing if breakpoints are set by address (Link::setBreakpoint).
    virtual std::optional<BreakpointCode> breakpointIn(const Instruction& instruction) const = 0;
    virtual std::string textOf(const Instruction& instruction) const = 0;

    // Registers, in the sets of zetDebugGetRegisterSetProperties.
    /// Indexed by the type of the set.
    virtual std::span<const RegisterSetName> setNames() const = 0;
    /// The most registers of a set that a thread can have; `usual`: as many as the device says.
    virtual std::uint32_t mostRegisters(std::uint32_t /*set*/, std::uint32_t usual) const { return usual; }
    /// A set that every stopped thread has.
    virtual std::uint32_t surestSet() const = 0;
    /// A register of a frame, by the name that users write after `$`; of one lane if each lane has its own. Throws
    /// Failure if there is no such register.
    virtual Value registerNamed(const std::string& name, const Inspector& inspector) const = 0;
    /// A register that a piece of a location names; nothing if it cannot be read.
    virtual std::optional<Bytes> readNumbered(StoppedThread& thread, unsigned number) const = 0;
    /// Throws Failure if it cannot be written.
    virtual void writeNumbered(StoppedThread& thread, unsigned number, const Bytes& value) const = 0;
    virtual unsigned numberedBits() const = 0;
    /// By which descriptions for gdb call the device's registers; empty if a stock gdb cannot show them.
    virtual std::string gdbFeature() const = 0;

    // Stopped threads.
    virtual std::uint64_t addressOf(StoppedThread& thread) const = 0;
    virtual Exceptions exceptionsOf(StoppedThread& thread) const = 0;
    /// The lanes that are active here, and those that the thread was started with.
    virtual std::uint32_t activeLanes(StoppedThread& thread) const = 0;
    virtual std::uint32_t dispatchedLanes(StoppedThread& thread) const = 0;
    virtual Triple groupOf(StoppedThread& thread) const = 0;
    /// `kernel`: the kernel that it executes; null if unknown.
    virtual WorkItems itemsOf(StoppedThread& thread, const KernelInfo* kernel, const Memory& memory) const = 0;
    /// What gives $local_x ("local", axis 0) and so on to each work-item of a kernel, where the thread stands; nothing
    /// if the device evaluates no conditions, or ids cannot be found so.
    virtual std::optional<Code> idCode(std::string_view /*which*/, std::size_t /*axis*/, StoppedThread& /*thread*/,
                                       const KernelInfo* /*kernel*/, const Memory& /*memory*/) const {
        return {};
    }
    /// The state of the image that the kernel was given as this argument; nothing if it is none, or cannot be read.
    virtual std::optional<isa::xe::SurfaceState> imageOf(StoppedThread& /*thread*/, const KernelInfo& /*kernel*/,
                                                         std::uint32_t /*argument*/, const Memory& /*memory*/) const {
        return {};
    }
    /// What it does when it is resumed: it executes its current instruction, even if there is a breakpoint, and then
    /// runs or stops again.
    virtual void prepare(StoppedThread& thread, bool stopAgain) const = 0;
    /// Whether resuming a thread to run, not to step, resumes all others, too.
    virtual bool runsAsAWhole() const = 0;

    /// Of Intel's GPUs; null for others.
    virtual const isa::xe::Architecture* machine() const { return nullptr; }

    // Memory and code.
    /// The meaning of an address in the compiler's data.
    virtual Address addressFrom(std::uint64_t tagged, StoppedThread& thread) const = 0;
    /// The base of the return addresses of calls.
    virtual std::uint64_t codeBase(StoppedThread& thread) const = 0;
    /// Null if functions save registers where expressions in .debug_frame say.
    virtual const LaneStack* laneStack() const { return nullptr; }
    /// Where a variable with a location is in a frame, for one lane; nothing if its location is an expression that
    /// evaluate() knows.
    virtual std::optional<VariablePlace> variablePlace(const Variable& /*variable*/, const Frame& /*frame*/,
                                                       StoppedThread& /*thread*/, unsigned /*lane*/) const {
        return {};
    }
    virtual Silence silence() const = 0;
    /// Null if a debugger cannot call functions of the program.
    virtual const CallConvention* callConvention() const { return nullptr; }
    /// For functions of this width. It calls the one whose address is in the convention's register for that, for the
    /// lanes of the first flag register.
    virtual CallCode callCode(unsigned /*width*/) const { return {}; }
    /// Describes the fault at which a thread stopped. `frame` is its innermost frame.
    virtual FaultReport reportFault(const Frame& frame, StoppedThread& thread, const Memory& memory,
                                    const Inspector& inspector) const = 0;
};

/// Intel's GPUs, and NVIDIA's from Volta on.
const Architecture& xe(const isa::xe::Architecture& architecture = isa::xe::kXeHpc);
const Architecture& cuda();
/// By the vendor's PCI id and, for Intel's, the version of the core (ze_device_ip_version_ext_t). A version that is
/// unknown or 0 is read as Xe-HPC. Null if the debugger does not know the vendor.
const Architecture* architectureOf(std::uint32_t vendor, std::uint32_t ipVersion);

}  // namespace zetl::debugger

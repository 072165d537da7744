// Intel's architectures. What differs between them is in isa/xe/architecture.h.
#pragma once

#include "core/architecture.h"
#include "isa/xe/architecture.h"

namespace zetl::debugger {

class Xe : public Architecture {
  public:
    explicit Xe(const isa::xe::Architecture& architecture) : architecture_(architecture) {}

    unsigned bytesOf(std::uint64_t firstWord) const override;
    Instruction decode(const std::array<std::uint64_t, 2>& words) const override;
    std::optional<BreakpointCode> breakpointIn(const Instruction& instruction) const override;
    std::string textOf(const Instruction& instruction) const override;

    std::span<const RegisterSetName> setNames() const override;
    std::uint32_t mostRegisters(std::uint32_t set, std::uint32_t usual) const override;
    std::uint32_t surestSet() const override;
    std::optional<Bytes> readNumbered(StoppedThread& thread, unsigned number) const override;
    void writeNumbered(StoppedThread& thread, unsigned number, const Bytes& value) const override;
    unsigned numberedBits() const override;
    Value registerNamed(const std::string& name, const Inspector& inspector) const override;
    std::string gdbFeature() const override;

    std::uint64_t addressOf(StoppedThread& thread) const override;
    Exceptions exceptionsOf(StoppedThread& thread) const override;
    std::uint32_t activeLanes(StoppedThread& thread) const override;
    std::uint32_t dispatchedLanes(StoppedThread& thread) const override;
    Triple groupOf(StoppedThread& thread) const override;
    WorkItems itemsOf(StoppedThread& thread, const KernelInfo* kernel, const Memory& memory) const override;
    std::optional<Code> idCode(std::string_view which, std::size_t axis, StoppedThread& thread,
                               const KernelInfo* kernel, const Memory& memory) const override;
    std::optional<isa::xe::SurfaceState> imageOf(StoppedThread& thread, const KernelInfo& kernel,
                                                 std::uint32_t argument, const Memory& memory) const override;
    void prepare(StoppedThread& thread, bool stopAgain) const override;
    bool runsAsAWhole() const override { return false; }

    Address addressFrom(std::uint64_t tagged, StoppedThread& thread) const override;
    std::uint64_t codeBase(StoppedThread& thread) const override;
    Silence silence() const override { return {}; }
    const isa::xe::Architecture* machine() const override { return &architecture_; }
    const CallConvention* callConvention() const override;
    CallCode callCode(unsigned width) const override;
    FaultReport reportFault(const Frame& frame, StoppedThread& thread, const Memory& memory,
                            const Inspector& inspector) const override;

  private:
    const isa::xe::Architecture& architecture_;
};

}  // namespace zetl::debugger

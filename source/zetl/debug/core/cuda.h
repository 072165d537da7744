// NVIDIA GPUs from Volta on. docs/reference/nvidia.md describes their registers.
#pragma once

#include "core/architecture.h"

namespace zetl::debugger {

class Cuda : public Architecture {
  public:
    unsigned bytesOf(std::uint64_t firstWord) const override;
    Instruction decode(const std::array<std::uint64_t, 2>& words) const override;
    std::optional<BreakpointCode> breakpointIn(const Instruction& instruction) const override;
    std::string textOf(const Instruction& instruction) const override;

    std::span<const RegisterSetName> setNames() const override;
    std::uint32_t surestSet() const override;
    std::optional<Bytes> readNumbered(StoppedThread& thread, unsigned number) const override;
    void writeNumbered(StoppedThread& thread, unsigned number, const Bytes& value) const override;
    unsigned numberedBits() const override;
    const LaneStack* laneStack() const override;
    std::optional<VariablePlace> variablePlace(const Variable& variable, const Frame& frame, StoppedThread& thread,
                                               unsigned lane) const override;
    Value registerNamed(const std::string& name, const Inspector& inspector) const override;
    std::string gdbFeature() const override { return {}; }

    std::uint64_t addressOf(StoppedThread& thread) const override;
    Exceptions exceptionsOf(StoppedThread& thread) const override;
    std::uint32_t activeLanes(StoppedThread& thread) const override;
    std::uint32_t dispatchedLanes(StoppedThread& thread) const override;
    Triple groupOf(StoppedThread& thread) const override;
    WorkItems itemsOf(StoppedThread& thread, const KernelInfo* kernel, const Memory& memory) const override;
    void prepare(StoppedThread& thread, bool stopAgain) const override;
    bool runsAsAWhole() const override { return true; }

    Address addressFrom(std::uint64_t address, StoppedThread& thread) const override;
    std::uint64_t codeBase(StoppedThread&) const override { return 0; }
    Silence silence() const override;
    FaultReport reportFault(const Frame& frame, StoppedThread& thread, const Memory& memory,
                            const Inspector& inspector) const override;
};

}  // namespace zetl::debugger

// Which lanes a step reaches, as isa/step.h defines it: in general registers and in k1.
#pragma once

#include <optional>

#include "emulator/translate/held/host_types.h"
#include "emulator/translate/held/mirrors.h"
#include "emulator/translate/held/register_cache.h"

namespace zetl::emulator::translate {

class Masks {
  public:
    /// `body`: number of the body that is emitted.
    Masks(HostAssembler& to, RegisterCache& cache, Mirrors& mirrors, const std::uint8_t& body)
        : a_(to), cache_(cache), mirrors_(mirrors), body_(body) {}

    /// The lanes that are on, if the body implies them; else 0.
    std::uint32_t knownActive() const;
    /// The lanes that the mask selects, if they are the same whenever the step runs.
    std::optional<std::uint32_t> constantLanes(const isa::LaneMask& mask) const;
    /// The bytes of the selected elements, if they are always the same, the lowest, and one store; else 0.
    std::uint32_t lowestBytes(const isa::LaneMask& mask, std::uint32_t element) const;
    static bool isSame(const isa::LaneMask& a, const isa::LaneMask& b);

    /// The selected lanes, in a general register.
    void lanesTo(const Gp& out, const isa::LaneMask& mask);
    /// The same without the predicate.
    void enabledTo(const Gp& out, const isa::LaneMask& mask);
    /// The lanes that the predicate selects.
    void predicateTo(const Gp& out, const isa::LaneMask& mask);
    /// The same, in a mirror or in eax.
    Gp selected(const isa::LaneMask& mask);
    /// The lanes that a predicate selects, in a mask.
    KReg selectedMask(const isa::LaneMask& mask);

    /// Sets k1 to lanesOn() of the mask.
    void setLanes(const isa::LaneMask& mask);
    /// The part of k1 for one vector.
    KReg lanesOf(std::uint32_t vector, std::uint32_t lanesPerVector);
    /// Call it when something else is in k2.
    void forgetShifted() { shifted_ = 0; }
    void forgetLanes() {
        lanes_.reset();
        shifted_ = 0;
        a_.forgetLanes();
        mirrors_.forgetMasks();
    }
    /// Call it when flags have changed.
    void forgetPredicated();

    // Bits of a comparison become flags of the lanes that are on.
    /// Whether a step with this mask writes all bits of its flag.
    bool isWholeFlag(const isa::LaneMask& mask) const;
    /// Where the bits are made.
    KReg flagMask(const isa::LaneMask& mask) const;
    /// The bits are in ecx.
    void mergeFlags(const Step& m);
    void mergeFlags(const Step& m, const KReg& bits);

  private:
    void combineFlags(const isa::LaneMask& mask);
    static bool isPlain(const isa::LaneMask& mask);

    HostAssembler& a_;
    RegisterCache& cache_;
    Mirrors& mirrors_;
    const std::uint8_t& body_;
    std::optional<isa::LaneMask> lanes_;  ///< lanes in k1
    std::uint32_t shifted_ = 0;           ///< how many lanes of k1 are before those of k2; 0: k2 holds anything
};

}  // namespace zetl::emulator::translate

// What host code keeps in registers of the host and at home as well: from block to block the lanes that are on, within
// a block flags.
#pragma once

#include <array>
#include <optional>

#include "emulator/isa/state_layout.h"
#include "emulator/translate/held/host_types.h"
#include "emulator/translate/held/register_cache.h"

namespace zetl::emulator::translate {

class Mirrors {
  public:
    Mirrors(HostAssembler& to, RegisterCache& cache) : a_(to), cache_(cache) {}

    /// Called at entries and behind calls.
    void load();
    void setActive(const Gp& lanes);

    /// For f0 to f3.
    bool isFlagHeld(std::uint32_t number) const;
    void flagTo(const Gp& out, std::uint32_t number);
    void setFlag(std::uint32_t number, const Gp& value);
    /// The place of the flag from now on, for callers that set it.
    static Gp flagMirror(std::uint32_t number);
    void forgetFlags() {
        flagsHeld_ = {};
        forgetMasks();
    }

    /// The mask register in which the bits of a whole flag may stay.
    static KReg maskHome(std::uint32_t number);
    /// The mask has this flag's bits from now on, if it is one that stays.
    void holdMask(std::uint32_t number, const KReg& mask);
    /// The mask that has this flag's bits now, if one does.
    std::optional<KReg> heldMask(std::uint32_t number) const;
    void forgetMasks() { flagMasks_ = {}; }

  private:
    /// The content of a mask that stays.
    struct FlagMask {
        std::uint32_t flag = 0;
        std::optional<std::uint32_t> held;  ///< as flagsHeld_
    };

    HostAssembler& a_;
    RegisterCache& cache_;
    /// By flag register: RegisterCache::flagChanges() when its mirror was right.
    std::array<std::optional<std::uint32_t>, isa::layout::kFlagRegisters> flagsHeld_{};
    std::array<FlagMask, 2> flagMasks_{};
};

}  // namespace zetl::emulator::translate

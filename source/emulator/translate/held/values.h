// Lanes of steps as values in registers of the host: read from where they are, written to where they belong.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <vector>

#include "emulator/translate/held/host_types.h"
#include "emulator/translate/held/masks.h"
#include "emulator/translate/held/mirrors.h"
#include "emulator/translate/held/register_cache.h"
#include "emulator/translate/plan/step_meaning.h"

namespace zetl::emulator::translate {

class Values {
  public:
    /// A value of the current line that lies elsewhere than in vectors of the working space: one that all lanes have in
    /// common, or the lanes as they are.
    struct Shared {
        std::uint32_t where;  ///< place in the working space
        std::uint32_t vectors;
        std::uint32_t place;
        std::uint32_t bytes;
        bool all = true;             ///< all lanes have the same value
        std::uint32_t negative = 0;  ///< the bytes of a real whose sign is the other, in each lane
    };

    Values(HostAssembler& to, RegisterCache& cache, Mirrors& mirrors, Masks& masks)
        : a_(to), cache_(cache), mirrors_(mirrors), masks_(masks) {}

    /// A vector of a source, or its one lane: where it is held, or in that temporary register.
    Vec source(std::uint64_t where, std::uint32_t vector, const Meaning& what, std::uint32_t number);
    /// The same if only so many low bytes are used, or all (0).
    Vec lowOf(std::uint64_t where, const Meaning& what, std::uint32_t number, std::uint32_t bytes);
    /// Writes a result, or the lanes of it that are on.
    void writeVector(std::uint32_t place, std::uint32_t vector, Vec value, const Meaning& what, bool masked);
    /// The register that holds a vector of a destination, to be computed in, if there is one that none of these
    /// operands is in.
    std::optional<Zmm> resultRegister(std::uint32_t where, std::uint32_t vector, const Meaning& what,
                                      std::initializer_list<Vec> operands = {});
    /// A constant in all lanes.
    void broadcast(Vec d, std::uint64_t bits, std::uint32_t laneBytes);

    // Values that lie elsewhere.
    /// A constant with nothing but the sign of each real of so many bytes.
    Zmm signs(std::uint32_t bytes);
    void share(const Shared& value) { shared_.push_back(value); }
    bool isShared(std::uint64_t where) const;
    /// An element of a register in all lanes.
    Zmm sharedLane(std::uint32_t place, std::uint32_t bytes);
    /// Makes them vectors after all, for a step that is called.
    void storeShared();
    void forgetShared() { shared_.clear(); }

    // Single numbers.
    /// A number at home: a register that has it, or memory.
    asmjit::Operand singleAt(std::uint32_t place, std::uint32_t bytes);
    void storeSingle(std::uint32_t place, std::uint32_t bytes, const Gp& value);

    /// While one lives, other code keeps numbers in general registers, and no step uses one of these for an
    /// intermediate value.
    class Lease {
      public:
        explicit Lease(bool& lent) : lent_(lent) { lent_ = true; }
        ~Lease() { lent_ = false; }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

      private:
        bool& lent_;
    };
    [[nodiscard]] Lease lendGenerals() { return Lease(generalsAreLent_); }
    bool areGeneralsLent() const noexcept { return generalsAreLent_; }

    /// Sixteen bytes that were stored at once: a wider load of two of them would wait.
    void notePart(std::uint32_t place) { parts_[part_++ % parts_.size()] = place; }
    bool isPart(std::uint32_t place) const;

  private:
    std::optional<Xmm> laneOfHeld(std::uint32_t place, std::uint32_t laneBytes, const Xmm& to);
    void keepLane(std::uint32_t place, std::uint32_t bytes, const Xmm& value);
    bool isOfHalves(std::uint32_t place) const;
    asmjit::Operand laneAt(std::uint32_t place, std::uint32_t bytes);
    Zmm sharedVector(const Shared& s, std::uint32_t vector, std::uint32_t number);
    void joinHalves(const Gp& to, std::uint32_t place);

    HostAssembler& a_;
    RegisterCache& cache_;
    Mirrors& mirrors_;
    Masks& masks_;
    std::vector<Shared> shared_;
    std::array<std::uint32_t, 16> dwordLanes_{};  ///< places where lanes of 32 bits were stored last
    std::uint32_t dwordLane_ = 0;                 ///< the oldest of them
    std::array<std::uint32_t, 8> parts_{};        ///< the same for pieces of sixteen bytes
    std::uint32_t part_ = 0;
    bool generalsAreLent_ = false;
};

}  // namespace zetl::emulator::translate

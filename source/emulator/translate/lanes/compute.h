// Arithmetic on lanes: rows of isa/steps, selections by flags, modifiers and saturation.
#pragma once

#include <optional>

#include "emulator/translate/held/part.h"
#include "emulator/translate/lanes/flags.h"

namespace zetl::emulator::translate {

class Arithmetic : Part {
  public:
    Arithmetic(HostCode& host, Comparisons& comparisons) : Part(host), comparisons_(comparisons) {}

    bool compute(const Step& m, const Meaning& what);
    bool pick(const Step& m, const Meaning& what);
    /// A selection that takes the same source for all lanes.
    bool pickOne(const Step& m, const Meaning& what, std::uint8_t source);
    bool modify(const Step& m, const Meaning& what);
    bool clamp(const Step& m, const Meaning& what);

  private:
    /// The operands of a row, as many as it has, and the place of its result.
    struct Operands {
        Vec d;
        Vec x;
        Vec y;
        Vec z;
        std::uint32_t vector;
        std::optional<KReg> mask;  ///< lanes that are written; rows of one instruction only
    };
    bool row(const Step& m, const Meaning& what, const Operands& o);
    bool shiftByConstant(const Step& m, const Meaning& what, const Operands& o);
    void shift(InstId id, const Operands& o, std::uint32_t laneBytes);
    void select(const Meaning& what, const Operands& o, bool greater);
    void selectByCondition(const Step& m, const Meaning& what, const Operands& o);
    void addUpperProduct(InstId down, const Operands& o, bool narrow);
    void addByteProducts(const Operands& o, std::uint8_t areSigned);
    void average(InstId down, const Operands& o);
    void carry(const Operands& o, bool borrows);
    void inverseRoot(const Operands& o, bool single);

    Comparisons& comparisons_;
};

}  // namespace zetl::emulator::translate

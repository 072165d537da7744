// Lines of single numbers, in general registers: one lane, or a comparison of what all lanes share.
#pragma once

#include <span>

#include "emulator/translate/held/part.h"
#include "emulator/translate/lanes/current_product.h"

namespace zetl::emulator::translate {

class Singles : Part {
  public:
    Singles(HostCode& host, CurrentProduct& product) : Part(host), product_(product) {}

    std::uint32_t emit(std::span<const Step> steps);
    /// The same of the steps before the access of a message by one lane, whose address they compute at home.
    std::uint32_t emitAddress(std::span<const Step> line);

  private:
    class Known;
    bool areSingles(std::span<const Step> steps) const;
    static bool isSingle(const Step& m, const Meaning& what, Known& values);
    static bool loadsSingle(const Step& m, const Meaning& what, Known& values);
    void emitSingle(const Step& m, const Meaning& what, Known& values);
    asmjit::Operand single(std::uint64_t where, std::uint32_t bytes, Known& values);
    Gp singleInRegister(std::uint64_t place, Known& values);
    Gp resultOfSingle(const Step& m, const Meaning& what, Known& values);
    void singleTo(const Gp& to, std::uint64_t where, Known& values);
    void extendTo(const Gp& to, const asmjit::Operand& from, isa::DataType type);
    Gp takeSingleFor(std::span<const std::uint64_t> sources, Known& values);
    void extendSingle(const Gp& value, isa::DataType type);
    void loadSingle(const Step& m, const Meaning& what, Known& values);
    void modifySingle(const Step& m, const Meaning& what, Known& values);
    void computeSingle(const Step& m, const Meaning& what, Known& values);
    void extremeSingle(const Gp& d, const Step& m, const Meaning& what, Known& values);
    void multiplySingle(const Gp& result, const Step& m, const Meaning& what, Known& values);
    void combineSingle(InstId inst, const Gp& d, const asmjit::Operand& y);
    void shiftSingle(InstId inst, const Step& m, std::uint32_t bytes, Known& values);
    void keepSingle(const Step& m, std::uint32_t bytes, const Gp& result, Known& values);
    void pickSingle(const Step& m, const Meaning& what, Known& values);
    void compareSingle(const Step& m, const Meaning& what, Known& values);
    void retireSingle(const Step& m, const Meaning& what, Known& values);

    CurrentProduct& product_;
};

}  // namespace zetl::emulator::translate

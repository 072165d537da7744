// The product of dwords whose lines are being emitted, if they are: its second line computes it all, and steps whose
// results nobody reads are left out (plan/products.h).
#pragma once

#include <optional>
#include <span>

#include "emulator/translate/held/part.h"
#include "emulator/translate/lanes/compute.h"
#include "emulator/translate/plan/products.h"
#include "emulator/translate/plan/survey.h"

namespace zetl::emulator::translate {

class CurrentProduct : Part {
  public:
    CurrentProduct(HostCode& host, Arithmetic& arithmetic) : Part(host), arithmetic_(arithmetic) {}

    /// Call it before the first line of a body.
    void expect(AccumulatorReaders readers) noexcept { readers_ = readers; }
    /// Looks for a product that begins with the line. `may`: lines may be left out.
    void plan(Line line, const Survey& survey, bool may);
    std::uint32_t emitOfProduct(std::span<const Step> steps);
    bool isFirstLeftOut(const Step& m) const;
    bool isLeftOut(const Step& m) const;
    std::optional<Meaning> meaningOf(const Step& m) const;

  private:
    bool isWhole(const Step& m) const;
    bool isBehind(const Step& m, std::ptrdiff_t by) const;

    Arithmetic& arithmetic_;
    AccumulatorReaders readers_ = AccumulatorReaders::anybody;
    std::optional<Product> product_;  ///< product of this line and the next, or the one before
};

}  // namespace zetl::emulator::translate

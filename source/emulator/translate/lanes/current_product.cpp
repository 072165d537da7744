// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/lanes/current_product.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;

/// Looks for a product that begins with the line. Lines that are reported stay as they are.
void CurrentProduct::plan(Line line, const Survey& survey, bool may) {
    if (product_ && product_->second == line) return;
    product_ = host_.ended || !may ? std::nullopt : productFrom(code_, survey, host_.body, line, readers_);
}

/// How many of the steps, which are the rest of a line of a product, are done, or need not be.
std::uint32_t CurrentProduct::emitOfProduct(std::span<const Step> steps) {
    if (!product_) return 0;
    const Step& m = steps.front();
    if (isFirstLeftOut(m)) return static_cast<std::uint32_t>(steps.size());
    if (isLeftOut(m)) return 1;
    return isWhole(m) && arithmetic_.compute(m, *meaningOf(m)) ? 1 : 0;
}

/// The line that multiplies words, for an accumulator that is not read.
bool CurrentProduct::isFirstLeftOut(const Step& m) const {
    return product_ && m.line != product_->second && !product_->needsFirst;
}

/// Steps that store an accumulator that is not read.
bool CurrentProduct::isLeftOut(const Step& m) const {
    if (!product_ || !product_->high || product_->needsSecond) return false;
    return isBehind(m, 1) || (product_->stores == 2 && isBehind(m, 2));
}

bool CurrentProduct::isWhole(const Step& m) const { return product_ && isBehind(m, 0); }

bool CurrentProduct::isBehind(const Step& m, std::ptrdiff_t by) const {
    return &m - (code_.body[host_.body].steps.data() + product_->step) == by;
}

/// What a step is, or is instead where it is the row of a product.
std::optional<Meaning> CurrentProduct::meaningOf(const Step& m) const {
    const Meaning* const what = host_.meaningOf(m);
    if (what == nullptr) return {};
    Meaning whole = *what;
    if (isWhole(m)) whole.row = product_->row;
    return whole;
}

}  // namespace zetl::emulator::translate

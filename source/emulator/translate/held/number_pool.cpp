// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/held/number_pool.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;

/// Sixteen numbers behind the code.
Mem NumberPool::of(const Numbers& list) {
    auto& label = labels_[list];
    if (!label.isValid()) label = a_.newLabel();
    return ptr(label, 0, sizeof list);
}

void NumberPool::embed() {
    if (labels_.empty()) return;
    a_.align(asmjit::AlignMode::kZero, sizeof(Numbers));
    for (const auto& [list, label] : labels_) {
        a_.bind(label);
        a_.embed(list.data(), sizeof list);
    }
}

}  // namespace zetl::emulator::translate

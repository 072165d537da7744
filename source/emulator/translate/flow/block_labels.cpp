// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/flow/block_labels.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;

const Step* BlockLabels::stepAt(std::uint8_t body, Line line) const {
    const auto& b = code_.body[body];
    return b.steps.data() + b.start[line];
}

asmjit::Label BlockLabels::of(std::uint8_t body, Line line) {
    auto& label = labels_[{body, code_.body[body].start[line]}];
    if (label.isValid()) return label;
    label = a_.newLabel();
    a_.beginsBlock(label);
    return label;
}

void BlockLabels::bindOthers() {
    for (const auto& [place, label] : labels_) {
        if (a_.code()->isLabelBound(label)) continue;
        a_.bind(label);
        host_.leaveAt(code_.body[place.first].steps.data() + place.second);
    }
}

}  // namespace zetl::emulator::translate

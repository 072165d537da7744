#include "emulator/translate/plan/step_meaning.h"

#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

std::uint32_t elementBytes(const isa::LaneAccess::Form& form) {
    switch (form.data) {
        case isa::lsc::kD8InDword:
            return 1;
        case isa::lsc::kD16InDword:
            return 2;
        case isa::lsc::kD32:
            return 4;
        case isa::lsc::kD64:
            return 8;
        default:
            return 0;
    }
}

}  // namespace zetl::emulator::translate

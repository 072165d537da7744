#include "isa/xe/instruction.h"

namespace zetl::isa::xe {

const char* messageName(SharedFunction function) noexcept {
    constexpr const char* names[] = {"send.null", "send.ugml", "send.smpl", "send.gtwy", "send.dc2", "send.rc",
                                     "send.urb",  "send.btd",  "send.rta",  "send.dcro", "send.dc0", "send.pixi",
                                     "send.dc1",  "send.tgm",  "send.slm",  "send.ugm"};
    return names[static_cast<int>(function) & 15];
}

}  // namespace zetl::isa::xe

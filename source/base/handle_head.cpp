#include "base/handle_head.h"

namespace zetl {

HandleHead& handleHead() noexcept {
    static constinit HandleHead head{};
    return head;
}

}  // namespace zetl

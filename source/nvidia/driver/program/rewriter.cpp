#include "nvidia/driver/program/rewriter.h"

#include "base/never_destroyed.h"
#include "base/synchronized.h"

namespace zetl::nvidia {
namespace {

Synchronized<Rewriter>& present() {
    static NeverDestroyed<Synchronized<Rewriter>> rewriter;
    return *rewriter;
}

}  // namespace

void setRewriter(Rewriter rewriter) {
    present().write([&](Rewriter& now) { now = std::move(rewriter); });
}

Bytes rewritten(Device& device, Bytes image) {
    auto changed = present().read(
        [&](const Rewriter& rewriter) { return rewriter ? rewriter(device, image) : std::optional<Bytes>(); });
    return changed ? *std::move(changed) : std::move(image);
}

}  // namespace zetl::nvidia

#include "debug/admission.h"

#include <utility>

#include "base/log.h"

namespace zetl::debug {

zetl_status_t Admission::challenge(const Nonce& cookie, wire::Challenge& where) {
    if (asked_) return ZETL_MISUSE;
    if (!fillRandom(proof_.secret)) {
        log::warn(log::Channel::debug, "debugger refused: the kernel gives no random bytes (getrandom); try later");
        return ZETL_NOT_READY;
    }
    proof_.cookie = cookie;
    proof_.magic = Proof::kMagic;
    asked_ = true;
    where.address = reinterpret_cast<std::uint64_t>(&proof_);
    return ZETL_OK;
}

bool Admission::accepts(const wire::Message& answer) {
    const auto secret = wire::payloadOf<Nonce>(answer);
    const bool right = std::exchange(asked_, false) && secret && *secret == proof_.secret;
    proof_ = {};
    return right;
}

}  // namespace zetl::debug

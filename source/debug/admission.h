// The agent's side of verifying a debugger (proof.h).
#pragma once

#include "debug/wire.h"

namespace zetl::debug {

/// For one connection. It must not move, because the debugger reads it out of this process.
class Admission {
  public:
    Admission() = default;
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;

    /// Sets the proof up. NOT_READY if the kernel gives no secret.
    zetl_status_t challenge(const Nonce& cookie, wire::Challenge& where);
    /// True if the answer is the secret. There is one try; the proof is gone afterwards.
    bool accepts(const wire::Message& answer);

  private:
    Proof proof_{};
    bool asked_ = false;
};

}  // namespace zetl::debug

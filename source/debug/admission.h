// The agent's side of making sure of a debugger (proof.h).
#pragma once

#include "debug/wire.h"

namespace zetl::debug {

/// For one connection; stays where it is, because the debugger reads it out of this process.
class Admission {
  public:
    Admission() = default;
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;

    /// Lays the proof out. NOT_READY if the kernel gives no secret.
    zetl_status_t challenge(const Nonce& cookie, wire::Challenge& where);
    /// True if that is the secret. One try; the proof is gone afterwards.
    bool accepts(const wire::Message& answer);

  private:
    Proof proof_{};
    bool asked_ = false;
};

}  // namespace zetl::debug

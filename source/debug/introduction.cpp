#include "debug/introduction.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "debug/log_channel.h"
#include "device/status.h"

namespace zetl::debug {
namespace {

zetl_status_t unreadable(pid_t process, int error) {
    if (error == ESRCH) return ZETL_LOST;
    log::warn(kLog,
              "attach to {} refused: the kernel does not let this process trace it ({}). ptrace(2) names what it asks "
              "for: the same user and group, a dumpable program, no more capabilities than the debugger, and "
              "kernel.yama.ptrace_scope 0, or a debugger that started it; or CAP_SYS_PTRACE",
              process, std::strerror(error));
    return ZETL_NEEDS_PRIVILEGE;
}

/// Sends requests to the agent and waits for its answers, in turn.
class Introduction {
  public:
    Introduction(int socket, pid_t process) : socket_(socket), process_(process) {}

    zetl_status_t hello(const device::Uuid& device, wire::Challenge& challenge) {
        wire::Hello hello;
        std::copy(device.begin(), device.end(), hello.uuid);
        if (!fillRandom(cookie_)) return ZETL_NOT_READY;
        hello.cookie = cookie_;
        wire::Message answer;
        if (const auto status = exchange(wire::Kind::hello, wire::bytesOf(hello), answer); status != ZETL_OK)
            return status;
        const auto payload = wire::payloadOf<wire::Challenge>(answer);
        if (!payload) return nonsense("challenge");
        challenge = *payload;
        return ZETL_OK;
    }

    zetl_status_t prove(const wire::Challenge& challenge) {
        Proof proof{};
        if (const int error = readProof(process_, challenge.address, proof); error != 0 && error != EFAULT)
            return unreadable(process_, error);
        if (proof.magic != Proof::kMagic || proof.cookie != cookie_) {
            log::warn(kLog, "attach to {} refused: another process poses as its debug agent", process_);
            return ZETL_NEEDS_PRIVILEGE;
        }
        wire::Message answer;
        return exchange(wire::Kind::proof, wire::bytesOf(proof.secret), answer);
    }

  private:
    zetl_status_t nonsense(const char* what) const {
        log::warn(kLog, "attach to {} refused: its agent sent no proper {}", process_, what);
        return ZETL_LOST;
    }

    /// An agent that runs out of memory or patience closes, and may be asked again.
    zetl_status_t closed() const {
        const bool lives = kill(process_, 0) == 0 || errno == EPERM;
        log::warn(kLog, "attach to {}: {}", process_, lives ? "its agent hung up; try again" : "the process ended");
        return lives ? ZETL_NOT_READY : ZETL_LOST;
    }

    zetl_status_t exchange(wire::Kind kind, std::vector<std::byte> payload, wire::Message& answer) {
        wire::Message request;
        request.head.kind = kind;
        request.head.sequence = ++sequence_;
        request.payload = std::move(payload);
        wire::send(socket_, request);  // an agent that closes has perhaps answered before: the answer tells
        switch (wire::receive(socket_, answer, wire::Clock::now() + wire::kAnswerLimit)) {
            case wire::Received::message:
                break;
            case wire::Received::nothing:
                log::warn(kLog, "attach to {}: its agent does not answer; is the process stopped, or out of files?",
                          process_);
                return ZETL_NOT_READY;
            case wire::Received::closed:
                return closed();
            case wire::Received::malformed:
                return nonsense("answer");
        }
        if (answer.head.kind != wire::Kind::reply || answer.head.sequence != sequence_) return nonsense("answer");
        const auto status = wire::statusOf(answer);
        if (status != ZETL_OK)
            log::warn(kLog, "attach to {} refused by its agent: {}", process_, device::nameOf(status));
        return status;
    }

    const int socket_;
    const pid_t process_;
    Nonce cookie_{};
    std::uint32_t sequence_ = 0;
};

}  // namespace

zetl_status_t introduce(int socket, pid_t process, const device::Uuid& device) {
    Introduction introduction(socket, process);
    wire::Challenge challenge;
    if (const auto status = introduction.hello(device, challenge); status != ZETL_OK) return status;
    return introduction.prove(challenge);
}

}  // namespace zetl::debug

// How agent and debugger verify each other: by memory that only a process that may trace the debuggee can read.
//
// The debugger sends a cookie. The agent writes a record into its own memory: the cookie, and a secret of its own, and
// sends the record's address. The debugger reads the record out of the process that it wants to debug, finds its
// cookie, and sends the secret back. So the kernel decides who may debug whom, by all that it considers for ptrace(2):
// users, groups and capabilities in their namespaces, PR_SET_DUMPABLE, Yama, other security modules. And the debugger
// knows that it talks to the right process, since no other could put the cookie there. Neither depends on pids.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::debug {

using Nonce = std::array<std::byte, 32>;

/// In the memory of the agent's process, one per connection.
struct Proof {
    std::array<char, 16> magic;
    Nonce cookie;
    Nonce secret;

    static constexpr std::array<char, 16> kMagic = {'z', 'e', '-', 't', 'o', 'o', 'l', 's',
                                                    '-', 'd', 'e', 'b', 'u', 'g', '-', '2'};
};

/// Random bytes; false if the kernel gives none.
bool fillRandom(Nonce& nonce);

/// Reads a proof out of a process. Returns 0, or the errno with which the kernel refused. Needs permission to trace the
/// process (ptrace(2), PTRACE_MODE_ATTACH_REALCREDS); does not stop or trace it.
int readProof(pid_t process, std::uint64_t address, Proof& proof);

}  // namespace zetl::debug

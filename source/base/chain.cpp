#include "base/chain.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace zetl {
namespace {

/// Asks the kernel, which returns an error for an address that is not mapped instead of raising a signal. If a sandbox
/// forbids the system call, every address counts as readable.
bool readable(const void* address) noexcept {
    ChainLink copy;
    const iovec local{&copy, sizeof copy};
    const iovec remote{const_cast<void*>(address), sizeof copy};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(sizeof copy) ||
           errno == EPERM || errno == ENOSYS;
}

}  // namespace

ChainLink* linkAt(const void* address, const ChainReader& reader) noexcept {
    if (!address) return nullptr;
    const bool aligned = reinterpret_cast<std::uintptr_t>(address) % alignof(ChainLink) == 0;
    if (aligned && readable(address)) return static_cast<ChainLink*>(const_cast<void*>(address));
    log::warn(reader.log, "{}: pNext {} is no address of a struct; the chain ends there", reader.function, address);
    return nullptr;
}

}  // namespace zetl

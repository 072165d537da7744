#include "debug/proof.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_descriptor.h"

namespace zetl::debug {
namespace {

/// The same permission by another way, for sandboxes whose filter knows no process_vm_readv.
int readByFile(pid_t process, std::uint64_t address, Proof& proof) {
    const FileDescriptor memory(open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC));
    if (!memory) return errno;
    const auto got = pread64(memory.get(), &proof, sizeof proof, static_cast<off64_t>(address));
    if (got == ssize_t{sizeof proof}) return 0;
    return got < 0 ? errno : EFAULT;
}

}  // namespace

bool fillRandom(Nonce& nonce) {
    return getrandom(nonce.data(), nonce.size(), GRND_NONBLOCK) == static_cast<ssize_t>(nonce.size());
}

int readProof(pid_t process, std::uint64_t address, Proof& proof) {
    iovec here{&proof, sizeof proof};
    iovec there{reinterpret_cast<void*>(address), sizeof proof};
    const auto got = process_vm_readv(process, &here, 1, &there, 1, 0);
    if (got == ssize_t{sizeof proof}) return 0;
    if (got >= 0) return EFAULT;
    if (errno != EPERM && errno != ENOSYS) return errno;
    return readByFile(process, address, proof);
}

}  // namespace zetl::debug

#include "core/address.h"

namespace zetl::debugger {

std::optional<Bytes> readAny(const Memory& memory, StoppedThread& thread, std::uint64_t tagged, std::size_t bytes) {
    const auto address = thread.architecture().addressFrom(tagged, thread);
    if (address.space == Address::Space::local) return memory.readLocal(thread.id(), address.offset, bytes);
    return memory.read(address.offset, bytes);
}

bool writeAny(Memory& memory, StoppedThread& thread, std::uint64_t tagged, const Bytes& data) {
    const auto address = thread.architecture().addressFrom(tagged, thread);
    if (address.space == Address::Space::local) return memory.writeLocal(thread.id(), address.offset, data);
    return memory.write(address.offset, data);
}

}  // namespace zetl::debugger

#include "emulator/peers/device_readers.h"

#include <algorithm>
#include <new>

namespace zetl::emulator::peers {

bool DeviceReaders::knows(const std::string& name) const noexcept {
    return std::ranges::any_of(readers_, [&](const auto& reader) { return reader->name == name; });
}

void DeviceReaders::add(const std::string& name, FileDescriptor socket) {
    const int connection = socket.get();
    std::unique_ptr<Reader> reader(new Reader{name, endpoint::UnsharedDescriptor(std::move(socket))});
    readers_.reserve(readers_.size() + 1);
    try {
        if (readers_.empty()) begin();
        if (welcome(name, connection)) readers_.push_back(std::move(reader));
    } catch (const std::bad_alloc&) {
        if (readers_.empty()) end();
        throw;
    }
    if (readers_.empty()) end();
}

void DeviceReaders::remove(const std::string& name) noexcept {
    std::erase_if(readers_, [&](const auto& reader) { return reader->name == name; });
    forget(name);
    if (readers_.empty()) end();
}

}  // namespace zetl::emulator::peers

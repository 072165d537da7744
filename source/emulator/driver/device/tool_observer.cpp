#include "emulator/driver/device/tool_observer.h"

#include "base/never_destroyed.h"
#include "base/synchronized.h"

namespace zetl::emulator::driver {
namespace {

Synchronized<std::shared_ptr<ToolObserver>>& current() {
    static NeverDestroyed<Synchronized<std::shared_ptr<ToolObserver>>> observer;
    return *observer;
}

}  // namespace

void setToolObserver(std::shared_ptr<ToolObserver> observer) {
    current().write([&](auto& held) { held.swap(observer); });
}

std::shared_ptr<ToolObserver> toolObserver() {
    return current().read([](const auto& held) { return held; });
}

std::atomic<bool>& commandsFollowed() noexcept {
    static std::atomic<bool> followed{false};
    return followed;
}

}  // namespace zetl::emulator::driver

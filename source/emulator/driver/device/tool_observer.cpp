#include "emulator/driver/device/tool_observer.h"

#include "base/synchronized.h"

namespace zetl::emulator::driver {
namespace {

Synchronized<std::shared_ptr<ToolObserver>>& current() {
    static auto* const observer = new Synchronized<std::shared_ptr<ToolObserver>>;
    return *observer;
}

}  // namespace

void setToolObserver(std::shared_ptr<ToolObserver> observer) {
    current().write([&](auto& held) { held.swap(observer); });
}

std::shared_ptr<ToolObserver> toolObserver() {
    return current().read([](const auto& held) { return held; });
}

}  // namespace zetl::emulator::driver

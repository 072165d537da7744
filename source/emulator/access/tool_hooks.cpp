#include "emulator/access/tool_hooks.h"

#include <cstdlib>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "emulator/access/command_streams.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/image_kind.h"
#include "emulator/access/target.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/peers/counting_service.h"
#include "provider/image.h"

namespace zetl::emulator::access {
namespace {

struct Rewriter {
    zetl_rewriter_t function = nullptr;
    void* user = nullptr;
};

Synchronized<Rewriter>& rewriter() {
    static NeverDestroyed<Synchronized<Rewriter>> value;
    return *value;
}

using Counting = std::unique_ptr<peers::CountingService>;

/// From the first queue on, before anything can be launched. Never ended: the process may launch until it is gone.
void countForOthers() {
    static NeverDestroyed<Counting> service(peers::CountingService::start(driver::platform()));
    [[maybe_unused]] static const bool leaves = std::atexit([] {
                                                    if (const Counting& counting = *service) counting->leave();
                                                }) == 0;
}

class Hooks final : public driver::ToolObserver {
  public:
    void queueCreated(driver::Device& device) override {
        countForOthers();
        Targets::instance().queueCreated(device);
    }
    void queueDestroyed(driver::Device& device) override { Targets::instance().queueDestroyed(device); }
    void moduleCreated(driver::Module& module) override { Targets::instance().moduleCreated(module); }
    void moduleDestroyed(driver::Module& module) override { Targets::instance().moduleDestroyed(module); }
    void launching(driver::Module& module) override { Targets::instance().waitWhileHeld(module.id()); }
    void transferFault(driver::Device& device, std::uint64_t address, bool write, bool forbidden) override {
        Targets::instance().transferFault(device, address, write, forbidden);
    }
    void commandExecuted(driver::Device& device, const driver::ExecutedCommand& command) noexcept override {
        CommandStreams::instance().executed(device, command);
    }
    std::optional<std::vector<std::uint8_t>> rewrite(driver::Device& device,
                                                     std::span<const std::uint8_t> binary) override {
        return rewriter().read([&](const Rewriter& it) -> std::optional<std::vector<std::uint8_t>> {
            if (!it.function) return std::nullopt;
            return provider::rewritten(it.function, it.user, idOf(device), kindOf(binary), binary);
        });
    }
};

}  // namespace

void followDriver() { driver::setToolObserver(std::make_shared<Hooks>()); }

void setRewriter(zetl_rewriter_t function, void* user) {
    rewriter().write([&](Rewriter& it) { it = {function, user}; });
}

}  // namespace zetl::emulator::access

#include "emulator/driver/program/printf_output.h"

#include <atomic>
#include <cstdio>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "base/write_signals.h"

namespace zetl::emulator::driver {
namespace {

std::atomic<bool> hasText{false};

Synchronized<std::string>& kept() {
    static NeverDestroyed<Synchronized<std::string>> text;
    return *text;
}

}  // namespace

void keepPrintf(std::string text) {
    if (text.empty()) return;
    kept().write([&](std::string& all) { all += text; });
    hasText.store(true, std::memory_order_release);
}

void flushPrintf() noexcept {
    if (!hasText.exchange(false, std::memory_order_acquire)) return;
    const WriteSignalsHeld held;
    kept().write([](std::string& all) {
        std::fwrite(all.data(), 1, all.size(), stdout);
        std::fflush(stdout);
        all.clear();
    });
}

}  // namespace zetl::emulator::driver

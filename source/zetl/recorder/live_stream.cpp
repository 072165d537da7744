#include "recorder/live_stream.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "recording/functions.h"

namespace zetl::recorder {
namespace {

constexpr const char* kLttngLibrary = "liblttng-ust.so.1";
constexpr int kMostOfName = 256;

using Tracef = void(const char* format, ...);
constinit std::atomic<Tracef*> tracef{nullptr};

using Number = unsigned long long;

int lengthOf(std::string_view text) { return static_cast<int>(std::min<std::size_t>(text.size(), kMostOfName)); }

}  // namespace

void LiveStream::start() noexcept {
    void* library = dlopen(kLttngLibrary, RTLD_NOW | RTLD_LOCAL);
    auto* function = reinterpret_cast<Tracef*>(library ? dlsym(library, "lttng_ust__tracef") : nullptr);
    if (!function)
        std::fprintf(stderr,
                     "zetl: not streaming to LTTng: %s 2.13 or newer is not installed; on Debian, type: apt install "
                     "liblttng-ust1\n",
                     kLttngLibrary);
    tracef.store(function, std::memory_order_release);
}

bool LiveStream::isOn() noexcept { return tracef.load(std::memory_order_acquire) != nullptr; }

void LiveStream::call(std::uint16_t function, std::uint64_t begin, std::uint64_t end, std::uint64_t result) noexcept {
    auto* const send = tracef.load(std::memory_order_acquire);
    const auto name = command::functions()[function].name;
    if (send)
        send("call begin=%llu end=%llu result=0x%llx name=%.*s", Number(begin), Number(end), Number(result),
             lengthOf(name), name.data());
}

void LiveStream::range(const char* name, std::uint64_t begin, std::uint64_t end) noexcept {
    if (auto* const send = tracef.load(std::memory_order_acquire))
        send("range begin=%llu end=%llu name=%.*s", Number(begin), Number(end), kMostOfName, name);
}

void LiveStream::work(std::string_view name, std::uint32_t stream, std::uint64_t begin, std::uint64_t end) noexcept {
    if (auto* const send = tracef.load(std::memory_order_acquire))
        send("work begin=%llu end=%llu stream=%u name=%.*s", Number(begin), Number(end), stream, lengthOf(name),
             name.data());
}

}  // namespace zetl::recorder

#include "emulator/driver/execution/call_sites.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "driver/refusal.h"

namespace zetl::emulator::driver {
namespace {

/// Libraries that are not the program's own: loaders, layers, the driver itself, what calls main().
bool isBetween(std::string_view path) noexcept {
    constexpr std::string_view kOthers[] = {"libze_", "libzetl_", "libc.so", "ld-linux"};
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return std::ranges::any_of(kOthers, [&](std::string_view other) { return name.starts_with(other); });
}

std::string functionName(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                       &std::free);
    return status == 0 && plain ? plain.get() : symbol;
}

std::string nameOfThisThread() {
    constexpr std::size_t kLongest = 16;  // with the zero at its end
    std::array<char, kLongest> name{};
    return pthread_getname_np(pthread_self(), name.data(), name.size()) == 0 ? name.data() : "";
}

}  // namespace

void CallSites::add(std::uint64_t object) {
    constexpr int kDeepest = 32;
    Site site;
    site.frames.resize(kDeepest);
    site.frames.resize(static_cast<std::size_t>(std::max(0, backtrace(site.frames.data(), kDeepest))));
    site.function = zetl::driver::currentFunction();
    site.thread = static_cast<std::uint64_t>(gettid());
    site.threadName = nameOfThisThread();
    const Lock guard(mutex_);
    sites_[object] = std::move(site);
    if (sites_.size() > kMost) sites_.erase(sites_.begin());
}

std::optional<CallSites::Site> CallSites::find(std::uint64_t object) const {
    const Lock guard(mutex_);
    const auto found = sites_.find(object);
    return found == sites_.end() ? std::nullopt : std::optional(found->second);
}

std::string CallSites::of(std::uint64_t object) const {
    const auto site = find(object);
    return site ? text(site->frames) : std::string();
}

std::optional<zetl::check::Call> CallSites::callOf(std::uint64_t object) const {
    const auto site = find(object);
    if (!site) return {};
    return zetl::check::Call{site->function != nullptr ? site->function : "the driver", site->thread, site->threadName,
                             text(site->frames)};
}

std::string CallSites::text(const std::vector<void*>& frames) {
    constexpr int kShown = 4;
    std::string text;
    int shown = 0;
    for (void* const frame : frames) {
        Dl_info info{};
        // The call lies before the address that it returns to.
        if (dladdr(static_cast<char*>(frame) - 1, &info) == 0 || info.dli_fname == nullptr) continue;
        if (isBetween(info.dli_fname)) continue;
        const std::string_view path = info.dli_fname;
        const auto offset = static_cast<char*>(frame) - 1 - static_cast<char*>(info.dli_fbase);
        text += fmt::format("{}{}+0x{:x}", text.empty() ? "" : ", ", path.substr(path.rfind('/') + 1), offset);
        if (info.dli_sname != nullptr) text += fmt::format(" ({})", functionName(info.dli_sname));
        if (++shown == kShown) break;
    }
    return text;
}

}  // namespace zetl::emulator::driver

#include "emulator/machine/host_time.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/log.h"
#include "base/settings.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::string_view nextWord(std::string_view& text) noexcept {
    constexpr const char* kBlanks = " \t\n";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    return word;
}

std::optional<std::int64_t> nextNumber(std::string_view& text) noexcept {
    const std::string_view word = nextWord(text);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

/// Whether the namespace that the file of offsets describes, which is that of later children, is also our own.
bool offsetsAreOurs() {
    std::error_code error;
    const auto own = std::filesystem::read_symlink("/proc/self/ns/time", error);
    if (error) return true;  // a kernel without time namespaces
    return own == std::filesystem::read_symlink("/proc/self/ns/time_for_children", error) && !error;
}

std::int64_t ownNamespaceOffset() {
    if (!offsetsAreOurs()) {
        log::error(log::Channel::emulator,
                   "this process has left its time namespace to its children: timestamps cannot be compared with those "
                   "of other processes");
        return 0;
    }
    std::ifstream file("/proc/self/timens_offsets");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return namespaceOffset(text).value_or(0);
}

std::int64_t wantedAhead() {
    const auto ahead = settings::number(settings::kEmulatedClockAhead);
    if (!ahead || *ahead >= 0) return ahead.value_or(0);
    log::error(log::Channel::emulator, "{}={}: a device clock cannot be put back; give nanoseconds from 0",
               settings::kEmulatedClockAhead, *ahead);
    return 0;
}

}  // namespace

std::optional<std::int64_t> namespaceOffset(std::string_view text) noexcept {
    while (!text.empty()) {
        if (nextWord(text) != "monotonic") continue;
        const auto seconds = nextNumber(text);
        const auto nanoseconds = nextNumber(text);
        constexpr std::int64_t kMostSeconds = INT64_MAX / kSecond - 1;
        if (!seconds || !nanoseconds || *seconds > kMostSeconds || *seconds < -kMostSeconds || *nanoseconds < 0 ||
            *nanoseconds >= kSecond)
            return std::nullopt;
        return *seconds * kSecond + *nanoseconds;
    }
    return std::nullopt;
}

std::uint64_t HostTime::monotonicRaw() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

HostTime HostTime::ofProcess() { return {monotonicRaw, wantedAhead() - ownNamespaceOffset()}; }

}  // namespace zetl::emulator::machine

#include "base/settings.h"

#include <sys/auxv.h>

#include <charconv>
#include <cstdlib>

#include "base/log.h"

namespace zetl::settings {

const char* value(const char* name) noexcept { return getauxval(AT_SECURE) != 0 ? nullptr : std::getenv(name); }

std::optional<std::string> text(const char* name) {
    const char* found = value(name);
    return found ? std::optional<std::string>(found) : std::nullopt;
}

bool enabled(const char* name) { return text(name) == "1"; }

bool apiTracing() { return enabled(text(kApiTracing) ? kApiTracing : kTracingLayer); }

std::optional<long> number(const char* name) {
    const auto value = text(name);
    if (!value) return std::nullopt;
    long parsed = 0;
    const char* end = value->data() + value->size();
    if (auto [rest, error] = std::from_chars(value->data(), end, parsed); error == std::errc() && rest == end)
        return parsed;
    log::error(log::Channel::layer, "{}={} is not a whole number and is ignored", name, *value);
    return std::nullopt;
}

}  // namespace zetl::settings

// A list of counters prepared for one source, as bytes that may be stored.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::nvidia::access {

/// Nanoseconds between a stream's reports: what one thread still decodes of a group of ten counters without loss.
inline constexpr std::uint64_t kShortestPeriod = 100'000;

/// What a plan's bytes say. They are untrusted when they come back. Reports are 64-bit words: of a query the time of
/// the begin, then one value a counter; of a stream the counters' sums since it was started.
struct Plan {
    zetl_source_t source = ZETL_SOURCE_QUERY;
    std::vector<std::string> names;

    static std::optional<Plan> parse(const void* bytes, std::uint64_t size);
    std::vector<std::uint8_t> bytes() const;
    std::size_t firstWord() const noexcept { return source == ZETL_SOURCE_QUERY ? 1 : 0; }
    std::uint64_t reportWords() const noexcept { return names.size() + firstWord(); }
    std::uint64_t reportBytes() const noexcept { return reportWords() * sizeof(std::uint64_t); }
    /// Word of the report that holds the counter; nothing if the plan lacks it.
    std::optional<std::size_t> word(std::string_view name) const;
    std::vector<const char*> texts() const;
};

}  // namespace zetl::nvidia::access

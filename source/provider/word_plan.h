// A list of counters prepared for one source, as bytes that callers may store: the plan of a provider whose reports are
// 64-bit words.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::provider {

/// The content of a plan's bytes, which are untrusted when they come back. A report of a query holds the time of the
/// begin, then the amount that each counter counted; a report of a stream holds the counters' values at its time.
struct WordPlan {
    zetl_source_t source = ZETL_SOURCE_QUERY;
    std::vector<std::string> names;

    static std::optional<WordPlan> parse(const void* bytes, std::uint64_t size);
    std::vector<std::uint8_t> bytes() const;

    std::size_t firstWord() const noexcept { return source == ZETL_SOURCE_QUERY ? 1 : 0; }
    std::uint64_t reportWords() const noexcept { return names.size() + firstWord(); }
    std::uint64_t reportBytes() const noexcept { return reportWords() * sizeof(std::uint64_t); }
    /// The index of the counter's word in a report; nothing if the plan lacks the counter.
    std::optional<std::size_t> word(std::string_view name) const;
    /// The names as C strings; they live as long as the plan.
    std::vector<const char*> texts() const;

    /// Implements `plan` of section "counters". MISUSE if the buffer for the bytes is too small.
    zetl_status_t give(std::uint32_t passes, std::uint64_t shortestPeriod, zetl_plan_info_t& info,
                       std::uint64_t capacity, void* room) const;
};

}  // namespace zetl::provider

#include "provider/word_plan.h"

#include <algorithm>
#include <cstring>

namespace zetl::provider {
namespace {

/// Version 1 of the form: this head, then the names, each with its zero.
struct Head {
    char mark[4];
    std::uint32_t source;
};
constexpr char kMark[] = {'Z', 'W', 'P', '1'};

}  // namespace

std::optional<WordPlan> WordPlan::parse(const void* bytes, std::uint64_t size) {
    Head head{};
    if (!bytes || size < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes, sizeof head);
    if (std::memcmp(head.mark, kMark, sizeof kMark) != 0 || head.source > ZETL_SOURCE_STREAM) return std::nullopt;
    std::string_view text(static_cast<const char*>(bytes) + sizeof head, size - sizeof head);
    WordPlan plan;
    plan.source = static_cast<zetl_source_t>(head.source);
    while (!text.empty()) {
        const auto end = text.find('\0');
        if (end == 0 || end == std::string_view::npos) return std::nullopt;
        plan.names.emplace_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    return plan;
}

std::vector<std::uint8_t> WordPlan::bytes() const {
    Head head{{}, static_cast<std::uint32_t>(source)};
    std::memcpy(head.mark, kMark, sizeof kMark);
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(&head);
    std::vector<std::uint8_t> all(begin, begin + sizeof head);
    for (const auto& name : names) all.insert(all.end(), name.c_str(), name.c_str() + name.size() + 1);
    return all;
}

std::optional<std::size_t> WordPlan::word(std::string_view name) const {
    const auto place = std::find(names.begin(), names.end(), name);
    if (place == names.end()) return std::nullopt;
    return static_cast<std::size_t>(place - names.begin()) + firstWord();
}

std::vector<const char*> WordPlan::texts() const {
    std::vector<const char*> all;
    for (const auto& name : names) all.push_back(name.c_str());
    return all;
}

zetl_status_t WordPlan::give(std::uint32_t passes, std::uint64_t shortestPeriod, zetl_plan_info_t& info,
                             std::uint64_t capacity, void* room) const {
    const auto encoded = bytes();
    info = {.size = sizeof info,
            .passes = passes,
            .shortest_period_ns = shortestPeriod,
            .report_bytes = reportBytes(),
            .plan_bytes = encoded.size()};
    if (!room) return ZETL_OK;
    if (capacity < encoded.size()) return ZETL_MISUSE;
    std::memcpy(room, encoded.data(), encoded.size());
    return ZETL_OK;
}

}  // namespace zetl::provider

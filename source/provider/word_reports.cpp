#include "provider/word_reports.h"

#include <algorithm>
#include <cstring>

#include "provider/word_plan.h"

namespace zetl::provider {
namespace {

/// The words of one report of a raw buffer.
class Words {
  public:
    Words(const zetl_raw_t& raw, const WordPlan& plan, std::uint64_t report)
        : at_(static_cast<const std::byte*>(raw.reports) + report * plan.reportBytes()) {}
    std::uint64_t operator[](std::size_t word) const {
        std::uint64_t value = 0;
        std::memcpy(&value, at_ + word * sizeof value, sizeof value);
        return value;
    }

  private:
    const std::byte* at_;
};

/// The indices of the words that hold these counters. Returns false if the plan lacks one.
bool findWords(const WordPlan& plan, std::uint32_t count, const char* const* names, std::vector<std::size_t>& words) {
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto word = names[i] ? plan.word(names[i]) : std::nullopt;
        if (!word) return false;
        words.push_back(*word);
    }
    return true;
}

void evaluateReport(const zetl_raw_t& raw, const WordPlan& plan, const std::vector<std::size_t>& words,
                    std::uint64_t report, zetl_row_t& row, zetl_value_t* values) {
    const Words now(raw, plan, report);
    const bool stream = plan.source == ZETL_SOURCE_STREAM;
    row = {stream ? raw.times[report - 1] : now[0], raw.times[report], report, 1, 0};
    for (std::size_t i = 0; i < words.size(); ++i)
        values[i].u64 = now[words[i]] - (stream ? Words(raw, plan, report - 1)[words[i]] : 0);
}

zetl_field_t fieldOf(std::size_t word, zetl_counter_kind_t kind) {
    zetl_field_t field{};
    field.size = sizeof field;
    field.kind = kind;
    field.bytes = sizeof(std::uint64_t);
    field.bits = 8 * field.bytes;
    field.offset = static_cast<std::uint32_t>(word) * field.bytes;
    return field;
}

}  // namespace

zetl_status_t evaluateWords(const zetl_raw_t* raw, std::uint32_t count, const char* const* names,
                            std::uint64_t capacity, zetl_row_t* rows, zetl_value_t* values, std::uint64_t* rowCount) {
    if (!raw || !rowCount || (count > 0 && !names) || (raw->count > 0 && (!raw->reports || !raw->times)))
        return ZETL_MISUSE;
    const auto plan = WordPlan::parse(raw->plan, raw->plan_bytes);
    if (!plan || plan->source != raw->source || (capacity > 0 && (!rows || !values))) return ZETL_MISUSE;
    std::vector<std::size_t> words;
    if (!findWords(*plan, count, names, words)) return ZETL_GONE;
    const std::uint64_t first = plan->source == ZETL_SOURCE_STREAM ? 1 : 0;
    *rowCount = raw->count - std::min(raw->count, first);
    for (std::uint64_t row = 0; row < std::min(capacity, *rowCount); ++row)
        evaluateReport(*raw, *plan, words, row + first, rows[row], values + row * count);
    return ZETL_OK;
}

zetl_status_t describeWords(const void* bytes, std::uint64_t size, std::uint32_t count, const char* const* names,
                            zetl_field_t* fields, zetl_field_t* begin) {
    const auto plan = WordPlan::parse(bytes, size);
    if (!plan || !begin || (count > 0 && (!names || !fields))) return ZETL_MISUSE;
    std::vector<std::size_t> words;
    if (!findWords(*plan, count, names, words)) return ZETL_GONE;
    std::transform(words.begin(), words.end(), fields,
                   [](std::size_t word) { return fieldOf(word, ZETL_COUNTER_DELTA); });
    *begin = plan->source == ZETL_SOURCE_QUERY ? fieldOf(0, ZETL_COUNTER_LAST) : zetl_field_t{};
    return ZETL_OK;
}

}  // namespace zetl::provider

// Section "counters": the facts as counters of streams. Queries are not possible: nothing marks their begin and end.
#include "core_api/counters.h"

#include <array>
#include <string_view>

#include "core_api/counting.h"
#include "core_api/known_devices.h"
#include "core_api/sections.h"
#include "provider/counters.h"

namespace zetl::core_api {
namespace {

constexpr activity::FactText kUnmeasuredText = {
    "CommandsUnmeasured", "commands",
    "Commands of this process, on any device, that ended without a time that can be read and are in no other counter"};

constexpr zetl_counter_info_t infoOf(const activity::FactText& text) {
    return {.size = sizeof(zetl_counter_info_t),
            .kind = ZETL_COUNTER_DELTA,
            .name = text.name,
            .description = text.description,
            .unit = text.unit,
            .block = activity::kFactsGroup,
            .value_type = ZETL_VALUE_UINT64,
            .accuracy = ZETL_EXACT,
            .sources = 1u << ZETL_SOURCE_STREAM,
            .intrusive = 0};
}

/// In the order of a Row.
constexpr auto kCatalogue = [] {
    std::array<zetl_counter_info_t, std::tuple_size_v<Row>> all{};
    for (std::size_t i = 0; i < activity::kFacts; ++i) all[i] = infoOf(activity::kFactTexts[i]);
    all[kUnmeasured] = infoOf(kUnmeasuredText);
    return all;
}();

std::optional<std::size_t> columnOf(std::string_view name) {
    for (std::size_t i = 0; i < kCatalogue.size(); ++i)
        if (name == kCatalogue[i].name) return i;
    return std::nullopt;
}

class FactCounters final : public provider::Counters<Backend> {
  public:
    zetl_status_t catalog(const char*, std::span<const zetl_counter_info_t>& all) const override {
        all = kCatalogue;
        return ZETL_OK;
    }
    bool has(const char*, zetl_source_t, std::string_view counter) const override {
        return columnOf(counter).has_value();
    }
    zetl_status_t passes(const char*, const provider::WordPlan& plan, std::uint32_t&) const override {
        return plan.source == ZETL_SOURCE_STREAM ? ZETL_OK : ZETL_UNSUPPORTED;
    }
    std::uint64_t shortestPeriod() const override { return kShortestPeriod; }

    provider::Made<const Lease> acquire(Device& device, zetl_source_t source) const override {
        if (source != ZETL_SOURCE_STREAM || !Counting::instance().start()) return ZETL_UNSUPPORTED;
        return std::make_shared<const Lease>(Lease{idOf(device.handle), source});
    }
    /// There is no lease for queries.
    provider::Made<provider::Query> makeQuery(const std::shared_ptr<const Lease>&, provider::WordPlan,
                                              std::uint32_t) const override {
        return ZETL_GONE;
    }
    zetl_status_t memoryBarrier(ze_command_list_handle_t) const override { return ZETL_UNSUPPORTED; }
};

}  // namespace

std::optional<std::vector<std::size_t>> columnsOf(const provider::WordPlan& plan) {
    std::vector<std::size_t> columns;
    for (const auto& name : plan.names) {
        const auto column = columnOf(name);
        if (!column) return std::nullopt;
        columns.push_back(*column);
    }
    return columns;
}

const zetl_counter_functions_t kCounterFunctions = provider::CounterTable<FactCounters>::kFunctions;

}  // namespace zetl::core_api

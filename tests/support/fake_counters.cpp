// The scripted device's counters, queries and stream.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

#include "support/fake_state.h"

namespace zetl::test::fake {
namespace {

constexpr std::uint32_t kBoth = (1u << ZETL_SOURCE_QUERY) | (1u << ZETL_SOURCE_STREAM);

constexpr zetl_counter_info_t counter(const char* name, const char* unit, const char* block = "fake",
                                      zetl_value_type_t type = ZETL_VALUE_UINT64) {
    return {.size = sizeof(zetl_counter_info_t),
            .kind = ZETL_COUNTER_DELTA,
            .name = name,
            .description = "scripted",
            .unit = unit,
            .block = block,
            .value_type = static_cast<std::uint32_t>(type),
            .accuracy = ZETL_EXACT,
            .sources = kBoth,
            .intrusive = 0};
}
constexpr zetl_counter_info_t kUsual[] = {
    counter("GpuCoreClocks", "cycles"),
    counter("XVE_ACTIVE_CYCLES", "cycles"),
    counter("XVE_BUSY", "cycles"),
    counter("XVE_INST_EXECUTED_SEND_ALL", "events"),
    counter("XVE_INST_EXECUTED_ALL", "events"),
    counter("L3_BYTE_READ", "bytes"),
};
constexpr zetl_counter_info_t kOthers[] = {
    counter("sm__cycles", "cycles", "sm"),
    counter("sm__warps", "warps", "sm", ZETL_VALUE_FLOAT64),
    counter("dram__throughput", "bytes/ns", "dram", ZETL_VALUE_FLOAT64),
};

std::span<const zetl_counter_info_t> counters() {
    return state().character.otherCounters ? std::span<const zetl_counter_info_t>(kOthers) : kUsual;
}

bool inDoubles(const std::string& name) {
    return std::any_of(std::begin(kOthers), std::end(kOthers),
                       [&](const auto& each) { return name == each.name && each.value_type == ZETL_VALUE_FLOAT64; });
}

/// A count as it stands in a report.
std::uint64_t word(const std::string& name, double events) {
    return inDoubles(name) ? std::bit_cast<std::uint64_t>(events) : static_cast<std::uint64_t>(events);
}

zetl_value_t difference(const std::string& name, std::uint64_t later, std::uint64_t earlier) {
    zetl_value_t value{};
    if (inDoubles(name))
        value.f64 = std::bit_cast<double>(later) - std::bit_cast<double>(earlier);
    else
        value.u64 = later - earlier;
    return value;
}

/// A plan is the names, each with its end; a report is one value a name, of a query behind the time of its begin.
std::optional<std::vector<std::string>> namesOf(const void* plan, std::uint64_t bytes) {
    std::vector<std::string> names;
    const auto* text = static_cast<const char*>(plan);
    for (std::uint64_t at = 0; at < bytes; at += names.back().size() + 1) names.emplace_back(text + at);
    return names;
}

std::uint32_t wordsBefore(std::uint32_t source) { return source == ZETL_SOURCE_QUERY ? 1 : 0; }

zetl_status_t catalog(const char* chip, std::uint32_t capacity, const zetl_counter_info_t** infos,
                      std::uint32_t* count) {
    if (std::string(chip) != "fake") return ZETL_GONE;
    const auto all = counters();
    *count = static_cast<std::uint32_t>(all.size());
    for (std::uint32_t i = 0; i < std::min(capacity, *count); ++i) infos[i] = &all[i];
    return ZETL_OK;
}

zetl_status_t plan(const char*, std::uint32_t source, std::uint32_t count, const char* const* names,
                   zetl_plan_info_t* info, std::uint64_t capacity, void* bytes) {
    std::string text;
    {
        const auto lock = enter("plan");
        state().plannedFor = source;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto all = counters();
        if (std::none_of(all.begin(), all.end(),
                         [&](const auto& each) { return std::strcmp(each.name, names[i]) == 0; }))
            return ZETL_GONE;
        text += std::string(names[i]) + '\0';
    }
    *info = {sizeof *info, 1, 1000, (count + wordsBefore(source)) * sizeof(std::uint64_t), text.size()};
    if (bytes && capacity >= text.size()) std::memcpy(bytes, text.data(), text.size());
    return ZETL_OK;
}

/// Query reports hold differences already; of stream reports the neighbours are subtracted.
zetl_status_t evaluate(const zetl_raw_t* raw, std::uint32_t count, const char* const* names, std::uint64_t capacity,
                       zetl_row_t* rows, zetl_value_t* values, std::uint64_t* rowCount) {
    const auto planned = *namesOf(raw->plan, raw->plan_bytes);
    const auto* words = static_cast<const std::uint64_t*>(raw->reports);
    const bool stream = raw->source == ZETL_SOURCE_STREAM;
    const std::uint64_t first = stream ? 1 : 0;
    *rowCount = raw->count > first ? raw->count - first : 0;
    for (std::uint64_t row = 0; row < std::min(capacity, *rowCount); ++row) {
        const auto report = row + first;
        const auto* const now = words + report * (planned.size() + wordsBefore(raw->source));
        rows[row] = {stream ? raw->times[report - 1] : now[0], raw->times[report], report, 1, 0};
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto place = static_cast<std::size_t>(
                std::find(planned.begin(), planned.end(), std::string(names[i])) - planned.begin());
            const auto before = stream ? words[(report - 1) * planned.size() + place] : 0;
            values[row * count + i] = difference(names[i], now[place + wordsBefore(raw->source)], before);
        }
    }
    return ZETL_OK;
}

/// Without this the modules have to read reports by evaluate.
zetl_status_t layout(const char*, const void* plan, std::uint64_t bytes, std::uint32_t count, const char* const* names,
                     zetl_field_t* fields, zetl_field_t* begin) {
    const auto lock = enter("layout");
    if (!state().describesReports || state().character.otherCounters) return ZETL_UNSUPPORTED;
    const auto planned = *namesOf(plan, bytes);
    const auto first = state().plannedFor == ZETL_SOURCE_QUERY ? 1u : 0u;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto place = std::find(planned.begin(), planned.end(), std::string(names[i])) - planned.begin();
        fields[i] = {
            sizeof(zetl_field_t), ZETL_COUNTER_DELTA, 64, (static_cast<std::uint32_t>(place) + first) * 8, 8, 0, 0, 0};
    }
    *begin = {sizeof(zetl_field_t), ZETL_COUNTER_LAST, 64, 0, first * 8, 0, 0, 0};
    return ZETL_OK;
}

zetl_status_t acquire(zetl_device_t, std::uint32_t source, zetl_lease_t* lease) {
    const auto lock = enter("acquire");
    if (state().occupied.contains(source)) return ZETL_BUSY;
    *lease = state().nextId++;
    state().leases[*lease] = source;
    return ZETL_OK;
}

zetl_status_t release(zetl_lease_t lease) {
    const auto lock = enter("release");
    return state().leases.erase(lease) ? ZETL_OK : ZETL_GONE;
}

Report now() { return {state().time, state().counters}; }

zetl_status_t queryCreate(zetl_lease_t, const void* plan, std::uint64_t bytes, std::uint32_t slots,
                          zetl_query_t* query) {
    const auto lock = enter("query_create");
    *query = state().nextId++;
    state().queries[*query] = {*namesOf(plan, bytes), std::vector<Slot>(slots)};
    return ZETL_OK;
}

zetl_status_t queryDestroy(zetl_query_t query) {
    const auto lock = enter("query_destroy");
    for (const auto& slot : state().queries[query].second)
        if (slot.begun && !slot.ended) return ZETL_BUSY;
    return state().queries.erase(query) ? ZETL_OK : ZETL_GONE;
}

/// Bracketed on the host, it takes immediate lists alone.
zetl_status_t recordable(ze_command_list_handle_t list) {
    if (state().character.queryKind == ZETL_QUERY_HOST_BRACKETED) return list ? ZETL_UNSUPPORTED : ZETL_OK;
    return list ? ZETL_OK : ZETL_MISUSE;
}

zetl_status_t queryBegin(zetl_query_t query, std::uint32_t slot, ze_command_list_handle_t list) {
    const auto lock = enter("query_begin");
    if (const auto bad = recordable(list); bad != ZETL_OK) return bad;
    state().queries[query].second[slot] = {true, false, now(), {}};
    return ZETL_OK;
}

zetl_status_t queryEnd(zetl_query_t query, std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t,
                       std::uint32_t, const ze_event_handle_t*) {
    const auto lock = enter("query_end");
    if (const auto bad = recordable(list); bad != ZETL_OK) return bad;
    auto& each = state().queries[query].second[slot];
    each.ended = true;
    each.end = now();
    return ZETL_OK;
}

zetl_status_t queryReset(zetl_query_t query, std::uint32_t slot) {
    const auto lock = enter("query_reset");
    state().queries[query].second[slot] = {};
    return ZETL_OK;
}

zetl_status_t queryRead(zetl_query_t query, std::uint32_t slot, std::uint64_t capacity, void* report,
                        std::uint64_t* time) {
    const auto lock = enter("query_read");
    auto& [names, slots] = state().queries[query];
    auto& each = slots[slot];
    if (!each.ended) return ZETL_NOT_READY;
    std::vector<std::uint64_t> words{each.begin.time};
    for (const auto& name : names) words.push_back(word(name, each.end.counts[name] - each.begin.counts[name]));
    if (capacity < words.size() * sizeof(std::uint64_t)) return ZETL_MISUSE;
    std::memcpy(report, words.data(), words.size() * sizeof(std::uint64_t));
    *time = each.end.time;
    return ZETL_OK;
}

zetl_status_t memoryBarrier(ze_command_list_handle_t) {
    const auto lock = enter("memory_barrier");
    return ZETL_OK;
}

zetl_status_t openStream(zetl_lease_t, const void* plan, std::uint64_t bytes, zetl_stream_options_t* options,
                         zetl_stream_t* stream) {
    const auto lock = enter("stream_open");
    state().stream = {};
    state().stream.open = true;
    state().stream.plan = *namesOf(plan, bytes);
    state().stream.capacity = options->capacity;
    options->period_ns = options->period_ns / 1000 * 1000;
    *stream = 1;
    return ZETL_OK;
}

zetl_status_t startStream(zetl_stream_t) {
    const auto lock = enter("stream_start");
    state().stream.running = true;
    return ZETL_OK;
}

zetl_status_t stopStream(zetl_stream_t) {
    const auto lock = enter("stream_stop");
    state().stream.running = false;
    return ZETL_OK;
}

zetl_status_t pending(zetl_stream_t, std::uint64_t* count) {
    const auto lock = enter("stream_pending");
    *count = state().stream.reports.size();
    return ZETL_OK;
}

zetl_status_t drain(zetl_stream_t, std::uint64_t capacity, void* reports, zetl_report_info_t* infos,
                    std::uint64_t* count, zetl_loss_t* loss) {
    const auto lock = enter("stream_drain");
    auto& stream = state().stream;
    auto* words = static_cast<std::uint64_t*>(reports);
    *count = std::min<std::uint64_t>(capacity, stream.reports.size());
    for (std::uint64_t i = 0; i < *count; ++i) {
        auto& [report, info] = stream.reports.front();
        for (const auto& name : stream.plan) *words++ = word(name, report.counts[name]);
        infos[i] = info;
        stream.reports.pop_front();
    }
    *loss = {sizeof *loss, static_cast<std::uint32_t>(stream.lost ? ZETL_LOSS_GAP : ZETL_LOSS_NONE), 0, 0, stream.lost};
    stream.lost = 0;
    return ZETL_OK;
}

void take(zetl_report_reason_t reason, std::uint32_t marker) {
    auto& stream = state().stream;
    if (stream.running) stream.reports.push_back({now(), {state().time, static_cast<std::uint32_t>(reason), marker}});
}

zetl_status_t marker(zetl_stream_t, ze_command_list_handle_t, std::uint32_t value) {
    const auto lock = enter("stream_marker");
    take(ZETL_REPORT_MARKER, value);
    return ZETL_OK;
}

zetl_status_t closeStream(zetl_stream_t) {
    const auto lock = enter("stream_close");
    state().stream = {};
    return ZETL_OK;
}

}  // namespace

const zetl_counter_functions_t kCounterFunctions = {
    .size = sizeof kCounterFunctions,
    .reserved = 0,
    .catalog = catalog,
    .plan = plan,
    .evaluate = evaluate,
    .acquire = acquire,
    .release = release,
    .query_create = queryCreate,
    .query_destroy = queryDestroy,
    .query_begin = queryBegin,
    .query_end = queryEnd,
    .query_reset = queryReset,
    .query_read = queryRead,
    .memory_barrier = memoryBarrier,
    .layout = layout,
};
const zetl_stream_functions_t kStreamFunctions = {
    .size = sizeof kStreamFunctions,
    .reserved = 0,
    .open = openStream,
    .start = startStream,
    .stop = stopStream,
    .pending = pending,
    .drain = drain,
    .marker = marker,
    .close = closeStream,
};

void setTime(std::uint64_t ticks) {
    const auto lock = enter("");
    state().time = ticks;
}

void count(const std::string& counter, double events) {
    const auto lock = enter("");
    state().counters[counter] += events;
}

void streamReports() {
    const auto lock = enter("");
    take(ZETL_REPORT_TIMER, 0);
}

void describeReports(bool yes) {
    const auto lock = enter("");
    state().describesReports = yes;
}

void streamLoses(std::uint64_t reports) {
    const auto lock = enter("");
    state().stream.lost = reports;
}

void occupy(zetl_source_t source) {
    const auto lock = enter("");
    state().occupied.insert(source);
}

}  // namespace zetl::test::fake

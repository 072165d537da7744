#include "metrics/measurement.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/never_destroyed.h"
#include "device/catalogue.h"
#include "device/status.h"
#include "metrics/calculation/equation.h"
#include "metrics/calculation/report.h"
#include "metrics/calculation/sample_report.h"
#include "metrics/log_channel.h"

namespace zetl::metrics {
namespace {

/// What our own part of a report holds, by the names that equations use.
const std::vector<Field>& headFields() {
    static NeverDestroyed<std::vector<Field>> fields(std::vector<Field>{
        {.name = "ReportKind", .kind = Kind::last, .bits = 32, .offset = offsetof(ReportHead, reason), .bytes = 4},
        {.name = "ReportMarker", .kind = Kind::last, .bits = 32, .offset = offsetof(ReportHead, marker), .bytes = 4}});
    return *fields;
}

/// Numbers of the device that equations may name.
std::vector<Symbol> symbolsOf(const device::Device& device, const CounterClock& clock) {
    const auto& info = device.info();
    std::vector<Symbol> symbols = {{"VectorEngineTotalCount", device.engines()},
                                   {"GpuTimestampFrequency", clock.ticksPerSecond},
                                   {"GpuMaxFrequencyMHz", info.core_clock_hz / 1'000'000}};
    if (info.level_count > 0) symbols.push_back({"VectorEngineThreadsCount", info.levels[info.level_count - 1].count});
    return symbols;
}

/// Behind the name of a counter: its bits as a double, where the name alone is the rounded integer.
constexpr const char* kAsDouble = ":double";

bool isKnown(const std::vector<Symbol>& symbols, const std::string& name) {
    constexpr const char* kTimes[] = {"BeginTime", "EndTime", "ElapsedTime", "ElapsedTicks"};
    return std::ranges::find(symbols, name, &Symbol::name) != symbols.end() ||
           std::ranges::find(headFields(), name, &Field::name) != headFields().end() ||
           std::ranges::find(kTimes, name) != std::end(kTimes);
}

const zetl_counter_info_t* counterOf(const std::vector<const zetl_counter_info_t*>& all, const std::string& name) {
    const auto found = std::ranges::find_if(all, [&](const auto* info) { return info->name == name; });
    return found == all.end() ? nullptr : *found;
}

/// Chooses columns by what the device counts.
class Choice {
  public:
    Choice(const device::Device& device, zetl_source_t source)
        : catalog_(countersOf(device, source)), symbols_(symbolsOf(device, clockOf(device, ZETL_CLOCK_COUNTERS))) {}

    bool counts(const std::string& name) const { return find(name) != nullptr; }

    /// Takes the column if all that its equation names is there.
    void offer(Column column) {
        std::vector<const zetl_counter_info_t*> needed;
        for (const auto& name : operandsOf(column.equation)) {
            if (isKnown(symbols_, name)) continue;
            needed.push_back(find(name));
            if (!needed.back()) return;
        }
        rateExactness(column, catalog_);
        if (column.modelled) column.description += "; by the device's timing model";
        for (const auto* info : needed)
            if (std::ranges::find(counters, info->name) == counters.end()) {
                counters.push_back(info->name);
                inDoubles.push_back(info->value_type == ZETL_VALUE_FLOAT64);
            }
        // A counter in doubles that is shown as it is stays one.
        if (needed.size() == 1 && needed[0]->value_type == ZETL_VALUE_FLOAT64 &&
            column.equation == std::string("$") + needed[0]->name) {
            column.value = ZET_VALUE_TYPE_FLOAT64;
            column.equation += kAsDouble;
        }
        columns.push_back(std::move(column));
    }

    std::vector<Column> columns;
    std::vector<const char*> counters;
    std::vector<bool> inDoubles;

  private:
    const zetl_counter_info_t* find(const std::string& name) const { return counterOf(catalog_, name); }

    const std::vector<const zetl_counter_info_t*> catalog_;
    const std::vector<Symbol> symbols_;
};

bool hasWhatItNeeds(const GroupShape& shape, const Choice& choice) {
    if (shape.needs.empty()) return !choice.counters.empty();
    return std::ranges::any_of(shape.needs, [&](const auto& name) { return choice.counts(name); });
}

/// A device that models what it counts samples what it models.
bool modelsWork(const device::Device& device) {
    return std::ranges::any_of(device::catalogueOf(device),
                               [](const auto* counter) { return counter->accuracy == ZETL_MODEL; });
}

/// A field of the device's report, in ours.
Field placed(const std::string& name, const zetl_field_t& field) {
    return {.name = name,
            .kind = field.kind == ZETL_COUNTER_LAST ? Kind::last : Kind::delta,
            .bits = field.bits,
            .offset = static_cast<std::uint32_t>(sizeof(ReportHead)) + field.offset,
            .bytes = field.bytes,
            .highOffset = static_cast<std::uint32_t>(sizeof(ReportHead)) + field.high_offset,
            .highBytes = field.high_bytes};
}

}  // namespace

zetl_clock_kind_t clockKindOf(zetl_source_t source) {
    return source == ZETL_SOURCE_SAMPLING ? ZETL_CLOCK_DEVICE : ZETL_CLOCK_COUNTERS;
}

CounterClock clockOf(const device::Device& device, zetl_clock_kind_t kind) {
    zetl_clock_info_t info{};
    info.size = sizeof info;
    if (device::answered(device.access().clocks().describe(device.id(), kind, &info)) != ZETL_OK) return {};
    return {info.ticks_per_second, info.valid_bits};
}

std::vector<const char*> sampledReasons(const device::Device& device) {
    const auto& functions = device.access().sampling();
    std::uint32_t count = 0;
    if (device::answered(functions.reasons(device.info().chip, 0, nullptr, &count)) != ZETL_OK) return {};
    std::vector<const char*> names(count);
    if (device::answered(functions.reasons(device.info().chip, count, names.data(), &count)) != ZETL_OK) return {};
    names.resize(std::min<std::size_t>(names.size(), count));
    return names;
}

void rateExactness(Column& column, const std::vector<const zetl_counter_info_t*>& counters) {
    column.modelled = std::ranges::any_of(operandsOf(column.equation), [&](const std::string& name) {
        const auto* const counter = counterOf(counters, name);
        return counter && counter->accuracy == ZETL_MODEL;
    });
    if (!counterOf(counters, column.error)) column.error.clear();
}

std::vector<const zetl_counter_info_t*> countersOf(const device::Device& device, zetl_source_t source) {
    if (!device.offers(source)) return {};
    auto infos = device::catalogueOf(device);
    std::erase_if(infos, [source](const auto* info) { return ((info->sources >> source) & 1) == 0; });
    return infos;
}

Result<std::shared_ptr<const Measurement>> Measurement::make(const device::Device& device, const GroupShape& shape) {
    return shape.source == GroupSource::instructionSampling ? ofSamples(device, shape) : ofCounters(device, shape);
}

/// SUCCESS, or UNSUPPORTED_FEATURE with a line in the log if the equations are not sound.
ze_result_t Measurement::calculateBy(Descriptor descriptor) {
    try {
        calculator_ = std::make_unique<const Calculator>(std::move(descriptor));
        return ZE_RESULT_SUCCESS;
    } catch (const DescriptionError& error) {
        log::error(kLog, "a metric group is left out: {}", error.what());
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    }
}

Result<std::shared_ptr<const Measurement>> Measurement::ofCounters(const device::Device& device,
                                                                   const GroupShape& shape) {
    const bool timeBased = shape.sampling == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED;
    std::shared_ptr<Measurement> made(new Measurement(device, timeBased ? ZETL_SOURCE_STREAM : ZETL_SOURCE_QUERY));
    Choice choice(device, made->source());
    for (const auto& column : shape.columns) choice.offer(column);
    if (!hasWhatItNeeds(shape, choice)) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    made->counters_ = std::move(choice.counters);
    made->inDoubles_ = std::move(choice.inDoubles);
    if (const auto status = device::answered(made->plan()); status != ZETL_OK) {
        log::warn(kLog, "metric group {} is left out: {} refuses the plan: {}", shape.name, device.info().chip,
                  device::nameOf(status));
        return device::resultOf(status);
    }
    if (const auto result = made->calculateBy(made->describe(shape, std::move(choice.columns)));
        result != ZE_RESULT_SUCCESS)
        return result;
    return std::shared_ptr<const Measurement>(std::move(made));
}

/// The columns that the device has a reason for, beside the instruction; UNSUPPORTED_FEATURE if there is none.
Result<std::shared_ptr<const Measurement>> Measurement::ofSamples(const device::Device& device,
                                                                  const GroupShape& shape) {
    const auto reasons = sampledReasons(device);
    const bool tellsAny = std::ranges::any_of(reasons, [&](std::string_view reason) {
        return std::ranges::find(shape.columns, reason, &Column::name) != shape.columns.end();
    });
    if (!device.offers(ZETL_SOURCE_SAMPLING) || !tellsAny) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    std::shared_ptr<Measurement> made(new Measurement(device, ZETL_SOURCE_SAMPLING));
    made->describesReports_ = true;
    auto descriptor = made->named(shape);
    descriptor.samples = true;
    descriptor.time = {.name = "Time", .kind = Kind::last, .offset = offsetof(SampleHead, time)};
    descriptor.fields = {{.name = "IP", .kind = Kind::last, .offset = offsetof(SampleHead, instruction)}};
    std::uint32_t at = sizeof(SampleHead);
    for (const auto* reason : reasons) {
        descriptor.fields.push_back({.name = reason, .kind = Kind::last, .offset = at});
        at += sizeof(std::uint64_t);
    }
    descriptor.reportBytes = at;
    for (const auto& column : shape.columns)
        if (std::ranges::find(descriptor.fields, column.name, &Field::name) != descriptor.fields.end()) {
            descriptor.columns.push_back(column);
            descriptor.columns.back().modelled = modelsWork(device);
        }
    if (const auto result = made->calculateBy(std::move(descriptor)); result != ZE_RESULT_SUCCESS) return result;
    return std::shared_ptr<const Measurement>(std::move(made));
}

zetl_status_t Measurement::plan() {
    const auto& functions = device_.access().counters();
    const auto count = static_cast<std::uint32_t>(counters_.size());
    const auto* const chip = device_.info().chip;
    info_.size = sizeof info_;
    if (const auto status = functions.plan(chip, source(), count, counters_.data(), &info_, 0, nullptr);
        status != ZETL_OK)
        return status;
    if (info_.passes != 1) return ZETL_UNSUPPORTED;
    plan_.resize(info_.plan_bytes);
    return functions.plan(chip, source(), count, counters_.data(), &info_, plan_.size(), plan_.data());
}

/// The shape's facts, without columns and fields.
Descriptor Measurement::named(const GroupShape& shape) const {
    Descriptor descriptor;
    descriptor.name = shape.name;
    descriptor.description = shape.description;
    descriptor.device = device_.info().name;
    descriptor.domain = shape.domain;
    descriptor.sampling = shape.sampling;
    descriptor.clock = clockOf(device_, clockKindOf(source_));
    return descriptor;
}

Descriptor Measurement::describe(const GroupShape& shape, std::vector<Column> columns) {
    auto descriptor = named(shape);
    descriptor.time = {
        .name = "Time", .kind = Kind::last, .bits = 64, .offset = offsetof(ReportHead, time), .bytes = 8};
    descriptor.fields = headFields();
    descriptor.symbols = symbolsOf(device_, descriptor.clock);
    descriptor.columns = std::move(columns);
    std::vector<zetl_field_t> fields(counters_.size());
    zetl_field_t begin{};
    const auto status = device::answered(device_.access().counters().layout(
        device_.info().chip, plan_.data(), plan_.size(), static_cast<std::uint32_t>(counters_.size()), counters_.data(),
        fields.data(), &begin));
    describesReports_ = status == ZETL_OK && std::ranges::find(inDoubles_, true) == inDoubles_.end();
    if (describesReports_)
        placeAsPlanned(descriptor, fields, begin);
    else
        placeAsEvaluated(descriptor);
    return descriptor;
}

void Measurement::placeAsPlanned(Descriptor& descriptor, const std::vector<zetl_field_t>& fields,
                                 const zetl_field_t& begin) const {
    descriptor.cumulative = source_ == ZETL_SOURCE_STREAM;
    descriptor.reportBytes = static_cast<std::uint32_t>(reportBytes());
    if (begin.bytes > 0) descriptor.begin = placed("BeginTime", begin);
    for (std::size_t i = 0; i < counters_.size(); ++i) descriptor.fields.push_back(placed(counters_[i], fields[i]));
}

/// A report is then our head, the time of the begin, and one value a counter.
void Measurement::placeAsEvaluated(Descriptor& descriptor) const {
    constexpr std::uint32_t kWord = sizeof(std::uint64_t);
    std::uint32_t at = sizeof(ReportHead);
    descriptor.begin = Field{.name = "BeginTime", .kind = Kind::last, .offset = at};
    for (const auto* counter : counters_) descriptor.fields.push_back({.name = counter, .offset = at += kWord});
    for (std::size_t i = 0; i < counters_.size(); ++i)
        if (inDoubles_[i])
            descriptor.fields.push_back(
                {.name = std::string(counters_[i]) + kAsDouble, .kind = Kind::last, .offset = at += kWord});
    descriptor.reportBytes = at + kWord;
}

std::uint64_t Measurement::reportBytes() const noexcept {
    return source_ == ZETL_SOURCE_SAMPLING ? descriptor().reportBytes : sizeof(ReportHead) + deviceReportBytes();
}

Result<RawSets> Measurement::setsOf(std::span<const std::byte> raw) const {
    auto sets = RawSets::of(raw, reportBytes());
    if (sets.code() == ZE_RESULT_ERROR_INVALID_SIZE)
        log::warn(kLog, "calculation for {}: {} raw bytes are no whole number of its reports of {} bytes",
                  descriptor().name, raw.size(), reportBytes());
    return sets;
}

namespace {

/// A raw buffer taken apart into what the device understands and what travels beside it.
struct Apart {
    std::vector<ReportHead> heads;
    std::vector<std::uint64_t> times;
    std::vector<std::byte> reports;

    Apart(std::span<const std::byte> raw, std::size_t ourBytes) {
        for (; raw.size() >= ourBytes; raw = raw.subspan(ourBytes)) {
            std::memcpy(&heads.emplace_back(), raw.data(), sizeof(ReportHead));
            times.push_back(heads.back().time);
            reports.insert(reports.end(), raw.begin() + sizeof(ReportHead),
                           raw.begin() + static_cast<std::ptrdiff_t>(ourBytes));
        }
    }
};

/// Within what 64 bits hold; not a number is 0.
std::uint64_t rounded(double value) {
    constexpr double kBeyond = 18446744073709551616.0;
    if (!(value > 0)) return 0;
    return value >= kBeyond ? UINT64_MAX : static_cast<std::uint64_t>(std::round(value));
}

void append(std::vector<std::byte>& bytes, const auto& value) {
    const auto* const at = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), at, at + sizeof value);
}

}  // namespace

Result<RawSets> Measurement::evaluated(const RawSets& raw) const {
    std::vector<std::vector<std::byte>> sets;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        auto set = evaluate(raw[i]);
        if (!set) return set.code();
        sets.push_back(std::move(*set));
    }
    return RawSets::together(std::move(sets));
}

Result<std::span<const std::byte>> Measurement::portable(std::span<const std::byte> raw,
                                                         std::vector<std::byte>& storage) const {
    const auto sets = setsOf(raw);
    if (readableAsIs() && (sets || sets.code() == ZE_RESULT_NOT_READY)) return raw;
    if (!sets) return sets.code();
    for (std::uint32_t i = 0; i < sets->size(); ++i) {
        const auto set = evaluate((*sets)[i]);
        if (!set) return set.code();
        append(storage, TileHead{.set = i, .sets = static_cast<std::uint32_t>(sets->size()), .bytes = set->size()});
        storage.insert(storage.end(), set->begin(), set->end());
    }
    return std::span<const std::byte>(storage);
}

Result<std::vector<std::byte>> Measurement::evaluate(std::span<const std::byte> set) const {
    const Apart apart(set, reportBytes());
    const auto names = static_cast<std::uint32_t>(counters_.size());
    const zetl_raw_t raw{sizeof raw,          static_cast<std::uint32_t>(source()),
                         device_.info().chip, plan_.data(),
                         plan_.size(),        apart.reports.data(),
                         apart.heads.size(),  apart.times.data()};
    std::vector<zetl_row_t> rows(apart.heads.size());
    std::vector<zetl_value_t> values(rows.size() * names);
    std::uint64_t count = 0;
    const auto status = device_.access().counters().evaluate(&raw, names, counters_.data(), rows.size(), rows.data(),
                                                             values.data(), &count);
    if (status != ZETL_OK) return device::resultOf(status);
    std::vector<std::byte> bytes;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, rows.size()); ++i) {
        auto head = apart.heads[std::min<std::uint64_t>(rows[i].last_report, apart.heads.size() - 1)];
        head.time = rows[i].end;
        append(bytes, head);
        append(bytes, rows[i].begin);
        const auto* const row = values.data() + i * names;
        for (std::uint32_t counter = 0; counter < names; ++counter)
            append(bytes, inDoubles_[counter] ? rounded(row[counter].f64) : row[counter].u64);
        for (std::uint32_t counter = 0; counter < names; ++counter)
            if (inDoubles_[counter]) append(bytes, row[counter].f64);
    }
    return bytes;
}

}  // namespace zetl::metrics

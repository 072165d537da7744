#include "query/launches.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "injected/query_format.h"
#include "query/loader_functions.h"
#include "text/typed_value.h"

namespace zetl::queries {

#define LAUNCH_FUNCTIONS(use)                                                                               \
    use(zeKernelGetName) use(zeDeviceGetProperties) use(zetMetricGroupGet) use(zetMetricGroupGetProperties) \
        use(zetMetricGet) use(zetMetricGetProperties) use(zetContextActivateMetricGroups)                   \
            use(zetMetricQueryPoolCreate) use(zetMetricQueryCreate) use(zetMetricQueryReset)                \
                use(zetMetricQueryGetData) use(zetCommandListAppendMetricQueryBegin)                        \
                    use(zetCommandListAppendMetricQueryEnd) use(zetMetricGroupCalculateMetricValues)

ZETL_LOADER_FUNCTIONS(LoaderFunctions, LAUNCH_FUNCTIONS)

namespace {

using command::numberOf;

constexpr std::uint32_t kPoolSlots = 1000;

const char* wantedGroup() {
    const char* name = secure_getenv(command::kQueryGroupVariable);
    return name && *name ? name : nullptr;
}

bool isWanted(const char* variable) {
    const char* value = secure_getenv(variable);
    return value && std::strcmp(value, "1") == 0;
}

/// The text without characters that separate fields or lines.
std::string asField(std::string text) {
    for (char& each : text)
        if (each == '\t' || each == '\n') each = ' ';
    return text;
}

}  // namespace

Launches::Launches() : perLaunch_(isWanted(command::kQueryPerLaunchVariable)) {}

Launches& Launches::instance() {
    static auto* const made = new Launches;
    return *made;
}

void Launches::giveUp(const char* why) {
    if (!hopeless_) std::fprintf(stderr, "zetl: kernels are not measured: %s\n", why);
    hopeless_ = true;
}

void Launches::listEnds(ze_command_list_handle_t list) {
    const std::lock_guard guard(mutex_);
    collectLocked();
    for (auto at = brackets_.begin(); at != brackets_.end();) {
        auto* const bracket = *at;
        at = bracket->list == list ? brackets_.erase(at) : std::next(at);
        if (bracket->list == list) delete bracket;
    }
}

zet_metric_group_handle_t Launches::findGroup(ze_device_handle_t device) {
    std::uint32_t count = 0;
    if (functions_->zetMetricGroupGet(device, &count, nullptr) != ZE_RESULT_SUCCESS) return nullptr;
    std::vector<zet_metric_group_handle_t> groups(count);
    if (functions_->zetMetricGroupGet(device, &count, groups.data()) != ZE_RESULT_SUCCESS) return nullptr;
    const auto find = [&](const char* name) -> zet_metric_group_handle_t {
        for (auto* const group : groups) {
            zet_metric_group_properties_t properties{};
            properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
            if (functions_->zetMetricGroupGetProperties(group, &properties) == ZE_RESULT_SUCCESS &&
                (properties.samplingType & ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED) != 0 &&
                std::strcmp(properties.name, name) == 0)
                return group;
        }
        return nullptr;
    };
    if (const char* wanted = wantedGroup()) return find(wanted);
    for (const char* name : {"KernelSummary", "ComputeBasic", "NvidiaCompute"})
        if (auto* const found = find(name)) return found;
    return nullptr;
}

void Launches::readColumns(zet_metric_group_handle_t group) {
    if (!columns_.empty()) return;
    std::uint32_t count = 0;
    functions_->zetMetricGet(group, &count, nullptr);
    std::vector<zet_metric_handle_t> metrics(count);
    functions_->zetMetricGet(group, &count, metrics.data());
    for (std::uint32_t i = 0; i < count; ++i) {
        zet_metric_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES;
        functions_->zetMetricGetProperties(metrics[i], &properties);
        const std::string units = properties.resultUnits;
        columns_.push_back(asField(properties.name + (units.empty() ? "" : "[" + units + "]")));
        shares_.push_back(units == "percent" || units == "MHz");
        written_.push_back(properties.metricType != ZET_METRIC_TYPE_TIMESTAMP);
        if (std::strcmp(properties.name, "GpuCoreClocks") == 0) cyclesColumn_ = i;
    }
}

Launches::Source* Launches::sourceOf(const activity::Launch& launch) {
    const auto [at, fresh] = sources_.try_emplace({launch.context, launch.device});
    auto& source = at->second;
    if (fresh) {
        source.group = findGroup(launch.device);
        if (source.group)
            functions_->zetContextActivateMetricGroups(launch.context, launch.device, 1, &source.group);
        else
            giveUp("the device has no such event-based metric group; `zetl metrics list` lists the groups");
        if (source.group) readColumns(source.group);
        ze_device_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
        const bool known = functions_->zeDeviceGetProperties(launch.device, &properties) == ZE_RESULT_SUCCESS;
        // Its GpuTime is the host's, and its core clock cycles are what the work would take.
        if (known && std::strstr(properties.name, "(emulated)")) modelMhz_ = properties.coreClockRate;
    }
    return source.group ? &source : nullptr;
}

/// Null if no query can be made.
zet_metric_query_handle_t Launches::nextQuery(Source& source, const activity::Launch& launch) {
    if (!source.pool || source.used == kPoolSlots) {
        const zet_metric_query_pool_desc_t description{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                       ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, kPoolSlots};
        source.used = 0;
        if (functions_->zetMetricQueryPoolCreate(launch.context, launch.device, source.group, &description,
                                                 &source.pool) != ZE_RESULT_SUCCESS) {
            source.pool = nullptr;
            return nullptr;
        }
    }
    zet_metric_query_handle_t query = nullptr;
    const auto result = functions_->zetMetricQueryCreate(source.pool, source.used++, &query);
    return result == ZE_RESULT_SUCCESS ? query : nullptr;
}

std::string Launches::namesOf(std::span<const ze_kernel_handle_t> kernels) const {
    std::vector<std::string> names;
    for (auto* const kernel : kernels) {
        char name[1024] = "";
        std::size_t size = sizeof name;
        functions_->zeKernelGetName(kernel, &size, name);
        name[sizeof name - 1] = '\0';
        if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    }
    std::string all;
    for (const auto& each : names) all += (all.empty() ? "" : " + ") + each;
    return asField(all);
}

Bracket* Launches::begin(const activity::Launch& launch) {
    const std::lock_guard guard(mutex_);
    if (!functions_ && !hopeless_) functions_ = LoaderFunctions::find();
    if (!functions_) giveUp("the loader lacks the metrics functions");
    if (hopeless_) return nullptr;
    auto* const source = sourceOf(launch);
    auto* const query = source ? nextQuery(*source, launch) : nullptr;
    if (!query || functions_->zetCommandListAppendMetricQueryBegin(launch.list, query) != ZE_RESULT_SUCCESS)
        return nullptr;
    return new Bracket{source->group,    query, launch.list, namesOf(launch.kernels), perLaunch_ ? ++launches_ : 0,
                       launch.immediate, false};
}

void Launches::end(Bracket* bracket) {
    const std::lock_guard guard(mutex_);
    const auto result =
        functions_->zetCommandListAppendMetricQueryEnd(bracket->list, bracket->query, nullptr, 0, nullptr);
    if (result == ZE_RESULT_SUCCESS)
        brackets_.insert(bracket);
    else
        delete bracket;
}

void Launches::take(Bracket& bracket) {
    std::size_t size = 0;
    if (functions_->zetMetricQueryGetData(bracket.query, &size, nullptr) != ZE_RESULT_SUCCESS) return;
    std::vector<std::uint8_t> raw(size);
    if (functions_->zetMetricQueryGetData(bracket.query, &size, raw.data()) != ZE_RESULT_SUCCESS) return;
    auto count = static_cast<std::uint32_t>(columns_.size());
    std::vector<zet_typed_value_t> values(count);
    if (functions_->zetMetricGroupCalculateMetricValues(bracket.group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES,
                                                        size, raw.data(), &count, values.data()) != ZE_RESULT_SUCCESS ||
        count < columns_.size())
        return;
    // The slot is empty then, until the list executes again.
    functions_->zetMetricQueryReset(bracket.query);
    bracket.measured = true;
    auto& totals = kernels_[{bracket.number, bracket.kernel}];
    totals.values.resize(columns_.size());
    const auto cycles = cyclesColumn_ < values.size() ? numberOf(values[cyclesColumn_]) : 1;
    ++totals.launches;
    totals.cycles += cycles;
    for (std::size_t i = 0; i < columns_.size(); ++i)
        totals.values[i] += numberOf(values[i]) * (shares_[i] ? cycles : 1);
}

void Launches::collectLocked() {
    for (auto at = brackets_.begin(); at != brackets_.end();) {
        auto* const bracket = *at;
        take(*bracket);
        const bool over = bracket->measured && bracket->immediate;
        at = over ? brackets_.erase(at) : std::next(at);
        if (over) delete bracket;
    }
}

void Launches::collect() {
    const std::lock_guard guard(mutex_);
    collectLocked();
}

bool Launches::complete() const {
    const std::lock_guard guard(mutex_);
    for (const auto* bracket : brackets_)
        if (!bracket->measured) return false;
    return true;
}

void Launches::write(const char* file) {
    const std::lock_guard guard(mutex_);
    if (kernels_.empty()) return;
    const bool modelled = modelMhz_ > 0 && cyclesColumn_ < columns_.size();
    std::string text(1, command::kQueryHead);
    if (perLaunch_) text += "\tlaunch";
    if (modelled) text += "\tmodelled time[ns]";
    for (std::size_t i = 0; i < columns_.size(); ++i)
        if (written_[i]) text += "\t" + columns_[i];
    text += "\n";
    const auto add = [&](double value) {
        char number[64];
        std::snprintf(number, sizeof number, "\t%.17g", value);
        text += number;
    };
    for (const auto& [key, totals] : kernels_) {
        text += key.second + "\t" + std::to_string(totals.launches);
        if (perLaunch_) text += "\t" + std::to_string(key.first);
        if (modelled) add(totals.values[cyclesColumn_] * 1000 / modelMhz_);
        for (std::size_t i = 0; i < columns_.size(); ++i)
            if (written_[i]) add(totals.values[i] / (shares_[i] && totals.cycles > 0 ? totals.cycles : 1));
        text += "\n";
    }
    // One write, so that blocks of several processes do not mix.
    const int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0 || ::write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        std::fprintf(stderr, "zetl: cannot write the measurements to %s\n", file);
    if (descriptor >= 0) close(descriptor);
}

}  // namespace zetl::queries

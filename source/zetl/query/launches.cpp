#include "query/launches.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "query/device_peaks.h"
#include "query/kept_groups.h"
#include "query/loader_functions.h"
#include "text/typed_value.h"

namespace zetl::queries {

#define LAUNCH_FUNCTIONS(use)                                                                                       \
    use(zeKernelGetName) use(zeKernelGetProperties) use(zeDeviceGetProperties) use(zeDeviceGetMemoryProperties)     \
        use(zeDeviceGetComputeProperties) use(zetMetricGroupGet) use(zetMetricGroupGetProperties) use(zetMetricGet) \
            use(zetMetricGetProperties) use(zetContextActivateMetricGroups) use(zetMetricQueryPoolCreate)           \
                use(zetMetricQueryCreate) use(zetMetricQueryReset) use(zetMetricQueryGetData)                       \
                    use(zetCommandListAppendMetricQueryBegin) use(zetCommandListAppendMetricQueryEnd)               \
                        use(zetMetricGroupCalculateMetricValues)

ZETL_LOADER_FUNCTIONS(LoaderFunctions, LAUNCH_FUNCTIONS)

namespace {

using command::numberOf;

constexpr std::uint32_t kPoolSlots = 1000;

/// The names between the commas.
std::vector<std::string> wantedGroups() {
    const char* text = secure_getenv(command::kQueryGroupVariable);
    std::vector<std::string> names;
    std::istringstream stream(text ? text : "");
    for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
    return names;
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

std::string joined(std::span<const std::string> names) {
    std::string all;
    for (const auto& each : names) all += (all.empty() ? "" : " + ") + each;
    return asField(all);
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

std::vector<zet_metric_group_handle_t> Launches::findGroups(ze_device_handle_t device) {
    std::uint32_t count = 0;
    if (functions_->zetMetricGroupGet(device, &count, nullptr) != ZE_RESULT_SUCCESS) return {};
    std::vector<zet_metric_group_handle_t> groups(count);
    if (functions_->zetMetricGroupGet(device, &count, groups.data()) != ZE_RESULT_SUCCESS) return {};
    const auto find = [&](const std::string& name) -> zet_metric_group_handle_t {
        for (auto* const group : groups) {
            zet_metric_group_properties_t properties{};
            properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
            if (functions_->zetMetricGroupGetProperties(group, &properties) == ZE_RESULT_SUCCESS &&
                (properties.samplingType & ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED) != 0 &&
                name == properties.name)
                return group;
        }
        return nullptr;
    };
    std::vector<zet_metric_group_handle_t> all;
    for (const auto& name : wantedGroups()) all.push_back(find(name));
    for (const char* name : {"KernelSummary", "ComputeBasic", "NvidiaSpeedOfLight", "NvidiaCompute"})
        if (auto* const found = all.empty() ? find(name) : nullptr) all.push_back(found);
    return std::ranges::find(all, nullptr) == all.end() ? all : std::vector<zet_metric_group_handle_t>();
}

/// Devices have one set of counters per domain. The emulated GPU's model counts everything in one run, whatever is
/// active.
bool Launches::activate(const activity::Launch& launch, std::vector<zet_metric_group_handle_t>& groups) {
    const auto first = [&](std::size_t count) {
        std::vector<zet_metric_group_handle_t> all(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(count));
        KeptGroups::instance().addTo(all, launch.device);
        return functions_->zetContextActivateMetricGroups(launch.context, launch.device,
                                                          static_cast<std::uint32_t>(all.size()),
                                                          all.data()) == ZE_RESULT_SUCCESS;
    };
    return first(groups.size()) || (modelled_ && first(1));
}

Launches::Columns Launches::columnsOf(zet_metric_group_handle_t group) const {
    std::uint32_t count = 0;
    functions_->zetMetricGet(group, &count, nullptr);
    std::vector<zet_metric_handle_t> metrics(count);
    functions_->zetMetricGet(group, &count, metrics.data());
    Columns columns;
    for (std::uint32_t i = 0; i < count; ++i) {
        zet_metric_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES;
        functions_->zetMetricGetProperties(metrics[i], &properties);
        const std::string units = properties.resultUnits;
        const bool frequency = units == "MHz";
        // The model's cycles in the host's time are no frequency.
        const bool written = properties.metricType != ZET_METRIC_TYPE_TIMESTAMP && !(frequency && modelled_);
        columns.all.push_back({asField(properties.name + (units.empty() ? "" : "[" + units + "]")),
                               units == "percent" || frequency, written});
        columns.places.emplace(columns.all.back().heading, i);
        for (const char* name : {"GpuCoreClocks", "gpc__cycles_elapsed.max"})
            if (std::strcmp(properties.name, name) == 0) columns.cycles = i;
    }
    return columns;
}

void Launches::readColumns(std::span<const zet_metric_group_handle_t> groups) {
    if (!columns_.empty()) return;
    std::set<std::string> known;
    for (auto* const group : groups) {
        auto& columns = columns_.emplace_back(columnsOf(group));
        for (auto& column : columns.all) column.written = column.written && known.insert(column.heading).second;
    }
}

void Launches::readDevice(ze_device_handle_t device) {
    ze_device_properties_t properties{};
    ze_device_ip_version_ext_t version{};
    version.stype = ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT;
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    properties.pNext = &version;
    if (functions_->zeDeviceGetProperties(device, &properties) != ZE_RESULT_SUCCESS) return;
    // Its GpuTime is the host's, and its core clock cycles are what the work would take.
    if (!std::strstr(properties.name, "(emulated)")) return;
    modelled_ = true;
    ze_device_compute_properties_t compute{};
    compute.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
    functions_->zeDeviceGetComputeProperties(device, &compute);
    std::uint32_t count = 0;
    functions_->zeDeviceGetMemoryProperties(device, &count, nullptr);
    ze_device_memory_properties_t none{};
    none.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    std::vector<ze_device_memory_properties_t> memories(count, none);
    functions_->zeDeviceGetMemoryProperties(device, &count, memories.data());
    double bandwidth = 0;
    for (const auto& memory : memories)
        bandwidth += static_cast<double>(memory.maxClockRate) * memory.maxBusWidth / 8000;
    device_[command::coreMegahertz] = properties.coreClockRate;
    device_[command::subslices] = static_cast<double>(properties.numSlices) * properties.numSubslicesPerSlice;
    device_[command::enginesPerSubslice] = properties.numEUsPerSubslice;
    device_[command::threadsPerEngine] = properties.numThreadsPerEU;
    device_[command::memoryBytesPerNanosecond] = bandwidth;
    device_[command::localBytes] = compute.maxSharedLocalMemory;
    const auto& architecture = architectureOf(version.ipVersion);
    device_[command::l1BytesPerCycle] = l1BytesPerCycle(architecture);
    device_[command::doubleLanes] = architecture.doubleLanes;
}

Launches::Sources& Launches::sourcesOf(const activity::Launch& launch) {
    const auto [at, fresh] = sources_.try_emplace({launch.context, launch.device});
    auto& sources = at->second;
    if (!fresh) return sources;
    readDevice(launch.device);
    auto groups = findGroups(launch.device);
    if (groups.empty()) {
        giveUp("the device has no such event-based metric group; `zetl metrics list` lists the groups");
    } else if (!activate(launch, groups)) {
        giveUp("the device does not count these groups at the same time; measure one group per run");
    } else {
        readColumns(groups);
        for (auto* const group : groups) sources.push_back({group, nullptr, 0});
    }
    return sources;
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

void Launches::addNames(std::span<const ze_kernel_handle_t> kernels, std::vector<std::string>& names) const {
    for (auto* const kernel : kernels) {
        char name[1024] = "";
        std::size_t size = sizeof name;
        functions_->zeKernelGetName(kernel, &size, name);
        name[sizeof name - 1] = '\0';
        if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    }
}

std::uint64_t Launches::localBytesOf(std::span<const ze_kernel_handle_t> kernels) const {
    std::uint64_t most = 0;
    for (auto* const kernel : kernels) {
        ze_kernel_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
        if (functions_->zeKernelGetProperties(kernel, &properties) == ZE_RESULT_SUCCESS)
            most = std::max<std::uint64_t>(most, properties.localMemSize);
    }
    return most;
}

bool Launches::findFunctions() {
    if (!functions_ && !hopeless_) functions_ = LoaderFunctions::find();
    if (!functions_) giveUp("the loader lacks the metrics functions");
    return !hopeless_;
}

void Launches::describe(std::span<const ze_kernel_handle_t> kernels, activity::CapturedKernels& all) {
    const std::lock_guard guard(mutex_);
    if (!findFunctions()) return;
    addNames(kernels, all.names);
    all.localBytes = std::max(all.localBytes, localBytesOf(kernels));
}

Bracket* Launches::begin(const activity::Launch& launch) {
    const std::lock_guard guard(mutex_);
    if (!findFunctions()) return nullptr;
    auto bracket = std::make_unique<Bracket>();
    for (auto& source : sourcesOf(launch)) {
        auto* const query = nextQuery(source, launch);
        if (!query || functions_->zetCommandListAppendMetricQueryBegin(launch.list, query) != ZE_RESULT_SUCCESS)
            return nullptr;
        bracket->groups.push_back(source.group);
        bracket->queries.push_back(query);
    }
    if (bracket->queries.empty()) return nullptr;
    bracket->list = launch.list;
    activity::CapturedKernels own;
    if (!launch.captured) {
        addNames(launch.kernels, own.names);
        own.localBytes = localBytesOf(launch.kernels);
    }
    const auto& kernels = launch.captured ? *launch.captured : own;
    bracket->kernel = joined(kernels.names);
    bracket->localBytes = modelled_ ? kernels.localBytes : 0;
    bracket->number = perLaunch_ ? ++launches_ : 0;
    bracket->immediate = launch.immediate;
    return bracket.release();
}

void Launches::end(Bracket* bracket) {
    const std::lock_guard guard(mutex_);
    bool ended = true;
    for (auto* const query : bracket->queries)
        ended = functions_->zetCommandListAppendMetricQueryEnd(bracket->list, query, nullptr, 0, nullptr) ==
                    ZE_RESULT_SUCCESS &&
                ended;
    if (ended)
        brackets_.insert(bracket);
    else
        delete bracket;
}

bool Launches::read(zet_metric_group_handle_t group, zet_metric_query_handle_t query, std::size_t columns,
                    std::vector<zet_typed_value_t>& values) const {
    std::size_t size = 0;
    if (functions_->zetMetricQueryGetData(query, &size, nullptr) != ZE_RESULT_SUCCESS) return false;
    std::vector<std::uint8_t> raw(size);
    if (functions_->zetMetricQueryGetData(query, &size, raw.data()) != ZE_RESULT_SUCCESS) return false;
    auto count = static_cast<std::uint32_t>(columns);
    values.resize(count);
    return functions_->zetMetricGroupCalculateMetricValues(group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, size,
                                                           raw.data(), &count, values.data()) == ZE_RESULT_SUCCESS &&
           count >= columns;
}

void Launches::take(Bracket& bracket) {
    std::vector<std::vector<zet_typed_value_t>> values(bracket.queries.size());
    for (std::size_t g = 0; g < values.size(); ++g)
        if (!read(bracket.groups[g], bracket.queries[g], columns_[g].all.size(), values[g])) return;
    // The slots are empty then, until the list executes again.
    for (auto* const query : bracket.queries) functions_->zetMetricQueryReset(query);
    bracket.measured = true;
    auto& totals = kernels_[{bracket.number, bracket.kernel}];
    totals.groups.resize(columns_.size());
    ++totals.launches;
    totals.localBytes = std::max(totals.localBytes, bracket.localBytes);
    for (std::size_t g = 0; g < values.size(); ++g) {
        const auto& columns = columns_[g];
        auto& sums = totals.groups[g];
        sums.values.resize(columns.all.size());
        const auto cycles = columns.cycles < values[g].size() ? numberOf(values[g][columns.cycles]) : 1;
        sums.cycles += cycles;
        for (std::size_t i = 0; i < columns.all.size(); ++i)
            sums.values[i] += numberOf(values[g][i]) * (columns.all[i].share ? cycles : 1);
    }
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

std::size_t Launches::groupOfCycles(const Totals& totals) const {
    std::size_t most = columns_.size();
    for (std::size_t g = 0; g < columns_.size(); ++g)
        if (columns_[g].cycles != SIZE_MAX &&
            (most == columns_.size() || totals.groups[g].cycles > totals.groups[most].cycles))
            most = g;
    return most;
}

double Launches::valueOf(const Totals& totals, std::size_t group, std::size_t column) const {
    const auto modelled = groupOfCycles(totals);
    if (modelled < columns_.size()) {
        const auto found = columns_[modelled].places.find(columns_[group].all[column].heading);
        if (found != columns_[modelled].places.end()) {
            group = modelled;
            column = found->second;
        }
    }
    const auto& sums = totals.groups[group];
    return sums.values[column] / (columns_[group].all[column].share && sums.cycles > 0 ? sums.cycles : 1);
}

void Launches::write(const char* file) {
    const std::lock_guard guard(mutex_);
    if (kernels_.empty()) return;
    const bool timed = modelled_ && groupOfCycles(kernels_.begin()->second) < columns_.size();
    std::string text;
    const auto add = [&](double value) {
        char number[64];
        std::snprintf(number, sizeof number, "\t%.17g", value);
        text += number;
    };
    if (timed) {
        text += command::kQueryDevice;
        for (const double number : device_) add(number);
        text += "\n";
    }
    text += command::kQueryHead;
    if (perLaunch_) text += "\tlaunch";
    if (timed) text += "\tmodelled time[ns]\tlocal memory of a group[bytes]";
    for (const auto& columns : columns_)
        for (const auto& column : columns.all)
            if (column.written) text += "\t" + column.heading;
    text += "\n";
    for (const auto& [key, totals] : kernels_) {
        text += key.second + "\t" + std::to_string(totals.launches);
        if (perLaunch_) text += "\t" + std::to_string(key.first);
        if (timed) {
            add(totals.groups[groupOfCycles(totals)].cycles * 1000 / device_[command::coreMegahertz]);
            add(static_cast<double>(totals.localBytes));
        }
        for (std::size_t g = 0; g < columns_.size(); ++g)
            for (std::size_t i = 0; i < columns_[g].all.size(); ++i)
                if (columns_[g].all[i].written) add(valueOf(totals, g, i));
        text += "\n";
    }
    // One write, so that blocks of several processes do not mix.
    const int descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0 || ::write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        std::fprintf(stderr, "zetl: cannot write the measurements to %s\n", file);
    if (descriptor >= 0) close(descriptor);
}

}  // namespace zetl::queries

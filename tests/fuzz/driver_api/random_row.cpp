#include "fuzz/driver_api/random_row.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "fuzz/driver_api/descriptions.h"

namespace zetl::test {
namespace {

using Kind = RowParameter::Kind;

/// What a pointer leads to: memory of its own for each type and place, so that commands, which may write bytes and
/// times later, never change a structure.
class Scratch {
  public:
    static constexpr std::size_t kBytes = 1 << 16;

    void* cleared(const RowParameter& parameter) {
        auto& memory = memory_[{parameter.type, parameter.index}];
        if (!memory) memory = std::make_unique<Memory>();
        memory->fill(std::byte{});
        return memory->data();
    }
    const auto& all() const { return memory_; }

  private:
    using Memory = std::array<std::byte, kBytes>;
    std::map<std::pair<std::type_index, std::size_t>, std::unique_ptr<Memory>> memory_;
};

Scratch& scratch() {
    static Scratch memory;
    return memory;
}

constexpr const char* kNames[] = {"", "step", "zeInit", "zexMemGetIpcHandles"};
constexpr const char* kFiles[] = {"", "/dev/null", "/nowhere/graph.dot"};
/// What fits into scratch memory.
constexpr std::uint64_t kNumbers[] = {0, 1, 2, 3, 4, 7, 16, 64, 100, 4096};
/// What fits into nothing, and what only ranges and allocations have room for.
constexpr std::uint64_t kAbsurdNumbers[] = {1 << 21, 1ull << 40, UINT32_MAX, 1ull << 63, UINT64_MAX - 15, UINT64_MAX};

bool hasName(const Row& row, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return row.name.find(part) != row.name.npos; });
}

/// True for a pointer to memory that commands or the driver's bookkeeping use; the driver itself reads what others lead
/// to, such as patterns and chained structures.
bool leadsToMemory(const Row& row, const RowParameter& parameter) {
    if (hasName(row, {"MemoryFill", "WithProperties"})) return parameter.index == 1;
    if (hasName(row, {"WithParameters"}) && parameter.index > 3) return false;
    if (hasName(row,
                {"AppendMem", "AppendImageCopy", "QueryKernelTimestamps", "MemoryResident", "EvictMemory", "Pointer"}))
        return true;
    return row.name.starts_with("zeMem") || row.name.starts_with("zexMem") || row.name.starts_with("zeVirtualMem");
}

class RandomArguments : public Chooser {
  public:
    RandomArguments(const Row& row, HandlePool& pool, const RowMemory& memory, Script& script)
        : row_(row),
          pool_(pool),
          memory_(memory),
          script_(script),
          waits_(hasName(row, {"Synchronize", "Listen"})),
          // The size of a pattern, and that of raw data, say how much of it is read.
          absurd_(!waits_ && !hasName(row, {"MemoryFill", "CalculateValues", "TracerDecode"}) &&
                  script.byte() % 4 == 0) {}

    void* pointer(const RowParameter& parameter) override {
        if (parameter.kind == Kind::handle) return handle(parameter.type);
        if (script_.byte() % 16 == 0) return nullptr;
        if (parameter.kind == Kind::text) return const_cast<char*>(text());
        if (parameter.kind == Kind::data && parameter.type == typeid(void)) return bytes(parameter);
        void* const place = scratch().cleared(parameter);
        if (parameter.kind == Kind::handles) fillHandles(parameter.type, static_cast<void**>(place));
        if (parameter.kind == Kind::data) fillData(parameter, place);
        places_[parameter.index] = place;
        return place;
    }
    std::uint64_t number(const RowParameter& parameter) override {
        if (parameter.type == typeid(float) || parameter.type == typeid(double)) return script_.byte();
        return number();
    }

    /// What the call wrote there, where a pointer to handles or to a pointer was passed.
    void* written(std::size_t index) const {
        return places_[index] ? *static_cast<void* const*>(places_[index]) : nullptr;
    }

  private:
    const char* text() {
        const std::uint8_t choice = script_.byte();
        return hasName(row_, {"Dump"}) ? kFiles[choice % std::size(kFiles)] : kNames[choice % std::size(kNames)];
    }

    std::uint64_t number() {
        const std::uint8_t choice = script_.byte();
        if (absurd_ && choice % 2) return kAbsurdNumbers[(choice >> 1) % std::size(kAbsurdNumbers)];
        const std::uint64_t small = kNumbers[choice % std::size(kNumbers)];
        return waits_ ? std::min<std::uint64_t>(small, 16) : small;
    }

    void* handle(std::type_index type) {
        const std::uint8_t choice = script_.byte();
        const auto& made = pool_.of(type);
        if (choice < 4 || made.empty()) return badHandle(type, choice);
        return made[made.size() - 1 - choice % std::min<std::size_t>(made.size(), 4)];
    }
    void* badHandle(std::type_index type, std::uint8_t choice) {
        void* const driver = pool_.last<ze_driver_handle_t>();
        void* const device = pool_.last<ze_device_handle_t>();
        switch (choice) {
            case 1:
                return reinterpret_cast<void*>(0x1000);
            case 2:
                return objectKind(type) == typeid(ze_driver_handle_t) ? device : driver;
            case 3:
                return static_cast<char*>(device) + sizeof(void*);
            default:
                return nullptr;
        }
    }
    /// No wait for an event: it might never be signalled, and every sequence is to end.
    void fillHandles(std::type_index type, void** place) {
        if (type == typeid(ze_event_handle_t)) {
            place[0] = badHandle(type, script_.byte() % 4);
            return;
        }
        for (std::size_t i = 0, count = script_.byte() % 3u; i < count; ++i) place[i] = handle(type);
    }
    void fillData(const RowParameter& parameter, void* place) {
        if (parameter.type == typeid(std::uint32_t))
            *static_cast<std::uint32_t*>(place) = static_cast<std::uint32_t>(number());
        if (parameter.type == typeid(std::uint64_t)) *static_cast<std::uint64_t*>(place) = number();
        if (parameter.type == typeid(zet_intel_metric_calculation_exp_desc_t))
            describeCalculation(*static_cast<zet_intel_metric_calculation_exp_desc_t*>(place));
        describe(parameter.type, place, script_);
    }
    /// Of one metric and one scope: then the memory has room for the values of as many reports as any call asks for.
    void describeCalculation(zet_intel_metric_calculation_exp_desc_t& to) {
        static zet_metric_handle_t metric = nullptr;
        static zet_intel_metric_scope_exp_handle_t scope = nullptr;
        static zet_intel_metric_calculation_time_window_exp_t window{};
        metric = static_cast<zet_metric_handle_t>(handle(typeid(metric)));
        scope = static_cast<zet_intel_metric_scope_exp_handle_t>(handle(typeid(scope)));
        window = {script_.byte(), script_.byte()};
        const std::uint8_t choice = script_.byte();
        to.stype = ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULATION_DESC_EXP;
        to.metricCount = choice % 8 ? 1 : 0;
        to.phMetrics = choice % 16 ? &metric : nullptr;
        to.metricScopesCount = choice % 8 == 1 ? 0 : 1;
        to.phMetricScopes = choice % 16 == 2 ? nullptr : &scope;
        to.timeWindowsCount = choice / 16 % 2;
        to.pCalculationTimeWindows = choice % 16 == 3 ? nullptr : &window;
        to.timeAggregationWindow = script_.byte();
    }
    /// Absurd sizes go with memory whose size the driver knows.
    void* bytes(const RowParameter& parameter) {
        if (!leadsToMemory(row_, parameter)) return scratch().cleared(parameter);
        const std::uint8_t choice = script_.byte();
        const auto& known = choice % 4 ? memory_.allocations : memory_.ranges;
        if (!known.empty() && (absurd_ || choice % 8))
            return known[known.size() - 1 - choice / 8 % std::min<std::size_t>(known.size(), 8)];
        return absurd_ ? nullptr : scratch().cleared(parameter);
    }

    const Row& row_;
    HandlePool& pool_;
    const RowMemory& memory_;
    Script& script_;
    bool waits_;
    bool absurd_;
    std::array<void*, 24> places_{};
};

std::vector<RowCalls>& calls() {
    static std::vector<RowCalls> counts(driverRows().size());
    return counts;
}

/// Adds what the call made.
void keep(const Row& row, const RandomArguments& arguments, HandlePool& pool, RowMemory& memory) {
    const bool makesObjects = hasName(row, {"Create", "Instantiate", "EndGraphCapture", "Open"});
    for (const RowParameter& parameter : row.parameters) {
        if (parameter.kind == Kind::handles && makesObjects)
            if (void* made = arguments.written(parameter.index)) pool.of(parameter.type).push_back(made);
        if (parameter.type != typeid(void*)) continue;
        if (row.name.starts_with("zeMemAlloc")) memory.allocations.push_back(arguments.written(parameter.index));
        if (row.name == "zeVirtualMemReserve") memory.ranges.push_back(arguments.written(parameter.index));
    }
}

}  // namespace

void callRandomRow(HandlePool& pool, RowMemory& memory, Script& script) {
    const std::size_t place = script.word() % driverRows().size();
    const Row& row = driverRows()[place];
    RandomArguments arguments(row, pool, memory, script);
    const std::uint64_t answer = row.call(arguments);
    ++calls()[place].all;
    if (!row.returnsCode) return;
    if (answer == ZE_RESULT_ERROR_UNKNOWN) {
        std::fprintf(stderr, "%s answered UNKNOWN\n", row.name.data());
        std::abort();
    }
    if (answer != ZE_RESULT_SUCCESS) return;
    ++calls()[place].successful;
    keep(row, arguments, pool, memory);
}

void releaseRowMemory(HandlePool& pool, RowMemory& memory) {
    auto* const driver = pool.last<ze_driver_handle_t>();
    const auto release = reinterpret_cast<ze_result_t (*)(ze_driver_handle_t, void*)>(
        ::zetl::emulator::driver::servedFunction("zexDriverReleaseImportedPointer"));
    for (const auto& [place, bytes] : scratch().all()) release(driver, bytes->data());
    auto* const context = DRIVER_FUNCTION(zeDriverGetDefaultContext)(driver);
    for (void* range : memory.ranges) {
        for (const std::uint64_t bytes : kAbsurdNumbers) {
            DRIVER_FUNCTION(zeVirtualMemUnmap)(context, range, bytes);
            DRIVER_FUNCTION(zeVirtualMemFree)(context, range, bytes);
        }
    }
}

const std::vector<RowCalls>& rowCalls() { return calls(); }

}  // namespace zetl::test

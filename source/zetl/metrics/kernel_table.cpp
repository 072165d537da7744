#include "metrics/kernel_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "text/csv.h"
#include "text/json.h"

namespace zetl::command {
namespace {

using Words = std::vector<std::string>;

Json cellOf(const std::string& text) {
    double value = 0;
    const auto* const last = text.data() + text.size();
    if (std::from_chars(text.data(), last, value).ec != std::errc()) return text;
    constexpr double kExact = 9007199254740992.0;
    const bool whole = value >= 0 && value < kExact && value == static_cast<double>(static_cast<std::uint64_t>(value));
    return whole ? Json(static_cast<std::uint64_t>(value)) : Json(value);
}

/// What the device can do at most, in bytes or operations per nanosecond.
using PeakOf = double (*)(const ModelledDevice& device);
double noPeak(const ModelledDevice&) { return 1; }
double l1Peak(const ModelledDevice& device) { return device[subslices] * device[l1BytesPerCycle] * device.gigahertz(); }
double l3Peak(const ModelledDevice& device) { return device[subslices] * kL3BytesPerCycle * device.gigahertz(); }
double memoryPeak(const ModelledDevice& device) { return device[memoryBytesPerNanosecond]; }
/// A multiplication with an addition is two operations.
double lanesPeak(const ModelledDevice& device, double lanes) {
    return device.engines() * lanes * 2 * device.gigahertz();
}
/// An engine takes 64 bytes of each operand per cycle.
double halfPeak(const ModelledDevice& device) { return lanesPeak(device, 32); }
double singlePeak(const ModelledDevice& device) { return lanesPeak(device, 16); }
double doublePeak(const ModelledDevice& device) { return lanesPeak(device, device[doubleLanes]); }

/// One or two columns.
using Headings = std::array<std::string_view, 2>;

/// A column that is computed from sums of others.
struct Derived {
    const char* heading;
    Headings above;
    Headings below;
    double factor = 1;
    PeakOf peak = nullptr;  ///< for devices with a model: also divides
};

constexpr Headings kModelledTime = {"modelled time[ns]"};
constexpr Headings kL1Bytes = {"LOAD_STORE_CACHE_BYTE_READ[bytes]", "LOAD_STORE_CACHE_BYTE_WRITE[bytes]"};
constexpr Headings kL3Bytes = {"L3_BYTE_READ[bytes]", "L3_BYTE_WRITE[bytes]"};
constexpr Headings kMemoryBytes = {"GPU_MEMORY_BYTE_READ[bytes]", "GPU_MEMORY_BYTE_WRITE[bytes]"};
constexpr Headings kHalf = {"XVE_OPERATIONS_FP16[events]"};
constexpr Headings kSingle = {"XVE_OPERATIONS_FP32[events]"};
constexpr Headings kDouble = {"XVE_OPERATIONS_FP64[events]"};

constexpr Derived kDerived[] = {
    {"L1[GB/s]", kL1Bytes, kModelledTime, 1, noPeak},
    {"L1 of peak[percent]", kL1Bytes, kModelledTime, 100, l1Peak},
    {"L3[GB/s]", kL3Bytes, kModelledTime, 1, noPeak},
    {"L3 of peak[percent]", kL3Bytes, kModelledTime, 100, l3Peak},
    {"memory[GB/s]", kMemoryBytes, kModelledTime, 1, noPeak},
    {"memory of peak[percent]", kMemoryBytes, kModelledTime, 100, memoryPeak},
    {"FP16[GFLOP/s]", kHalf, kModelledTime, 1, noPeak},
    {"FP16 of peak[percent]", kHalf, kModelledTime, 100, halfPeak},
    {"FP32[GFLOP/s]", kSingle, kModelledTime, 1, noPeak},
    {"FP32 of peak[percent]", kSingle, kModelledTime, 100, singlePeak},
    {"FP64[GFLOP/s]", kDouble, kModelledTime, 1, noPeak},
    {"FP64 of peak[percent]", kDouble, kModelledTime, 100, doublePeak},
    {"XMX float[GFLOP/s]", {"XVE_OPERATIONS_XMX_FLOAT[events]"}, kModelledTime, 1, noPeak},
    {"XMX integer[GOP/s]", {"XVE_OPERATIONS_XMX_INT[events]"}, kModelledTime, 1, noPeak},
    {"L1 hits[percent]", {"LOAD_STORE_CACHE_HIT[events]"}, {"LOAD_STORE_CACHE_ACCESS[events]"}, 100},
    {"L3 hits[percent]", {"L3_HIT[events]"}, {"L3_HIT[events]", "L3_MISS[events]"}, 100},
    {"intensity[events/byte]", {"XVE_INST_EXECUTED_ALU0_ALL[events]"}, kMemoryBytes},
};

std::optional<double> sumOfColumns(const Headings& headings, const Table& table, const std::vector<Json>& row) {
    double sum = 0;
    for (const auto heading : headings) {
        if (heading.empty()) continue;
        const auto number = numberIn(table, row, heading);
        if (!number) return std::nullopt;
        sum += *number;
    }
    return sum;
}

/// Empty if a column is missing.
std::optional<double> derivedValue(const Derived& derived, const KernelTable& kernels, const std::vector<Json>& row) {
    if (derived.peak && !kernels.device) return std::nullopt;
    const auto above = sumOfColumns(derived.above, kernels.table, row);
    auto below = sumOfColumns(derived.below, kernels.table, row);
    if (!above || !below) return std::nullopt;
    if (derived.peak) *below *= derived.peak(*kernels.device);
    return *below > 0 ? derived.factor * *above / *below : 0.0;
}

void addDerived(KernelTable& kernels) {
    auto& [headings, rows] = kernels.table;
    for (const auto& each : kDerived) {
        std::vector<Json> cells;
        for (const auto& row : rows)
            if (const auto value = derivedValue(each, kernels, row)) cells.emplace_back(*value);
        if (cells.size() != rows.size() || cells.empty()) continue;
        headings.emplace_back(each.heading);
        for (std::size_t i = 0; i < cells.size(); ++i) rows[i].push_back(std::move(cells[i]));
    }
}

std::optional<ModelledDevice> modelledDeviceFrom(const Words& fields) {
    ModelledDevice device;
    if (fields.size() != kDeviceNumbers + 1) return std::nullopt;
    for (std::size_t i = 0; i < kDeviceNumbers; ++i) {
        const auto number = cellOf(fields[i + 1]);
        if (!number.is_number()) return std::nullopt;
        device.numbers[i] = number.get<double>();
    }
    return device;
}

}  // namespace

std::optional<double> numberIn(const Table& table, const std::vector<Json>& row, std::string_view heading) {
    const auto found = std::ranges::find(table.headings, heading);
    if (found == table.headings.end()) return std::nullopt;
    const auto& cell = row[static_cast<std::size_t>(found - table.headings.begin())];
    return cell.is_number() ? std::optional(cell.get<double>()) : std::nullopt;
}

KernelTable kernelTable(const std::string& written) {
    KernelTable kernels;
    auto& table = kernels.table;
    std::istringstream stream(written);
    for (std::string line; std::getline(stream, line);) {
        auto fields = fieldsOf(line);
        if (line.starts_with(kQueryDevice)) {
            kernels.device = modelledDeviceFrom(fields);
        } else if (line.starts_with(kQueryHead)) {
            table.headings = {"kernel", "launches"};
            table.headings.insert(table.headings.end(), fields.begin() + 1, fields.end());
        } else if (fields.size() == table.headings.size() && !fields.empty()) {
            auto& row = table.rows.emplace_back();
            row.emplace_back(fields[0]);
            for (std::size_t i = 1; i < fields.size(); ++i) row.push_back(cellOf(fields[i]));
        }
    }
    addDerived(kernels);
    return kernels;
}

}  // namespace zetl::command

// What libzetl_queries.so measured of kernels, and what follows from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "injected/query_format.h"
#include "text/table.h"

namespace zetl::command {

/// A device whose clock cycles are those of a model.
struct ModelledDevice {
    std::vector<double> numbers = std::vector<double>(kDeviceNumbers);

    double operator[](DeviceNumber number) const { return numbers[number]; }
    /// Cycles in a nanosecond.
    double gigahertz() const { return numbers[coreMegahertz] / 1000; }
    double engines() const { return numbers[subslices] * numbers[enginesPerSubslice]; }
    /// Places for hardware threads.
    double places() const { return engines() * numbers[threadsPerEngine]; }
};

struct KernelTable {
    Table table;  ///< one row per kernel or launch: name, launches, what was measured, and what is derived from that
    std::optional<ModelledDevice> device;  ///< empty if durations are those of hardware
};

/// From the text that libzetl_queries.so wrote (query_format.h). Derived columns exist if all columns that they need
/// exist: rates and their shares of what the device can do, hit rates, and float instructions per byte of device memory
/// for a roofline plot, whose other axis is the float pipe's share of the cycles.
KernelTable kernelTable(const std::string& written);

/// The number in the column with that heading; empty if there is no such column, or no number in it.
std::optional<double> numberIn(const Table& table, const std::vector<Json>& row, std::string_view heading);

/// Bytes that L3 moves for a sub-slice in a cycle: that of all timing models.
inline constexpr double kL3BytesPerCycle = 64;

}  // namespace zetl::command

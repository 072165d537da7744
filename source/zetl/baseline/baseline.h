// What the kernels of a program cost on an emulated device, kept to be compared with later runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "text/table.h"

namespace zetl::command {

/// Counters by their heading, such as "XVE_INST_EXECUTED_ALL[events]".
using KernelCost = std::map<std::string, double>;

/// The number of launches, and the time that the model gives them.
inline constexpr const char* kLaunches = "launches";
inline constexpr const char* kModelledTimeOf = "modelled time[ns]";

struct Baseline {
    std::string version;   ///< of zetl
    std::string device;    ///< profile
    std::string compiler;  ///< file and version
    std::map<std::string, KernelCost> kernels;
};

/// The columns of a table of kernels that are the same in every run, summed over rows of one kernel.
std::map<std::string, KernelCost> costsIn(const Table& table);

std::string baselineText(const Baseline& baseline);
/// Throws UsageError for text that is no baseline; `name` is that of the file.
Baseline readBaseline(const std::string& text, const std::string& name);

/// Why both cannot be compared: "device small there, tiny here"; empty if they can be.
std::string mismatch(const Baseline& there, const Baseline& here);

/// Changes of at most so many per cent are none.
struct Tolerance {
    double counters = 0;
    double time = 0;
};

/// A counter that differs. Nothing: there is no such kernel or counter.
struct CostChange {
    std::string kernel;
    std::string counter;  ///< empty: the whole kernel
    std::optional<double> before;
    std::optional<double> now;
    std::optional<double> percent() const;
};

/// In the order of kernels, the modelled time first.
std::vector<CostChange> changesBetween(const Baseline& before, const Baseline& now, const Tolerance& tolerance);

/// "1 kernel", "2 kernels"
std::string kernelsText(std::size_t kernels);

/// Numbers are empty where there is no such kernel or counter.
Table changesTable(const std::vector<CostChange>& changes);
/// For people; as a table of Markdown.
std::string changesText(const std::vector<CostChange>& changes);
std::string changesMarkdown(const std::vector<CostChange>& changes, std::size_t kernels);

/// A file with a baseline.
struct BaselineFile {
    std::string name;
    std::string text;
};

/// A test case for each kernel of either, and a problem for each that has changed, in its line of the file. Changes
/// that are accepted are worth no more than a notice.
Report changesReport(const std::vector<CostChange>& changes, const Baseline& before, const Baseline& now,
                     const BaselineFile& file, bool accepted);

}  // namespace zetl::command

#include "calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "emulator/machine/profile.h"
#include "measurements.h"
#include "workload.h"

namespace zetl::benchmark::emulator {
namespace {

constexpr double kMedian = 15;  // percent
constexpr double kWorst = 40;

const char* nameOf(Unit unit) {
    switch (unit) {
        case Unit::cycles:
            return "cycles";
        case Unit::gigabytes:
            return "GB/s";
        case Unit::operations:
            return "Tera/s";
        case Unit::bytesPerCycle:
            return "bytes/cycle";
        case Unit::microseconds:
            return "µs";
    }
    return "";
}

/// What a trial found, in the measurement's unit.
double inUnit(const Measurement& measurement, double perCycle, std::uint32_t megahertz) {
    switch (measurement.unit) {
        case Unit::gigabytes:
            return perCycle * megahertz * 1e-3;
        case Unit::operations:
            return perCycle * megahertz * 1e-6;
        default:
            return perCycle;
    }
}

/// Each with the compiler that it is measured with elsewhere: the system's knows no Xe2.
void chooseCompiler(const ::zetl::emulator::machine::DeviceProfile& profile) {
    const bool isXe2 = profile.architecture().name != "xe-hpc";
    setenv("ZETL_COMPILER", isXe2 ? "newest" : "system", 1);
}

/// Prints rows as they come, and sums them up.
class Comparison {
  public:
    Comparison() {
        fmt::print(
            "| measured | device | published | model | unit | error | kernel | source "
            "|\n|---|---|---|---|---|---|---|---|\n");
    }
    void addUnmodelled(const Measurement& row) {
        printRow(row, "not modelled", "-");
        explain(row);
    }
    void add(const Measurement& row, double model) {
        const double error = 100 * (model / row.published - 1);
        printRow(row, fmt::format("{:.4g}", model), fmt::format("{:+.1f} %", error));
        errors_.push_back(std::abs(error));
        if (std::abs(error) > kWorst) explain(row);
    }
    /// Returns whether the goals are met.
    bool conclude() const {
        const double middle = median(errors_);
        fmt::print("\nMedian of {} errors: {:.1f} %\n", errors_.size(), middle);
        if (!reasons_.empty()) fmt::print("\nErrors above {} %, and what is not modelled:\n\n{}", kWorst, reasons_);
        return unexplained_ == 0 && middle <= kMedian;
    }

  private:
    static void printRow(const Measurement& row, const std::string& model, const std::string& error) {
        fmt::print("| {} | {} | {:.4g} | {} | {} | {} | {} | [{}] |\n", row.what, row.device, row.published, model,
                   nameOf(row.unit), error, row.kernel, row.source);
        std::fflush(stdout);
    }
    void explain(const Measurement& row) {
        unexplained_ += row.reason == nullptr;
        reasons_ +=
            fmt::format("- {}, {}: {}\n", row.device, row.what, row.reason != nullptr ? row.reason : "no reason known");
    }

    std::vector<double> errors_;
    std::string reasons_;
    int unexplained_ = 0;
};

using MachineProfile = ::zetl::emulator::machine::Profile;

MachineProfile profileOf(std::string_view device, const Board& board) {
    MachineProfile profile = ::zetl::emulator::machine::loadProfile(device);
    auto& described = profile.devices.at(0);
    if (board.megahertz != 0) described.coreClockMhz = board.megahertz;
    if (board.subslices != 0) described.subslicesPerSlice = board.subslices;
    return profile;
}

/// Rows of one board, which are next to each other.
void measureBoard(Comparison& comparison, std::span<const Measurement> rows) {
    const MachineProfile profile = profileOf(rows.front().device, rows.front().board);
    chooseCompiler(profile.devices.at(0));
    Lab lab{profile};
    for (const Measurement& row : rows) {
        if (row.trial == nullptr)
            comparison.addUnmodelled(row);
        else
            comparison.add(row, inUnit(row, row.trial(lab), lab.profile().coreClockMhz));
    }
}

bool isOfOneBoard(const Measurement& one, const Measurement& other) {
    return std::string_view(one.device) == other.device && one.board == other.board;
}

}  // namespace

int compareCalibration(std::string_view device) {
    Comparison comparison;
    auto rows = measurements();
    while (!rows.empty()) {
        const auto end = std::ranges::find_if_not(rows, [&](const auto& row) { return isOfOneBoard(row, rows[0]); });
        const auto board = rows.first(static_cast<std::size_t>(end - rows.begin()));
        if (device.empty() || device == board.front().device) measureBoard(comparison, board);
        rows = rows.subspan(board.size());
    }
    return comparison.conclude() ? 0 : 1;
}

}  // namespace zetl::benchmark::emulator

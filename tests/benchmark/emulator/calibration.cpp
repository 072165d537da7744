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
double inUnit(const Measurement& measurement, double perCycle, std::uint32_t profileMegahertz) {
    const std::uint32_t megahertz = measurement.megahertz == 0 ? profileMegahertz : measurement.megahertz;
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

/// Of one device.
void measureDevice(Comparison& comparison, std::string_view device) {
    chooseCompiler(::zetl::emulator::machine::loadProfile(device).devices.at(0));
    Lab lab{std::string(device)};
    for (const Measurement& row : measurements()) {
        if (device != row.device) continue;
        if (row.trial == nullptr)
            comparison.addUnmodelled(row);
        else
            comparison.add(row, inUnit(row, row.trial(lab), lab.profile().coreClockMhz));
    }
}

}  // namespace

int compareCalibration(std::string_view device) {
    Comparison comparison;
    std::string_view last;
    for (const Measurement& row : measurements()) {
        if (last == row.device || (!device.empty() && device != row.device)) continue;
        last = row.device;
        measureDevice(comparison, last);
    }
    return comparison.conclude() ? 0 : 1;
}

}  // namespace zetl::benchmark::emulator

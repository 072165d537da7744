// What `zetl metrics query` says to people, from measurements that a test writes.
#include "metrics/kernel_report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "metrics/kernel_facts.h"
#include "query/device_peaks.h"
#include "text/terminal.h"

namespace zetl::command {
namespace {

/// The measurements of one kernel on a device of 1 GHz with two sub-slices of 8 engines with 8 places, and memory of 64
/// bytes per nanosecond.
class Measured {
  public:
    Measured() {
        set("launches", 2);
        set("modelled time[ns]", 1000);
        set("local memory of a group[bytes]", 0);
        set("GpuCoreClocks[cycles]", 1000);
        set("XVE_THREADS_OCCUPANCY_ALL[percent]", 50);
        set("XVE_COMPUTE_THREAD_COUNT[threads]", 512);
        set("XVE_COMPUTE_GROUP_COUNT[events]", 32);
        for (const char* reason : {"SBID", "ALUWR", "BARRIER"}) set(stall(reason), 0);
        for (const char* pipe : {"ALU0", "ALU1", "XMX"})
            set("XVE_INST_EXECUTED_" + std::string(pipe) + "_ALL_UTILIZATION[percent]", 0);
        for (const char* level : {"LOAD_STORE_CACHE", "L3", "GPU_MEMORY"})
            for (const char* way : {"_BYTE_READ[bytes]", "_BYTE_WRITE[bytes]"}) set(std::string(level) + way, 0);
        set("XVE_OPERATIONS_FP32[events]", 0);
    }
    Measured& set(const std::string& heading, double value) {
        const auto at = std::ranges::find(headings_, heading);
        values_.resize(headings_.size());
        if (at == headings_.end()) headings_.push_back(heading);
        values_.resize(headings_.size());
        values_[static_cast<std::size_t>(std::ranges::find(headings_, heading) - headings_.begin())] = value;
        return *this;
    }
    KernelTable table(const std::vector<std::string>& names = {"k"}) const {
        std::ostringstream text;
        text << "@\t1000\t2\t8\t8\t64\t1000\t512\t8\n#";
        for (std::size_t i = 1; i < headings_.size(); ++i) text << '\t' << headings_[i];
        for (const auto& name : names) {
            text << '\n' << name;
            for (const double value : values_) text << '\t' << value;
        }
        text << '\n';
        return kernelTable(text.str());
    }
    static std::string stall(const std::string& reason) { return "XVE_STALL_" + reason + "[events]"; }

  private:
    std::vector<std::string> headings_;
    std::vector<double> values_;
};

std::string limitOf(const Measured& measured) {
    const auto kernels = measured.table();
    return KernelFacts(kernels, kernels.table.rows[0]).occupancyLimit();
}
std::string adviceOf(const Measured& measured) {
    const auto kernels = measured.table();
    return KernelFacts(kernels, kernels.table.rows[0]).advice();
}
bool begins(const std::string& text, const char* with) { return text.starts_with(with); }
constexpr const char* kFloatPipe = "XVE_INST_EXECUTED_ALU0_ALL_UTILIZATION[percent]";

TEST(KernelReport, RatesAreInTheModelsTime) {
    Measured measured;
    measured.set("L3_BYTE_READ[bytes]", 48000).set("L3_BYTE_WRITE[bytes]", 16000);
    measured.set("XVE_OPERATIONS_FP32[events]", 256000);
    const auto kernels = measured.table();
    const KernelFacts facts(kernels, kernels.table.rows[0]);
    EXPECT_EQ(facts.number("L3[GB/s]"), 64);
    EXPECT_EQ(facts.number("L3 of peak[percent]"), 50) << "64 bytes per cycle and sub-slice";
    EXPECT_EQ(facts.number("FP32[GFLOP/s]"), 256);
    EXPECT_EQ(facts.number("FP32 of peak[percent]"), 50) << "16 lanes of 16 engines, two operations each";
    EXPECT_EQ(facts.number("L1 hits[percent]"), std::nullopt) << "not measured";
}

TEST(KernelReport, TheLimitOfOccupancyIsNamed) {
    EXPECT_EQ(limitOf(Measured().set("XVE_THREADS_OCCUPANCY_ALL[percent]", 95)), "");
    EXPECT_TRUE(begins(limitOf(Measured().set("XVE_COMPUTE_THREAD_COUNT[threads]", 128)),
                       "the work: 64 threads per launch for 128 places"));
    EXPECT_TRUE(begins(limitOf(Measured().set("local memory of a group[bytes]", 600)),
                       "local memory: 1 work-groups of 16 threads per Xe core"));
    EXPECT_TRUE(begins(limitOf(Measured().set("XVE_COMPUTE_GROUP_COUNT[events]", 12)), "the group size: 43 threads"));
    EXPECT_TRUE(begins(limitOf(Measured()), "uneven ends"));
}

TEST(KernelReport, AdviceFollowsFromTheLimit) {
    EXPECT_TRUE(begins(adviceOf(Measured().set("GPU_MEMORY_BYTE_READ[bytes]", 60000)), "device memory is the limit"));
    EXPECT_TRUE(begins(adviceOf(Measured().set(kFloatPipe, 80)), "the float pipe (ALU0) is the limit"));
    EXPECT_TRUE(
        begins(adviceOf(Measured().set("XVE_COMPUTE_THREAD_COUNT[threads]", 64)), "The device is mostly empty"));
    // 128 places hold threads for half of 1000 cycles.
    EXPECT_TRUE(begins(adviceOf(Measured().set(Measured::stall("SBID"), 32000)), "Latency is the limit"));
    EXPECT_TRUE(begins(adviceOf(Measured().set(Measured::stall("BARRIER"), 32000)), "Threads wait for each other"));
    EXPECT_TRUE(begins(adviceOf(Measured().set(Measured::stall("ALUWR"), 32000)), "No single limit"));
}

TEST(KernelReport, LeadsWithTheDurationAndFitsTheScreen) {
    Measured measured;
    measured.set(kFloatPipe, 50).set(Measured::stall("SBID"), 16000).set("GpuTime[ns]", 5'000'000);
    const std::string name(200, 'n');
    TopStall top;
    top.place = "some_file_with_a_rather_long_name_that_goes_on_and_on_and_on_and_on.cl:7";
    top.text = std::string(100, 't');
    const auto text = kernelReport(measured.table({name, "other"}), {{name, top}});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(zetl::command::lengthOf(line), 80u) << line;
        const bool ofModel = line.find("model") != std::string::npos || line.find("cycles") != std::string::npos;
        EXPECT_FALSE(ofModel && line.find("host") != std::string::npos) << "two kinds of time: " << line;
    }
    EXPECT_NE(text.find("\n  duration     1.00 us in 2 launches (model: 1000 cycles at 1000 MHz)\n"
                        "  launch       256 threads in 16 work-groups\n"
                        "  compute       50.0 % |##########          |  the float pipe (ALU0)\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("  top stall     25.0 %  of the threads' time: waiting for results"), std::string::npos)
        << text;
    EXPECT_NE(text.find("GpuTime (host clock)"), std::string::npos) << text;
}

TEST(KernelReport, SaysWhatASampleLeavesOpen) {
    EXPECT_NE(kernelReport(Measured().set("GpuCoreClocksError[cycles]", 71).table(), {})
                  .find("  duration     1.00 us +/- 8 % in 2 launches (model: 1000 cycles at 1000 MHz)\n"
                        "  launch       256 threads in 16 work-groups\n"),
              std::string::npos);
    EXPECT_EQ(kernelReport(Measured().set("GpuCoreClocksError[cycles]", 0).table(), {}).find("+/-"), std::string::npos);
}

TEST(KernelReport, SaysWhyThereIsNoSourceLine) {
    const auto kernels = Measured().set(Measured::stall("SBID"), 16000).table();
    TopStall top;
    top.withoutLines = "the module has no DWARF: it was built without -g";
    EXPECT_NE(kernelReport(kernels, {{"k", top}}).find("               no source line: the module has no DWARF"),
              std::string::npos);
}

TEST(KernelReport, LaunchesHaveOneLineEach) {
    Measured measured;
    measured.set("launch", 3);
    const auto text = launchReport(measured.table());
    EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
    EXPECT_TRUE(text.starts_with("kernel")) << text;
}

/// The command knows what the device's model knows.
TEST(KernelReport, PeaksAreThoseOfTheTimingModels) {
    std::size_t models = 0;
    for (const auto& file : std::filesystem::directory_iterator(ZETL_TIMING_MODELS)) {
        std::ifstream stream(file.path());
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        const auto* const architecture = isa::xe::findArchitecture(file.path().stem().native());
        ASSERT_NE(architecture, nullptr) << file.path();
        EXPECT_EQ(&queries::architectureOf(architecture->products.front()->ip.packed()), architecture);
        const double l1 = queries::l1BytesPerCycle(*architecture);
        EXPECT_NE(text.find(fmt::format("\nl1_bytes_per_cycle: {} ", l1)), std::string::npos) << file.path();
        EXPECT_NE(text.find(fmt::format("\nl3_bytes_per_cycle: {} ", kL3BytesPerCycle)), std::string::npos)
            << file.path();
        ++models;
    }
    EXPECT_GT(models, 1u);
    EXPECT_EQ(&queries::architectureOf(0), &isa::xe::kXeHpc) << "a version that nobody knows";
}

}  // namespace
}  // namespace zetl::command

// `zetl trace` on the emulated GPU: what devices do beside the calls, in each of its outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "perfetto_reader.h"
#include "support/process.h"
#include "trace_directory.h"

namespace {

using Json = nlohmann::json;
using namespace zetl::test;

class TraceDevice : public TraceDirectory {
  protected:
    Outcome run(const std::vector<std::string>& options, const std::string& device = "tiny",
                const std::vector<std::string>& program = {inBuildTree("samples/vector_add")}) {
        std::vector<std::string> command = {inBuildTree("bin/zetl"), "trace", "--emulated", "--device", device};
        command.insert(command.end(), options.begin(), options.end());
        command.push_back("--");
        command.insert(command.end(), program.begin(), program.end());
        return Process(command).run(std::chrono::seconds(120));
    }
    PerfettoTrace trace() {
        const auto outcome = run({"-o", directory_ / "t.pftrace"});
        EXPECT_TRUE(outcome.good()) << outcome;
        return readPerfetto(textOf("t.pftrace"));
    }
};

TEST_F(TraceDevice, CopiesOfImagesAreNamed) {
    const auto outcome = run({"-o", directory_ / "t.pftrace", "--csv", directory_ / "t.csv"}, "b580-small",
                             {inBuildTree("tests/emulated_gpu/image_tests"), "--scenario=imageCopiesHaveEvents"});
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_FALSE(readPerfetto(textOf("t.pftrace")).named("image copy").empty());
    EXPECT_NE(textOf("t.csv").find("image copy"), std::string::npos) << textOf("t.csv");
}

TEST_F(TraceDevice, EveryCommandIsASliceOnItsQueuesTrack) {
    const auto trace = this->trace();
    EXPECT_EQ(trace.faults, std::vector<std::string>());
    std::set<std::uint64_t> tracks;
    for (const auto& [name, count] : {std::pair("vector_add", 1u), {"copy", 3u}, {"barrier", 2u}}) {
        EXPECT_EQ(trace.named(name).size(), count) << name;
        for (const auto& slice : trace.named(name)) tracks.insert(slice.track);
    }
    for (const auto track : tracks)
        EXPECT_TRUE(trace.tracks.at(track).name.starts_with("device 0, engine 0.0: queue 0x"));
    EXPECT_EQ(trace.named("copy").at(0).arguments.at("bytes"), "16384");
    EXPECT_FALSE(trace.named("copy").at(0).arguments.contains("queued_ns")) << "only kernels have a shape";
    const auto kernel = trace.named("vector_add").at(0).arguments;
    EXPECT_EQ(kernel.at("grid"), "64 x 1 x 1");
    EXPECT_EQ(kernel.at("group_size"), "64 x 1 x 1");
    EXPECT_EQ(kernel.at("registers"), "128");
    EXPECT_EQ(kernel.at("simd_width"), "32");
    EXPECT_EQ(kernel.at("local_bytes"), "0");
    EXPECT_TRUE(kernel.contains("queued_ns"));
}

TEST_F(TraceDevice, SlicesOfTheDeviceLieBetweenSubmissionAndTheEndOfTheWait) {
    const auto trace = this->trace();
    const auto kernel = trace.named("vector_add").at(0);
    constexpr std::uint64_t kSlack = 2'000'000;  // between two readings of a pair of clocks
    EXPECT_GE(kernel.begin + kSlack, trace.named("zeCommandQueueExecuteCommandLists").at(0).begin);
    EXPECT_LE(kernel.end, trace.named("zeCommandQueueSynchronize").at(0).end + kSlack);
}

TEST_F(TraceDevice, FlowsLeadFromTheCallsToTheKernel) {
    const auto trace = this->trace();
    const auto flows = trace.named("vector_add").at(0).flows;
    ASSERT_EQ(flows.size(), 2u);
    for (const auto* call : {"zeCommandListAppendLaunchKernel", "zeCommandQueueExecuteCommandLists"})
        EXPECT_TRUE(std::ranges::includes(flows, trace.named(call).at(0).flows)) << call;
}

TEST_F(TraceDevice, CallsHaveNamesArgumentsAndResults) {
    const auto trace = this->trace();
    const auto launch = trace.named("zeCommandListAppendLaunchKernel").at(0);
    EXPECT_EQ(launch.arguments.at("kernel"), "vector_add");
    EXPECT_EQ(launch.arguments.at("result"), "ZE_RESULT_SUCCESS");
    EXPECT_EQ(launch.arguments.at("hSignalEvent"), "0") << "the application's argument, not the collector's";
    EXPECT_EQ(launch.arguments.at("hKernel"), trace.named("zeKernelCreate").at(0).arguments.at("phKernel"));
    EXPECT_EQ(trace.tracks.at(launch.track).name, "vector_add") << "the thread's name";
}

TEST_F(TraceDevice, JsonHasTheSame) {
    ASSERT_TRUE(run({"-o", directory_ / "t.json"}).good());
    const auto events = Json::parse(textOf("t.json")).at("traceEvents");
    const auto count = [&](const char* phase, const char* name) {
        return std::ranges::count_if(events,
                                     [&](const Json& each) { return each["ph"] == phase && each["name"] == name; });
    };
    EXPECT_EQ(count("X", "vector_add"), 1);
    EXPECT_EQ(count("X", "copy"), 3);
    for (const auto& each : events)
        if (each["name"] == "vector_add" && each["ph"] == "X") {
            EXPECT_EQ(each["args"]["grid"], "64 x 1 x 1");
            EXPECT_EQ(each["args"]["simd_width"], 32);
            EXPECT_TRUE(each["args"]["queued_ns"].is_number());
        }
    EXPECT_EQ(count("s", "executes"), 6);
    EXPECT_EQ(count("f", "executes"), 6);
}

TEST_F(TraceDevice, TablesForPeopleAndForPrograms) {
    const auto outcome = run({"-o", "", "--csv", directory_ / "t.csv", "--json", directory_ / "t.json"});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("on the device"), std::string::npos) << outcome;
    const auto device = Json::parse(textOf("t.json")).at("device");
    ASSERT_EQ(device.size(), 3u);
    double shares = 0;
    for (const auto& row : device) {
        shares += row.at("share").get<double>();
        const auto& launch = row.at("longest_launch");
        EXPECT_EQ(launch.is_null(), row.at("name") != "vector_add");
        if (!launch.is_null()) {
            EXPECT_EQ(launch.at("grid"), Json({64, 1, 1}));
        }
        EXPECT_EQ(row.at("average_ns"),
                  row.at("total_ns").get<std::uint64_t>() / row.at("launches").get<std::uint64_t>());
    }
    EXPECT_NEAR(shares, 1, 1e-9);
    const auto csv = textOf("t.csv");
    EXPECT_TRUE(csv.starts_with("kind,name,count,errors,total_ns,average_ns,min_ns,max_ns,share\n")) << csv;
    EXPECT_NE(csv.find("\ndevice,vector_add,1,,"), std::string::npos) << csv;
    EXPECT_NE(csv.find("\ncall,zeCommandListAppendMemoryCopy,3,0,"), std::string::npos) << csv;
}

TEST_F(TraceDevice, ATableOnStandardOutputIsAloneThere) {
    const auto table = directory_ / "out.json";
    const auto outcome = Process({inBuildTree("bin/zetl"), "trace", "--emulated", "-o", "", "--json", "-", "--",
                                  inBuildTree("samples/vector_add")})
                             .under({"/bin/sh", "-c", "exec \"$@\" >" + table.native(), "sh"})
                             .run(std::chrono::seconds(120));
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("sums are right"), std::string::npos) << "the program's words are beside" << outcome;
    EXPECT_EQ(Json::parse(textOf("out.json"))["processes"], 1);
}

TEST_F(TraceDevice, FiltersAndCallsAlone) {
    const auto outcome = run({"-o", "", "--csv", "-", "--functions", "zeMem*, zeKernelCreate", "--kernels", "none*"});
    ASSERT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("\ncall,zeMemFree,3,"), std::string::npos) << outcome;
    EXPECT_NE(outcome.output.find("\ncall,zeKernelCreate,1,"), std::string::npos) << outcome;
    EXPECT_EQ(outcome.output.find("zeCommandList"), std::string::npos) << outcome;
    EXPECT_EQ(outcome.output.find("\ndevice,"), std::string::npos) << outcome;
    const auto kernels = run({"-o", "", "--csv", "-", "--kernels", "vector*"});
    EXPECT_NE(kernels.output.find("\ndevice,vector_add,1,"), std::string::npos) << kernels;
    EXPECT_EQ(kernels.output.find("\ndevice,copy"), std::string::npos) << kernels;
    const auto calls = run({"-o", "", "--csv", "-", "--no-device"});
    EXPECT_NE(calls.output.find("\ncall,zeMemFree,3,"), std::string::npos) << calls;
    EXPECT_EQ(calls.output.find("\ndevice,"), std::string::npos) << calls;
    // The program makes no fence.
    const auto device = run({"-o", "", "--csv", "-", "--functions", "zeFence*"});
    EXPECT_TRUE(device.good()) << device;
    EXPECT_EQ(device.output.find("\ncall,"), std::string::npos) << device;
    EXPECT_NE(device.output.find("\ndevice,vector_add,1,"), std::string::npos) << device;
}

}  // namespace

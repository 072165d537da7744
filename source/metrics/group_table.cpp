#include "metrics/group_table.h"

namespace zetl::metrics {
namespace {

constexpr auto kU64 = ZET_VALUE_TYPE_UINT64;
constexpr auto kF32 = ZET_VALUE_TYPE_FLOAT32;
constexpr auto kEvent = ZET_METRIC_TYPE_EVENT;
constexpr auto kDuration = ZET_METRIC_TYPE_DURATION;

constexpr Column count(const char* name, const char* description, const char* units, const char* component) {
    return {name, description, units, component, kEvent, kU64, Formula::counter, name, nullptr, 1, Access::both};
}
constexpr Column share(const char* name, const char* description, Formula formula, const char* counter,
                       const char* lesser = nullptr) {
    return {name, description, "percent", "VectorEngine", kDuration, kF32, formula, counter, lesser, 1, Access::both};
}

// Present in every group.
constexpr Column kTime = {"GpuTime",   "Time elapsed on the device", "ns",    "GPU",   kDuration,
                          kU64,        Formula::nanoseconds,         nullptr, nullptr, 1,
                          Access::both};
constexpr Column kCoreClocks = {kClocks,          "Core clock cycles elapsed, also while idle",
                                "cycles",         "GPU",
                                kEvent,           kU64,
                                Formula::counter, kClocks,
                                nullptr,          1,
                                Access::both};
constexpr Column kFrequency = {"AvgGpuCoreFrequencyMHz",
                               "Average core clock frequency",
                               "MHz",
                               "GPU",
                               kEvent,
                               kU64,
                               Formula::megahertz,
                               kClocks,
                               nullptr,
                               1,
                               Access::both};
constexpr Column kQueryBegin = {"QueryBeginTime",
                                "Device time at the begin of the query",
                                "ns",
                                "Report Meta Data",
                                ZET_METRIC_TYPE_TIMESTAMP,
                                kU64,
                                Formula::beginTime,
                                nullptr,
                                nullptr,
                                1,
                                Access::event};
constexpr Column kReportTime = {"QueryBeginTime",
                                "Device time of the report",
                                "ns",
                                "Report Meta Data",
                                ZET_METRIC_TYPE_TIMESTAMP,
                                kU64,
                                Formula::endTime,
                                nullptr,
                                nullptr,
                                1,
                                Access::time};
constexpr Column kReason = {"ReportReason",
                            "Why the report was made: 1 timer, 64 marker",
                            "",
                            "Report Meta Data",
                            kEvent,
                            kU64,
                            Formula::reason,
                            nullptr,
                            nullptr,
                            1,
                            Access::time};
constexpr Column kMarker = {"StreamMarker",
                            "Value of the marker that made the report, else 0",
                            "",
                            "Report Meta Data",
                            ZET_METRIC_TYPE_RAW,
                            kU64,
                            Formula::marker,
                            nullptr,
                            nullptr,
                            1,
                            Access::time};
constexpr Column kInterpolated = {"ReportInterpolated",
                                  "1: no reading in the report's period, counts shared out between two readings",
                                  "",
                                  "Report Meta Data",
                                  ZET_METRIC_TYPE_FLAG,
                                  kU64,
                                  Formula::interpolated,
                                  nullptr,
                                  nullptr,
                                  1,
                                  Access::time};

// Instructions by the pipe that executes them.
constexpr Column kAlu0 =
    count("XVE_INST_EXECUTED_ALU0_ALL", "Floating point instructions executed", "events", "VectorEngine");
constexpr Column kAlu1 =
    count("XVE_INST_EXECUTED_ALU1_ALL", "Integer, logic and move instructions executed", "events", "VectorEngine");
constexpr Column kXmx = count("XVE_INST_EXECUTED_XMX_ALL", "Matrix instructions executed", "events", "VectorEngine");
constexpr Column kSend = count("XVE_INST_EXECUTED_SEND_ALL", "Send instructions (memory and shared functions) executed",
                               "events", "VectorEngine");
constexpr Column kControl =
    count("XVE_INST_EXECUTED_CONTROL_ALL", "Branch and jump instructions executed", "events", "VectorEngine");
constexpr Column kActive = share("XVE_ACTIVE", "Time in which a vector engine issues, by the device's issue model",
                                 Formula::percentOfEngines, "XVE_ACTIVE_CYCLES");
constexpr Column kStall = share("XVE_STALL", "Time in which a vector engine has threads loaded and issues nothing",
                                Formula::differenceOfEngines, "XVE_BUSY", "XVE_ACTIVE_CYCLES");
constexpr Column kThreads =
    count("XVE_COMPUTE_THREAD_COUNT", "Compute hardware threads dispatched", "threads", "VectorEngine");

constexpr Column kComputeBasic[] = {
    kTime,
    kCoreClocks,
    kFrequency,
    count("L3_BYTE_READ", "Bytes that global-memory messages read; no cache is modelled, so all of them count", "bytes",
          "L3Cache"),
    count("L3_BYTE_WRITE", "Bytes that global-memory messages write; no cache is modelled, so all of them count",
          "bytes", "L3Cache"),
    kActive,
    kStall,
    count("XVE_BUSY", "Cycles with a thread loaded, summed over vector engines", "events", "VectorEngine"),
    share("XVE_THREADS_OCCUPANCY_ALL", "Thread slots that are loaded", Formula::percentOfThreads,
          "XVE_THREADS_OCCUPANCY_CYCLES_ALL"),
    kThreads,
    count("XVE_ATOMIC_ACCESS_COUNT", "Atomic memory messages", "messages", "VectorEngine"),
    count("XVE_BARRIER_MESSAGE_COUNT", "Barrier messages", "messages", "VectorEngine"),
    kAlu0,
    kAlu1,
    kXmx,
    kSend,
    kControl,
    share("XVE_INST_EXECUTED_ALU0_ALL_UTILIZATION", "Issue slots of floating point instructions",
          Formula::percentOfEngines, kAlu0.counter),
    share("XVE_INST_EXECUTED_ALU1_ALL_UTILIZATION", "Issue slots of integer instructions", Formula::percentOfEngines,
          kAlu1.counter),
    share("XVE_INST_EXECUTED_SEND_ALL_UTILIZATION", "Issue slots of send instructions", Formula::percentOfEngines,
          kSend.counter),
    share("XVE_INST_EXECUTED_CONTROL_ALL_UTILIZATION", "Issue slots of branches", Formula::percentOfEngines,
          kControl.counter),
    share("XVE_INST_EXECUTED_XMX_ALL_UTILIZATION", "Issue slots of matrix instructions", Formula::percentOfEngines,
          kXmx.counter),
    kQueryBegin,
    kReportTime,
    kReason,
    kMarker,
    kInterpolated,
};

constexpr Column kInstructionMix[] = {
    kTime,
    kCoreClocks,
    kFrequency,
    kActive,
    kStall,
    count("XVE_INST_EXECUTED_ALL", "Instructions executed", "events", "VectorEngine"),
    kAlu0,
    kAlu1,
    count("XVE_INST_EXECUTED_MATH", "Extended math instructions executed", "events", "VectorEngine"),
    kXmx,
    kSend,
    kControl,
    count("XVE_INST_EXECUTED_OTHER", "Instructions executed that no pipe is charged for, such as nop and sync",
          "events", "VectorEngine"),
    kThreads,
    kQueryBegin,
    kReportTime,
    kReason,
    kMarker,
    kInterpolated,
};

constexpr Column kMemoryTraffic[] = {
    kTime,
    kCoreClocks,
    kFrequency,
    kActive,
    kStall,
    count("GLOBAL_READ_MESSAGE_COUNT", "Global-memory messages that read", "messages", "Memory"),
    count("GLOBAL_WRITE_MESSAGE_COUNT", "Global-memory messages that write", "messages", "Memory"),
    count("GLOBAL_BYTE_READ", "Bytes read from global memory by enabled lanes", "bytes", "Memory"),
    count("GLOBAL_BYTE_WRITE", "Bytes written to global memory by enabled lanes", "bytes", "Memory"),
    count("XVE_ATOMIC_ACCESS_COUNT", "Atomic memory messages", "messages", "VectorEngine"),
    count("XVE_SLM_READ_MESSAGE_COUNT", "Local-memory messages that read", "messages", "VectorEngine"),
    count("XVE_SLM_WRITE_MESSAGE_COUNT", "Local-memory messages that write", "messages", "VectorEngine"),
    count("XVE_SLM_ATOMIC_MESSAGE_COUNT", "Local-memory atomic messages", "messages", "VectorEngine"),
    count("FENCE_MESSAGE_COUNT", "Fence messages", "messages", "VectorEngine"),
    count("SLM_BYTE_READ", "Bytes read from local memory by enabled lanes", "bytes", "VectorEngine"),
    count("SLM_BYTE_WRITE", "Bytes written to local memory by enabled lanes", "bytes", "VectorEngine"),
    count("SCRATCH_BYTE_READ", "Bytes read from private memory and spills", "bytes", "VectorEngine"),
    count("SCRATCH_BYTE_WRITE", "Bytes written to private memory and spills", "bytes", "VectorEngine"),
    kQueryBegin,
    kReportTime,
    kReason,
    kMarker,
    kInterpolated,
};

constexpr Column kEveryGroup[] = {kTime, kQueryBegin, kReportTime, kReason, kMarker, kInterpolated};

constexpr GroupTemplate kGroups[] = {
    {"ComputeBasic", "Compute Basic", 0, kComputeBasic},
    {"MemoryTraffic", "Memory messages and bytes by kind of memory", 0, kMemoryTraffic},
    {"InstructionMix", "Instructions by pipe", 1, kInstructionMix},
};

}  // namespace

std::span<const GroupTemplate> groupTemplates() noexcept { return kGroups; }

std::span<const Column> columnsOfEveryGroup() noexcept { return kEveryGroup; }

}  // namespace zetl::metrics

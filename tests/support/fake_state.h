// The state behind the scripted device (fake_access.h); shared by its parts, not by tests.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "support/fake_access.h"

namespace zetl::test::fake {

struct Report {
    std::uint64_t time;
    std::map<std::string, double> counts;
};

struct Stream {
    bool open = false;
    bool running = false;
    std::vector<std::string> plan;
    std::uint64_t capacity = 0;
    std::deque<std::pair<Report, zetl_report_info_t>> reports;
    std::uint64_t lost = 0;
};

struct Slot {
    bool begun = false;
    bool ended = false;
    Report begin;
    Report end;
};

struct Module {
    std::string image;
    std::string options;
    zetl_module_info_t info{};
};

struct ThreadState {
    bool occupied = false;
    bool stopped = false;
    std::uint32_t cause = 0;
    std::map<std::uint32_t, std::vector<std::uint8_t>> registers;
};

struct Target {
    zetl_sink_t sink = nullptr;
    void* user = nullptr;
    std::vector<std::pair<zetl_thread_t, std::uint64_t>> unanswered;
};

struct State {
    Character character;
    std::recursive_mutex mutex;
    std::uint64_t time = 0;
    std::map<std::string, double> counters;
    std::set<std::uint32_t> occupied;
    bool describesReports = true;
    std::uint32_t plannedFor = 0;  ///< the source of the last plan, which the plan itself does not say
    std::map<zetl_lease_t, std::uint32_t> leases;
    std::map<std::string, int> calls;
    std::uint64_t nextId = 100;
    Stream stream;
    std::map<zetl_query_t, std::pair<std::vector<std::string>, std::vector<Slot>>> queries;
    std::map<zetl_module_t, Module> modules;
    std::map<zetl_module_t, std::uint64_t> holds;
    std::vector<std::uint64_t> released;
    bool entered = false;
    bool answerAtOnce = true;
    ThreadState threads[kThreads];
    Target target;
    std::map<std::uint64_t, std::string> memory;
    std::vector<zetl_sample_t> samples;
    std::uint64_t lostSamples = 0;
    std::uint64_t samplingCapacity = 0;
    std::vector<zetl_command_record_t> commands;
    std::uint64_t lostCommands = 0;
    std::uint64_t commandNumber = 0;
    bool commandsRun = false;
};

State& state();
/// Locks the state and counts the call.
std::unique_lock<std::recursive_mutex> enter(const char* function);

extern const zetl_counter_functions_t kCounterFunctions;
extern const zetl_stream_functions_t kStreamFunctions;
extern const zetl_module_functions_t kModuleFunctions;
extern const zetl_target_functions_t kTargetFunctions;
extern const zetl_sampling_functions_t kSamplingFunctions;
extern const zetl_command_functions_t kCommandFunctions;
extern const zetl_event_memory_functions_t kEventMemoryFunctions;

/// Sends an event to the open target, if there is one.
void send(zetl_event_t event);

}  // namespace zetl::test::fake

// A scripted device: the device-access interface under a test's control, without any driver.
//
// One device "Fake 4x2" (levels 2/2/2/2, sixteen threads) of chip "fake". Tests move its clock and counters, make its
// stream report, and let its threads stop; what the modules ask is recorded. There is one such device in a process,
// because the interface carries no context; reset() makes it new, and become() another vendor's.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace zetl::test::fake {

inline constexpr zetl_device_t kDevice = 11;
inline constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;  // a tick is a nanosecond
inline constexpr std::uint32_t kThreads = 16;
inline constexpr std::uint64_t kEngines = 8;

/// A register set of the fake: general registers, writeable; control, 16 bytes; a read-only one.
inline constexpr std::uint32_t kGeneral = 1;
inline constexpr std::uint32_t kReadOnly = 4;
inline constexpr std::uint32_t kControl = 6;

const zetl_device_access_t& access();
ze_device_uuid_t uuid();
void reset();

/// What the device declares of itself, and keeps to: it takes no list for a query that is bracketed on the host, and
/// knows no thread with a level that it lacks.
struct Character {
    std::vector<zetl_level_t> levels = {{"slice", 2}, {"subslice", 2}, {"eu", 2}, {"thread", 2}};
    zetl_query_kind_t queryKind = ZETL_QUERY_IN_STREAM;
    zetl_scope_t streamScope = ZETL_SCOPE_DEVICE;
    zetl_scope_t stopScope = ZETL_SCOPE_THREAD;
    bool sourcesTogether = true;
    bool otherCounters = false;  ///< sm__cycles, sm__warps and dram__throughput, of two blocks; the last two in doubles
    bool samples = false;        ///< instructions, for three reasons, of which Active and SbidStall are Intel's
    bool commands = false;       ///< tells when commands begin and end
    bool eventMemory = false;    ///< and of the words that they leave, in memory with the descriptor 42
};
/// Also sixteen threads, but in three levels; queries bracketed on the host and not beside streams; all stops when one
/// thread does.
Character otherVendors();
/// Before the device is added to any Devices.
void become(const Character& character);

// Counters
void setTime(std::uint64_t ticks);
void count(const std::string& counter, double events);
/// The open stream takes a report of the counters as they are now.
void streamReports();
/// The open stream says at its next drain that so many reports were lost.
void streamLoses(std::uint64_t reports);
/// Whether it says where its reports hold what; it does unless this is false.
void describeReports(bool yes);
/// A source that somebody else holds.
void occupy(zetl_source_t source);
/// How often each interface function was called, by name.
int calls(const std::string& function);

/// Samples wait to be drained, by the number of the reason.
void sample(std::uint64_t address, std::uint32_t reason, std::uint64_t count);
/// The next drain of samples says that so many were lost.
void loseSamples(std::uint64_t looks);
/// A command that is reported to all streams that follow the device.
void execute(zetl_command_kind_t kind, std::uint64_t begin, std::uint64_t end);
void loseCommands(std::uint64_t records);
/// A command left a word in the event memory.
void leave(std::uint32_t word, std::uint64_t time);

// Modules
zetl_module_t load(const std::string& image, std::uint64_t loadAddress, std::uint64_t codeBytes, std::uint64_t hold = 0,
                   const char* buildOptions = "");
void unload(zetl_module_t module);
/// Level Zero handles of a module and of a kernel made from it.
ze_module_handle_t moduleHandle(zetl_module_t module);
ze_kernel_handle_t kernelHandle(zetl_module_t module);

// Debug. Events go to the open target at once, from the calling thread.
void enterProcess();
void leaveProcess();
/// The threads, by index in level order, that have work.
void occupyThreads(const std::vector<std::uint32_t>& threads);
void stopThread(std::uint32_t thread, std::uint32_t cause);
/// The same as the threads of a device do it: beside each other, and beside the target's calls.
void stopThreadBesideOthers(std::uint32_t thread, std::uint32_t cause);
void fault(std::uint64_t address, bool write);
void end();
/// Halts are answered at once unless this is false; then answerHalts() answers.
void answerAtOnce(bool yes);
void answerHalts();
bool threadStopped(std::uint32_t thread);
bool targetOpen();
std::vector<std::uint64_t> releasedHolds();
void map(std::uint64_t address, const std::string& bytes);
std::string memory(std::uint64_t address, std::size_t bytes);

}  // namespace zetl::test::fake

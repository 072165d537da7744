// Program debug of another process by a tool that calls everything with anything, in any order: each call answers one
// of its documented codes, each interrupt is answered once, and the debuggee is none the worse for it.
#include <map>
#include <random>
#include <set>
#include <vector>

#include "emulated_gpu/debug_session.h"
#include "emulated_gpu/debugged_child.h"

namespace zetl::test {
namespace {

using Codes = std::set<ze_result_t>;

// docs/reference/program-debug.md, "Functions".
const Codes kOfEvents = {ZE_RESULT_SUCCESS, ZE_RESULT_NOT_READY};
const Codes kOfAcknowledgements = {ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_INVALID_ARGUMENT};
const Codes kOfInterrupts = {ZE_RESULT_SUCCESS, ZE_RESULT_NOT_READY, ZE_RESULT_ERROR_NOT_AVAILABLE,
                             ZE_RESULT_ERROR_INVALID_ARGUMENT};
const Codes kOfResumes = {ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_NOT_AVAILABLE, ZE_RESULT_ERROR_INVALID_ARGUMENT};
const Codes kOfMemory = {ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_NOT_AVAILABLE, ZE_RESULT_ERROR_INVALID_ARGUMENT,
                         ZE_RESULT_ERROR_INVALID_ENUMERATION, ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION};
const Codes kOfRegisters = kOfResumes;

/// Makes calls that are drawn by lot, and keeps account of the interrupts.
class WildTool {
  public:
    WildTool(zet_debug_session_handle_t session, const zet_debug_event_t& module, std::uint64_t data)
        : session_(session), module_(module), data_(data) {}

    void call() {
        switch (below(8)) {
            case 0:
                return readEvent(below(2));
            case 1:
                return acknowledge();
            case 2:
                return interrupt();
            case 3:
                return expect(kOfResumes, zetDebugResume(session_, thread()), "resume");
            case 4:
            case 5:
                return memory();
            default:
                return registers();
        }
    }
    /// Everything that was asked for has been answered then.
    void readAll() {
        while (answers_ < interrupts_ && readOne(2500) == ZE_RESULT_SUCCESS) {
        }
        EXPECT_EQ(answers_, interrupts_);
        EXPECT_EQ(readOne(20), ZE_RESULT_NOT_READY);
        zetDebugResume(session_, kAll);
    }
    /// How often each code came; a tool that meets refusals alone tests nothing.
    const std::map<ze_result_t, int>& seen() const { return seen_; }

  private:
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
    template <class T, std::size_t N>
    T oneOf(const T (&values)[N]) {
        return values[below(N)];
    }
    void expect(const Codes& codes, ze_result_t result, const char* what) {
        ++seen_[result];
        EXPECT_TRUE(codes.contains(result)) << what << " answered " << std::hex << result;
    }

    /// Mostly threads that exist.
    ze_device_thread_t thread() {
        constexpr std::uint32_t kNumbers[] = {0, 0, 0, 0, 1, 7, 63, 1u << 31, UINT32_MAX, UINT32_MAX};
        if (below(3) == 0) return kAll;
        if (below(2) == 0) return {0, 0, 0, 0};
        return {oneOf(kNumbers), oneOf(kNumbers), oneOf(kNumbers), oneOf(kNumbers)};
    }
    std::uint64_t address() {
        const std::uint64_t kAddresses[] = {0,
                                            8,
                                            UINT64_MAX,
                                            std::uint64_t{1} << 60,
                                            0x1000'0000,
                                            data_,
                                            module_.info.module.load,
                                            module_.info.module.load + 15,
                                            module_.info.module.moduleBegin,
                                            module_.info.module.moduleEnd - 1,
                                            module_.info.module.moduleEnd};
        return oneOf(kAddresses);
    }

    ze_result_t readOne(std::uint64_t milliseconds) {
        zet_debug_event_t event{};
        const auto result = zetDebugReadEvent(session_, milliseconds, &event);
        expect(kOfEvents, result, "read event");
        const bool isAnswer =
            event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED || event.type == ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE;
        if (result == ZE_RESULT_SUCCESS) {
            EXPECT_TRUE(isAnswer) << event.type;
            ++answers_;
        }
        return result;
    }
    void readEvent(std::uint64_t milliseconds) { readOne(milliseconds); }
    void acknowledge() {
        auto event = module_;
        if (below(2) == 0) event.info.module.load ^= 64;
        event.type = static_cast<zet_debug_event_type_t>(below(12));
        expect(kOfAcknowledgements, zetDebugAcknowledgeEvent(session_, &event), "acknowledge");
    }
    void interrupt() {
        const auto result = zetDebugInterrupt(session_, thread());
        expect(kOfInterrupts, result, "interrupt");
        interrupts_ += result == ZE_RESULT_SUCCESS;
    }
    /// What is written is what was read.
    void memory() {
        constexpr std::uint32_t kSpaces[] = {0, 0, 0, 0, 1, 2, 3, 4, UINT32_MAX};
        constexpr std::size_t kSizes[] = {0, 1, 4, 16, 4096, kBuffer};
        const zet_debug_memory_space_desc_t space{static_cast<zet_structure_type_t>(below(UINT32_MAX)), &space,
                                                  static_cast<zet_debug_memory_space_type_t>(oneOf(kSpaces)),
                                                  address()};
        const auto who = thread();
        const auto bytes = oneOf(kSizes);
        const auto read = zetDebugReadMemory(session_, who, &space, bytes, buffer_.data());
        expect(kOfMemory, read, "read memory");
        if (read == ZE_RESULT_SUCCESS)
            expect(kOfMemory, zetDebugWriteMemory(session_, who, &space, bytes, buffer_.data()), "write memory");
    }
    void registers() {
        constexpr std::uint32_t kNumbers[] = {0, 0, 0, 1, 2, 127, 128, UINT32_MAX};
        const auto who = thread();
        const auto type = below(16);
        const auto first = oneOf(kNumbers);
        const auto count = oneOf(kNumbers);
        const auto read = zetDebugReadRegisters(session_, who, type, first, count, buffer_.data());
        expect(kOfRegisters, read, "read registers");
        if (read == ZE_RESULT_SUCCESS)
            expect(kOfRegisters, zetDebugWriteRegisters(session_, who, type, first, count, buffer_.data()),
                   "write registers");
        expect({ZE_RESULT_ERROR_INVALID_NULL_POINTER},
               zetDebugReadRegisters(session_, who, type, first, count, nullptr), "read registers to nowhere");
    }

    static constexpr std::size_t kBuffer = 1 << 16;
    const zet_debug_session_handle_t session_;
    const zet_debug_event_t module_;
    const std::uint64_t data_;
    std::mt19937 random_{1};
    std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(kBuffer);
    std::map<ze_result_t, int> seen_;
    int interrupts_ = 0;
    int answers_ = 0;
};

SCENARIO(aWildToolHarmsNobody) {
    constexpr int kCalls = 20000;
    const Gpu gpu;
    DebuggedChild child("debuggeeSpins");
    DebugSession session(gpu, child.pid());
    session.attachPatiently();
    child.tell("go");
    session.next(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    const auto module = session.next(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    const auto stop = std::stoull(child.expect("launched "));
    WildTool tool(*session, module, stop);
    for (int i = 0; i < kCalls; ++i) tool.call();
    tool.readAll();
    for (const auto code : {ZE_RESULT_SUCCESS, ZE_RESULT_NOT_READY, ZE_RESULT_ERROR_NOT_AVAILABLE,
                            ZE_RESULT_ERROR_INVALID_ARGUMENT, ZE_RESULT_ERROR_INVALID_ENUMERATION})
        EXPECT_GT(tool.seen().at(code), 50) << std::hex << code;
    session.write(stop, std::string("\1\0\0\0", 4));
    ASSERT_OK(session.detach());
    child.expect("finished");
    child.tell("end");
    EXPECT_EQ(child.wait(), 0);
}
TEST(ToolsDebugWild, AToolThatCallsAnythingHarmsNobody) { EXPECT_RUNS(emulated("aWildToolHarmsNobody")); }

}  // namespace
}  // namespace zetl::test

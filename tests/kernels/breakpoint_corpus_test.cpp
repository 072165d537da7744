// A debugger in programs that were not prepared for it, built without -g: a breakpoint on every instruction of every
// kernel of a case. Each is hit, or is never executed: then an illegal instruction in its place disturbs nobody.
#include <level_zero/zet_api.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <span>

#include "binary/elf_file.h"
#include "device_under_test.h"
#include "emulated_gpu/debug_session.h"
#include "variant.h"

namespace zetl::kernels {
namespace {

using test::DebugSession;

/// An instruction in memory, as a debugger knows it.
struct Instruction {
    std::string bytes;

    bool compacted() const { return (static_cast<unsigned char>(bytes[3]) & 0x20) != 0; }
    std::string withBreakpoint() const {
        auto copy = bytes;
        copy[compacted() ? 0 : 3] |= static_cast<char>(compacted() ? 0x80 : 0x40);
        return copy;
    }
    std::string illegal() const { return std::string(bytes.size(), '\0'); }
};

ze_device_handle_t onlyDevice() {
    std::uint32_t one = 1;
    ze_driver_handle_t driver = nullptr;
    ze_device_handle_t device = nullptr;
    EXPECT_OK(zeInit(0));
    EXPECT_OK(zeDriverGet(&one, &driver));
    EXPECT_OK(zeDeviceGet(driver, &one, &device));
    return device;
}

/// The debugger of this process, which runs the case on another thread.
class Debugger {
  public:
    Debugger() : session_(onlyDevice(), static_cast<std::uint32_t>(getpid())) { EXPECT_OK(session_.attach()); }

    /// Serves the debuggee's events until `work` is done, which it does not throw out of.
    void during(const std::function<void()>& work) {
        auto done = std::async(std::launch::async, work);
        for (;;) {
            const bool last = done.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
            zet_debug_event_t event{};
            while (zetDebugReadEvent(*session_, last ? 0 : 5, &event) == ZE_RESULT_SUCCESS) serve(event);
            if (last) break;
        }
        done.get();
    }

    void putBreakpoints() {
        put([](std::uint64_t, const Instruction& each) { return each.withBreakpoint(); });
    }
    void putIllegalWhereNobodyWas() {
        put([this](std::uint64_t address, const Instruction& each) {
            return hit_.contains(address) ? each.bytes : each.illegal();
        });
    }
    std::size_t instructions() const { return code_.size(); }
    std::size_t hits() const { return hit_.size(); }
    /// Stops that no breakpoint explains.
    std::size_t surprises() const { return surprises_; }

  private:
    void serve(const zet_debug_event_t& event) {
        if (event.type == ZET_DEBUG_EVENT_TYPE_MODULE_LOAD) read(event.info.module);
        if (event.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK) {
            EXPECT_OK(zetDebugAcknowledgeEvent(*session_, &event));
        }
        if (event.type == ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED) stopped(event.info.thread.thread);
    }

    void read(const zet_debug_event_info_module_t& module) {
        const auto image = session_.read(module.moduleBegin, module.moduleEnd - module.moduleBegin);
        const auto elf = binary::readElf({reinterpret_cast<const std::uint8_t*>(image.data()), image.size()});
        ASSERT_TRUE(elf);
        for (const auto& section : elf->sections)
            if (section.name.starts_with(".text.")) readCode(section.address, section.size);
    }
    /// A section at a time, because the device looks at all of a module's code after each write.
    template <class Become>
    void put(const Become& become) {
        for (const auto& [begin, bytes] : sections_) {
            auto code = session_.read(begin, bytes);
            for (auto each = code_.lower_bound(begin); each != code_.lower_bound(begin + bytes); ++each)
                code.replace(each->first - begin, each->second.bytes.size(), become(each->first, each->second));
            session_.write(begin, code);
        }
    }
    void readCode(std::uint64_t address, std::uint64_t bytes) {
        sections_[address] = bytes;
        const auto code = session_.read(address, bytes);
        for (std::size_t at = 0; at + 8 <= code.size();) {
            Instruction next{code.substr(at, 16)};
            if ((next.bytes[0] & 0x7f) == 0) return;  // padding
            if (next.compacted()) next.bytes.resize(8);
            code_[address + at] = next;
            at += next.bytes.size();
        }
    }

    void stopped(const ze_device_thread_t& thread) {
        const auto at = session_.instruction(thread);
        const auto status = session_.control(thread)[1];
        const auto known = code_.find(at);
        if (known == code_.end() || (status & (test::kIllegalStatus | test::kPageFaultStatus)) != 0 ||
            (status & test::kBreakpointStatus) == 0) {
            ++surprises_;
            ADD_FAILURE() << std::hex << "status " << status << " at " << at;
        } else if (hit_.insert(at).second) {
            session_.write(at, known->second.bytes);
        }
        session_.pass(thread, false);
    }

    DebugSession session_;
    std::map<std::uint64_t, std::uint64_t> sections_;  // of code: begin, bytes
    std::map<std::uint64_t, Instruction> code_;
    std::set<std::uint64_t> hit_;
    std::size_t surprises_ = 0;
};

class BreakpointTest : public testing::Test {
  public:
    BreakpointTest(std::filesystem::path file, const Variant& variant) : file_(std::move(file)), variant_(variant) {}

    void TestBody() override {
        const KernelCase test = readCase(file_);
        Debugger debugger;
        std::unique_ptr<BuiltProgram> program;
        const auto runs = [&] {
            std::vector<std::vector<CaseArgument>> results;
            for (const auto& launch : test.launches) {
                if (launch.excluded.contains(variant_.name)) continue;
                results.push_back(launch.arguments);
                EXPECT_NO_THROW(program->run(launch.kernel, launch, results.back())) << launch.kernel;
            }
            return results;
        };
        std::vector<std::vector<CaseArgument>> alone;
        std::vector<std::vector<CaseArgument>> stopped;
        std::vector<std::vector<CaseArgument>> again;
        debugger.during([&] {
            EXPECT_NO_THROW(program =
                                buildForLevelZero(test.source, test.options + " " + variant_.options, variant_.form));
            alone = runs();
        });
        ASSERT_GT(debugger.instructions(), 100u);
        ASSERT_EQ(debugger.hits(), 0u);
        debugger.putBreakpoints();
        debugger.during([&] { stopped = runs(); });
        EXPECT_GT(debugger.hits(), debugger.instructions() / 3);
        debugger.putIllegalWhereNobodyWas();
        debugger.during([&] { again = runs(); });
        EXPECT_EQ(debugger.surprises(), 0u);
        std::printf("%zu instructions, %zu hit\n", debugger.instructions(), debugger.hits());
        expectSame(alone, stopped);
        expectSame(alone, again);
        debugger.during([&] { program.reset(); });
    }

  private:
    static void expectSame(const std::vector<std::vector<CaseArgument>>& one,
                           const std::vector<std::vector<CaseArgument>>& other) {
        ASSERT_EQ(one.size(), other.size());
        for (std::size_t launch = 0; launch < one.size(); ++launch)
            for (std::size_t i = 0; i < one[launch].size(); ++i) {
                const auto& argument = one[launch][i];
                const auto bytes = argument.expected ? argument.expected->size() : argument.bytes.size();
                const auto head = [bytes](const Bytes& all) { return std::span(all).first(bytes); };
                const bool equal = std::ranges::equal(head(argument.bytes), head(other[launch][i].bytes));
                EXPECT_TRUE(equal || !argument.compared) << "launch " << launch << ", argument " << i;
            }
    }

    std::filesystem::path file_;
    const Variant& variant_;
};

}  // namespace
}  // namespace zetl::kernels

int main(int count, char** arguments) {
    setenv("ZE_ENABLE_ALT_DRIVERS", ZETL_EMULATED_GPU, 0);
    setenv("ZET_ENABLE_PROGRAM_DEBUGGING", "1", 1);
    setenv("ZETL_EMULATED_DEVICE", "tiny", 0);
    testing::InitGoogleTest(&count, arguments);
    using namespace zetl::kernels;
    registerCases("Breakpoints", ZETL_CORPUS,
                  [](const std::filesystem::path& file, const Variant& variant) -> testing::Test* {
                      return new BreakpointTest(file, variant);
                  });
    return RUN_ALL_TESTS();
}

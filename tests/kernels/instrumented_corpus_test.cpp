// Counts how often every basic block of every kernel of the corpus is executed, by code that is inserted before the
// driver loads a module, and compares with the machine's own counts and with a run of the kernels as they were. Then
// destroys the registers that are called free, and compares results.
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <level_zero/ze_api.h>
#include <ze_tools_layer/device_access.h>
#include <ze_tools_layer/instrumentation.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>

#include "counted_gpu.h"
#include "device_under_test.h"
#include "pin/free_registers.h"
#include "variant.h"

namespace zetl::kernels {
namespace {

using instrumentation::Program;

constexpr std::size_t kMaxCounters = 1 << 16;

void require(bool condition, const char* what) {
    if (!condition) throw std::runtime_error(what);
}

/// Device access of the emulated GPU, and memory for counters.
class Tool {
  public:
    static Tool& get() {
        static Tool* const tool = new Tool;
        return *tool;
    }
    const zetl_module_functions_t& modules() const { return *access_.modules; }
    std::uint64_t* counters() const { return counters_; }

  private:
    zetl_device_access_t access_{};
    std::uint64_t* counters_ = nullptr;

    Tool() {
        require(zeInit(0) == ZE_RESULT_SUCCESS, "zeInit");
        std::uint32_t one = 1;
        ze_driver_handle_t driver = nullptr;
        require(zeDriverGet(&one, &driver) == ZE_RESULT_SUCCESS && one > 0, "zeDriverGet");
        void* function = nullptr;
        require(
            zeDriverGetExtensionFunctionAddress(driver, ZETL_DEVICE_ACCESS_FUNCTION, &function) == ZE_RESULT_SUCCESS,
            "the driver has no device access");
        const auto* access = reinterpret_cast<zetl_get_device_access_t>(function)(ZETL_DEVICE_ACCESS_VERSION);
        require(access != nullptr, "device access of another version");
        access_ = *access;
        ze_device_handle_t device = nullptr;
        require(zeDeviceGet(driver, &one, &device) == ZE_RESULT_SUCCESS, "zeDeviceGet");
        const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        ze_context_handle_t context = nullptr;
        require(zeContextCreate(driver, &description, &context) == ZE_RESULT_SUCCESS, "zeContextCreate");
        const ze_host_mem_alloc_desc_t memory{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
        void* counters = nullptr;
        require(
            zeMemAllocHost(context, &memory, kMaxCounters * sizeof(std::uint64_t), 64, &counters) == ZE_RESULT_SUCCESS,
            "zeMemAllocHost");
        counters_ = static_cast<std::uint64_t*>(counters);
    }
};

/// A block and where it lies once it is counted.
struct CountedBlock {
    std::string section;
    /// offsets in the section
    std::uint32_t before = 0;
    std::uint32_t after = 0;
};

/// Changes a module before it is loaded. What went wrong is in `failure`.
class Rewriter {
  public:
    std::string failure;

    virtual ~Rewriter() = default;
    static const void* rewrite(void* self, zetl_device_t, std::uint32_t, const void* image, std::uint64_t bytes,
                               std::uint64_t* newBytes) {
        auto& rewriter = *static_cast<Rewriter*>(self);
        rewriter.run({static_cast<const std::uint8_t*>(image), bytes});
        *newBytes = rewriter.rewritten_.size();
        return rewriter.rewritten_.empty() ? nullptr : rewriter.rewritten_.data();
    }

  private:
    std::vector<std::uint8_t> rewritten_;

    virtual void change(Program& program, std::span<const std::uint8_t> image) = 0;
    void run(std::span<const std::uint8_t> image) {
        const auto program = Program::read(image, failure);
        if (!program) return;
        change(*program, image);
        rewritten_ = program->write(failure);
    }
};

/// Puts a counter into every block.
class BlockCounter : public Rewriter {
  public:
    std::vector<CountedBlock> blocks;

  private:
    void change(Program& program, std::span<const std::uint8_t>) override {
        const auto address = reinterpret_cast<std::uint64_t>(Tool::get().counters());
        for (auto& section : program.sections())
            for (const auto& block : section.blocks()) {
                const auto code = countingCode(section, block.begin, address + blocks.size() * sizeof(std::uint64_t));
                if (!code || !section.insertBefore(block.begin, *code))
                    failure +=
                        fmt::format("{}: no counter at {:#x} {}\n", section.name(), block.begin, section.obstacle());
                blocks.push_back({section.name(), block.begin, 0});
            }
        auto block = blocks.begin();
        for (const auto& section : program.sections())
            for (std::size_t i = 0; i < section.blocks().size(); ++i, ++block)
                block->after = section.movedTo(block->before);
    }
};

/// Destroys what nobody may want: at a kernel's entry all registers that profile tokens call free, at every block some
/// of those that are free there, each in its turn.
class Destroyer : public Rewriter {
  public:
    std::size_t destroyed = 0;
    std::size_t ofTokens = 0;

  private:
    static constexpr std::uint64_t kRubbish = 0xdead'beef'bad0'cafe;
    static constexpr std::uint32_t kTurns = 16;

    void change(Program& program, std::span<const std::uint8_t> image) override {
        for (auto& section : program.sections()) {
            if (section.isKernel()) destroyTokens(section, pin::registersOf(image, section.name()));
            std::uint32_t turn = 0;
            for (const auto& block : section.blocks()) {
                std::vector<std::uint32_t> some = section.freeRegisters(block.begin);
                std::erase_if(some, [&](std::uint32_t r) { return r % kTurns != turn % kTurns; });
                destroy(section, block.begin, some);
                ++turn;
            }
        }
    }

    void destroyTokens(instrumentation::Section& section, const pin::RegisterReport& report) {
        std::vector<std::uint32_t> registers;
        for (const instrumentation::ByteRange range : report.free)
            for (std::uint32_t at = range.start; at + instrumentation::kRegisterBytes <= range.start + range.count;
                 at += instrumentation::kRegisterBytes)
                if (at % instrumentation::kRegisterBytes == 0)
                    registers.push_back(at / instrumentation::kRegisterBytes);
        ofTokens += registers.size();
        destroy(section, 0, registers);
    }

    /// All of a register where an accumulator is free to write it from, else its first eight bytes.
    void destroy(instrumentation::Section& section, std::uint32_t offset, const std::vector<std::uint32_t>& registers) {
        if (registers.empty()) return;
        instrumentation::InsertedCode code;
        code.waitForMessages().load(registers.front(), kRubbish);
        const auto accumulators = section.freeAccumulators(offset);
        if (!accumulators.empty()) code.save(accumulators.front(), registers.front());
        for (const std::uint32_t number : registers) {
            if (!accumulators.empty()) code.restore(number, accumulators.front());
            code.load(number, kRubbish);
        }
        if (section.insertBefore(offset, code))
            destroyed += registers.size();
        else
            failure += fmt::format("{}: nothing inserted at {:#x} {}\n", section.name(), offset, section.obstacle());
    }
};

/// Where the code sections of the only module lie.
std::map<std::string, std::uint64_t> codeAddresses() {
    const auto& modules = Tool::get().modules();
    zetl_module_t module = 0;
    std::uint32_t count = 0;
    require(modules.list(1, 1, &module, &count) == ZETL_OK && count == 1, "not one module");
    zetl_module_info_t info{};
    info.size = sizeof info;
    require(modules.describe(module, &info) == ZETL_OK, "describe");
    std::vector<std::uint8_t> image(info.image_bytes);
    require(modules.read_image(module, 0, image.size(), image.data()) == ZETL_OK, "read_image");
    Elf64_Ehdr header;
    std::memcpy(&header, image.data(), sizeof header);
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    std::memcpy(sections.data(), image.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
    std::map<std::string, std::uint64_t> addresses;
    for (const Elf64_Shdr& section : sections) {
        const std::string name(
            reinterpret_cast<const char*>(&image[sections[header.e_shstrndx].sh_offset + section.sh_name]));
        if (name.starts_with(".text.")) addresses[name.substr(std::strlen(".text."))] = section.sh_addr;
    }
    return addresses;
}

/// Executions by address, as the machine counts them.
std::map<std::uint64_t, std::uint64_t> machineCounts() {
    static auto* const counted = reinterpret_cast<decltype(&countedInstructions)>(
        dlsym(dlopen(ZETL_COUNTED_GPU, RTLD_NOW | RTLD_NOLOAD), "countedInstructions"));
    require(counted != nullptr, "the driver is not the counted GPU");
    std::vector<CountedInstruction> list(counted(0, nullptr));
    list.resize(std::min(list.size(), counted(list.size(), list.data())));
    std::map<std::uint64_t, std::uint64_t> counts;
    for (const CountedInstruction& entry : list) counts[entry.address] += entry.executed;
    return counts;
}

class InstrumentedTest : public testing::Test {
  public:
    InstrumentedTest(std::filesystem::path file, const Variant& variant) : file_(std::move(file)), variant_(variant) {}

    void TestBody() override {
        test_ = readCase(file_);
        std::vector<std::vector<CaseArgument>> plain;
        std::vector<std::vector<CaseArgument>> counted;
        BlockCounter counter;
        const auto before = run(plain, nullptr);
        std::memset(Tool::get().counters(), 0, kMaxCounters * sizeof(std::uint64_t));
        const auto after = run(counted, &counter);
        ASSERT_EQ(counter.failure, "");
        checkFreeRegisters();
        ASSERT_LE(counter.blocks.size(), kMaxCounters);
        compareResults(plain, counted);
        std::uint64_t executed = 0;
        for (std::size_t i = 0; i < counter.blocks.size(); ++i) {
            const CountedBlock& block = counter.blocks[i];
            const std::uint64_t found = Tool::get().counters()[i];
            EXPECT_EQ(found, countAt(after, block.section, block.after)) << block.section << " at " << block.before;
            if (!orderDecides()) {
                EXPECT_EQ(found, countAt(before, block.section, block.before))
                    << block.section << " at " << block.before;
            }
            executed += found;
        }
        EXPECT_GT(executed, 0u);
        std::printf("%zu blocks, %llu executions\n", counter.blocks.size(), static_cast<unsigned long long>(executed));
    }

  private:
    /// Results are the same, whatever is in the registers that are called free. Those of the same build: what the
    /// compiler makes of the profile flags is right or wrong by itself (docs/compiler-mistakes.md).
    void checkFreeRegisters() {
        constexpr const char* kFlags = " -zet-profile-flags 3";
        Destroyer destroyer;
        std::vector<std::vector<CaseArgument>> plain;
        std::vector<std::vector<CaseArgument>> results;
        run(plain, nullptr, kFlags);
        run(results, &destroyer, kFlags);
        EXPECT_EQ(destroyer.failure, "");
        // Kernels that call through the stack may want every register, and have no tokens.
        EXPECT_GT(destroyer.destroyed, destroyer.ofTokens);
        compareResults(plain, results);
        std::printf("%zu registers destroyed, %zu of tokens\n", destroyer.destroyed, destroyer.ofTokens);
    }

    struct Counts {
        std::map<std::string, std::uint64_t> sections;
        std::map<std::uint64_t, std::uint64_t> executed;
    };
    std::filesystem::path file_;
    const Variant& variant_;
    KernelCase test_;

    /// Threads that meet at an atomic try again; how often depends on their order, so no two runs count the same.
    bool orderDecides() const { return test_.name == "atomics" || test_.name == "real_atomics"; }

    static std::uint64_t countAt(const Counts& counts, const std::string& section, std::uint32_t offset) {
        const auto base = counts.sections.find(section);
        if (base == counts.sections.end()) return ~0ull;
        const auto found = counts.executed.find(base->second + offset);
        return found == counts.executed.end() ? 0 : found->second;
    }

    /// Runs every launch of the case; the rewriter, if any, sees the module before it is loaded.
    Counts run(std::vector<std::vector<CaseArgument>>& results, Rewriter* rewriter, const std::string& flags = "") {
        const auto& modules = Tool::get().modules();
        EXPECT_EQ(modules.rewrite_before_load(rewriter ? Rewriter::rewrite : nullptr, rewriter), ZETL_OK);
        const auto program =
            buildForLevelZero(test_.source, test_.options + " " + variant_.options + flags, variant_.form);
        EXPECT_EQ(modules.rewrite_before_load(nullptr, nullptr), ZETL_OK);
        for (const CaseLaunch& launch : test_.launches) {
            if (launch.excluded.contains(variant_.name)) continue;
            results.push_back(launch.arguments);
            const std::string output = program->run(launch.kernel, launch, results.back());
            if (!launch.expectedOutput.empty()) {
                EXPECT_EQ(output, launch.expectedOutput);
            }
        }
        return {codeAddresses(), machineCounts()};
    }

    /// What the case says of its results, and nothing of the rest: it may depend on the order of threads.
    void compareResults(const std::vector<std::vector<CaseArgument>>& plain,
                        const std::vector<std::vector<CaseArgument>>& counted) const {
        ASSERT_EQ(plain.size(), counted.size());
        std::size_t result = 0;
        for (const CaseLaunch& launch : test_.launches) {
            if (launch.excluded.contains(variant_.name)) continue;
            for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
                const CaseArgument& argument = launch.arguments[i];
                const bool whole = argument.compared && !launch.referenceKernel.empty();
                const std::size_t bytes = whole               ? argument.bytes.size()
                                          : argument.expected ? argument.expected->size()
                                                              : 0;
                const std::span before(plain[result][i].bytes);
                const std::span after(counted[result][i].bytes);
                EXPECT_TRUE(std::ranges::equal(before.first(bytes), after.first(bytes)))
                    << launch.kernel << ", argument " << i;
            }
            ++result;
        }
    }
};

}  // namespace
}  // namespace zetl::kernels

int main(int count, char** arguments) {
    using namespace zetl::kernels;
    setenv("ZE_ENABLE_ALT_DRIVERS", ZETL_COUNTED_GPU, 0);
    constexpr int kSkipped = 77;
    const bool chosen = setenv("ZETL_EMULATED_DEVICE", "max1100", 0) == 0 &&  // one tile
                        std::string_view(std::getenv("ZETL_EMULATED_DEVICE")) != "max1100";
    testing::InitGoogleTest(&count, arguments);
    if (chosen && compilerIsOlder()) return kSkipped;
    registerCases("Instrumented", ZETL_CORPUS,
                  [](const std::filesystem::path& file, const Variant& variant) -> testing::Test* {
                      return new InstrumentedTest(file, variant);
                  });
    return RUN_ALL_TESTS();
}

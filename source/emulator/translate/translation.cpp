#include "emulator/translate/translation.h"

#include <asmjit/x86.h>
#include <fmt/format.h>

#include <memory>
#include <new>
#include <span>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/settings.h"
#include "emulator/isa/float_mode.h"
#include "emulator/isa/step_table.h"
#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/executable_memory.h"
#include "emulator/translate/flow/blocks.h"
#include "emulator/translate/group/group.h"
#include "emulator/translate/perf_map.h"
#include "emulator/translate/plan/common_part.h"
#include "emulator/translate/plan/polling_loops.h"
#include "emulator/translate/plan/survey.h"
#include "isa/xe/decode.h"

namespace zetl::emulator::translate {
namespace {

// Of one launch. The largest kernels of oneDNN and oneMKL have some 20,000; host code of a million lines takes about
// 300 MB.
constexpr std::size_t kMaxLines = 1'000'000;

/// What cannot be helped by a setting.
std::string findHostObstacle() {
#if ZETL_TRANSLATES
    const bool narrow = isa::hostInstructionSet() == "avx2" && Avx2Assembler::runsHere();
    if (!narrow && isa::hostInstructionSet() != "avx512") return "the steps are not those for AVX2 or AVX-512";
    if (!__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt")) return "the processor lacks BMI2";
    if (!ExecutableMemory::permitted()) return "the host does not let this process execute code that it has written";
    return {};
#else
    return "this build has sanitizers, coverage, or steps for one instruction set";
#endif
}

/// Keeps the first mistake: asmjit goes on behind one.
class Mistakes : public asmjit::ErrorHandler {
  public:
    void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
        if (first.empty()) first = message;
    }
    std::string first;
};

std::unique_ptr<HostAssembler> assemblerForHost() {
    if (isa::hostInstructionSet() == "avx512") return std::make_unique<HostAssembler>();
    return std::make_unique<Avx2Assembler>();
}

/// Whether threads may enter what is made.
enum class Install : std::uint8_t { no, yes };

class Translator {
  public:
    /// `reported`: lines of which the code is to tell.
    Translator(isa::Program::Code& code, Registers registers, std::string kernel, Install install,
               std::span<const isa::Reported> reported = {})
        : code_(code), registers_(registers), kernel_(std::move(kernel)), install_(install), reported_(reported) {
        holder_.init(asmjit::Environment::host());
        holder_.setErrorHandler(&mistakes_);
        holder_.attach(assembler_.get());
    }

    Report run(const Survey& survey, isa::Line entry, std::uint32_t lanes, bool setsMode) {
        const auto version = lanes == 16 ? isa::Version::lanes16 : isa::Version::lanes32;
        const std::uint8_t whole = lanes >= 16 ? code_.bodyOf[static_cast<int>(version)] : 0;
        HostCode host(code_, *assembler_, registers_);
        Blocks blocks(host, whole, reported_);
        blocks.startAt(entry, setsMode);
        if (whole != 0 && endWithThread(registers_) && reported_.empty()) {
            blocks.share(findCommonPart(code_, survey, entry, lanes));
            if (registers_ == Registers::needed) blocks.loseUnread(survey);
        }
        blocks.emitBody(code_.bodyOf[static_cast<int>(isa::Version::masked)], survey);
        if (whole != 0) blocks.emitBody(whole, survey);
        blocks.finish();
        assembler_->finish();
        const Shares& shares = blocks.shares();
        const std::uint64_t bytes =
            install_ == Install::no ? codeSize() : install(blocks, {whole, code_.body[whole].start[entry], nullptr});
        if (bytes == 0) return {};
        if (log::enabled(log::Channel::emulator, log::Level::debug)) tell(shares, bytes);
        return {.lines = shares.lines,
                .native = shares.native,
                .called = shares.called,
                .codeBytes = bytes,
                .entered = entered_,
                .group = nullptr,
                .reached = survey.reached,
                .calling = shares.calling,
                .written = host.written()};
    }

    /// For the threads of a group, all with the lanes of that body; null if there is none.
    std::shared_ptr<GroupCode> runGroup(isa::Line entry, std::uint8_t body) {
        const auto [plan, obstacle] = planGroup(code_, entry, body);
        if (!plan) {
            if (obstacle < code_.lines())
                log::debug(log::Channel::emulator, "threads of a group run one by one because of line {}, {}", obstacle,
                           isa::findOpcode(static_cast<std::uint8_t>(code_.instructions[obstacle].opcode))->mnemonic);
            return nullptr;
        }
        HostCode host(code_, *assembler_, Registers::dropped);
        GroupLoop loop(host);
        if (!loop.emit(*plan, body)) return nullptr;
        assembler_->finish();
        const std::shared_ptr<ExecutableMemory> memory = install_ == Install::no ? nullptr : placed();
        if (!memory) return nullptr;
        nameFor(wantedNames(), {}, reinterpret_cast<std::uint64_t>(memory->bytes().data()));
        auto code = std::make_shared<GroupCode>();
        code->run =
            reinterpret_cast<GroupCode::Run>(memory->bytes().data() + holder_.labelOffsetFromBase(loop.entry()));
        code->work = plan->end + 1 - entry + code_.chargeOf(entry, plan->end + 1);
        code->setsMode = plan->setsMode;
        code->linear = loop.isLinear();
        code->written = host.written();
        code->owner = memory;
        return code;
    }

    /// Adds what such threads are going to access; false if that cannot be said before they run, or the host has no
    /// memory for it.
    bool foresee(isa::Line entry, std::uint8_t body, Foresees what, GroupCode& code) {
        const auto [plan, obstacle] = planGroup(code_, entry, body);
        if (!plan) return false;
        HostCode host(code_, *assembler_, Registers::dropped);
        GroupLoop loop(host);
        if (!loop.emitForesight(*plan, body, what)) return false;
        code.accesses = loop.foreseen();
        if (!tellsOnlyOf(code.accesses, entry, plan->end)) return false;
        code.addresses = 0;
        for (const isa::PlannedAccess& one : code.accesses) code.addresses += one.addresses;
        assembler_->finish();
        const std::shared_ptr<ExecutableMemory> memory = install_ == Install::no ? nullptr : placed();
        if (!memory) return false;
        nameFor(wantedNames(), {}, reinterpret_cast<std::uint64_t>(memory->bytes().data()));
        code.foresee =
            reinterpret_cast<GroupCode::Run>(memory->bytes().data() + holder_.labelOffsetFromBase(loop.entry()));
        code.written.add(host.written());
        code.owner = std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
            std::move(code.owner), memory);
        return true;
    }

  private:
    /// Observers judge groups, and of the lines only these accesses are reported while nothing makes them look.
    bool tellsOnlyOf(std::span<const isa::PlannedAccess> accesses, isa::Line entry, isa::Line end) const {
        return std::ranges::all_of(reported_, [&](const isa::Reported& one) {
            for (isa::Line line = entry; line <= end; ++line) {
                const bool known = std::ranges::find(accesses, line, &isa::PlannedAccess::line) != accesses.end();
                if (one.contains(line) && !one.isIdle(line) && !known) return false;
            }
            return one.to->judgesGroups();
        });
    }
    /// The bytes of host code that threads enter from now on; 0 if there is none.
    std::uint64_t install(const Blocks& blocks, const isa::HostEntry& first) {
        std::shared_ptr<ExecutableMemory> memory = placed();
        if (!memory) return 0;
        const auto base = reinterpret_cast<std::uint64_t>(memory->bytes().data());
        std::vector<isa::HostEntry> entries;
        entries.reserve(blocks.entries().size());
        for (const Blocks::Entry& e : blocks.entries()) {
            const auto run = reinterpret_cast<isa::Handler>(base + holder_.labelOffsetFromBase(e.label));
            entries.push_back({e.body, e.step, run});
            if (e.body == first.body && e.step == first.step) entered_ = run;
        }
        nameFor(wantedNames(), blocks.lines(), base);
        if (reported_.empty())
            code_.addHostCode(entries, std::move(memory));
        else
            code_.addReportingCode(entries, reported_, std::move(memory));
        return holder_.codeSize();
    }
    std::uint64_t codeSize() {
        if (!mistakes_.first.empty()) return refused(mistakes_.first.c_str());
        if (const auto error = layOut()) return refused(asmjit::DebugUtils::errorAsString(error));
        return holder_.codeSize();
    }
    /// Tells profilers of the host what lies there.
    void nameFor(HostNames wanted, std::span<const Blocks::LineStart> lines, std::uint64_t base) {
        if (wanted == HostNames::none) return;
        std::vector<HostSymbol> symbols;
        std::uint64_t end = holder_.codeSize();
        for (auto line = lines.rbegin(); wanted == HostNames::lines && line != lines.rend(); ++line) {
            if (line->offset == end) continue;
            symbols.push_back({base + line->offset, end - line->offset, nameOf(line->line)});
            end = line->offset;
        }
        if (end != 0) symbols.push_back({base, end, kernel_});
        perfMap().add(symbols);
    }
    std::string nameOf(isa::Line line) const {
        if (line >= code_.lines()) return kernel_;
        return fmt::format("{}+{:#x} {}", kernel_, code_.ipOf(line) - code_.options.base,
                           isa::text(*code_.options.architecture, code_.instructions[line]));
    }
    /// What was assembled, ready to be executed; null if there is no memory for it.
    std::shared_ptr<ExecutableMemory> placed() {
        const auto without = [](const char* why) {
            refused(why);
            return nullptr;
        };
        if (codeSize() == 0) return nullptr;
        std::shared_ptr<ExecutableMemory> memory = ExecutableMemory::allocate(holder_.codeSize());
        if (!memory) return without("no memory for it");
        const auto base = reinterpret_cast<std::uint64_t>(memory->bytes().data());
        if (const auto error = place(*memory, base)) return without(asmjit::DebugUtils::errorAsString(error));
        if (!memory->seal()) return without("the host does not let it be executed");
        return memory;
    }
    static void tell(const Shares& shares, std::uint64_t bytes) {
        std::string called;
        for (const auto& [opcode, count] : shares.calledBy)
            called += fmt::format(" {} {}", isa::findOpcode(static_cast<std::uint8_t>(opcode))->mnemonic, count);
        log::debug(log::Channel::emulator, "host code: {} lines, {} steps, {} called ({}), {} bytes", shares.lines,
                   shares.native, shares.called, called, bytes);
    }
    asmjit::Error layOut() {
        const auto error = holder_.flatten();
        return error != asmjit::kErrorOk ? error : holder_.resolveUnresolvedLinks();
    }
    asmjit::Error place(const ExecutableMemory& memory, std::uint64_t base) {
        const auto error = holder_.relocateToBase(base);
        if (error != asmjit::kErrorOk) return error;
        return holder_.copyFlattenedData(memory.bytes().data(), memory.bytes().size());
    }
    static std::uint64_t refused(const char* why) {
        log::warn(log::Channel::emulator, "a kernel is not translated: {}; it runs by its steps", why);
        return 0;
    }

    isa::Program::Code& code_;
    Registers registers_;
    const std::string kernel_;
    const Install install_;
    const std::span<const isa::Reported> reported_;
    asmjit::CodeHolder holder_;
    Mistakes mistakes_;
    const std::unique_ptr<HostAssembler> assembler_ = assemblerForHost();
    isa::Handler entered_ = nullptr;
};

void addGroup(Report& report, isa::Program::Code& code, isa::Line entry, std::uint32_t lanes, const std::string& kernel,
              Install install, std::span<const isa::Reported> reported) {
    if (lanes < 16) return;
    const auto version = lanes == 16 ? isa::Version::lanes16 : isa::Version::lanes32;
    const std::uint8_t body = code.bodyOf[static_cast<int>(version)];
    if (body == 0) return;
    const auto group = Translator(code, Registers::dropped, kernel, install).runGroup(entry, body);
    if (!group) return;
    const auto foresees = [&](Foresees what) {
        return Translator(code, Registers::dropped, kernel, install, reported).foresee(entry, body, what, *group);
    };
    const auto judgesLanes = [](const isa::Reported& one) { return one.to->judgesLanes(); };
    if (!reported.empty() && !foresees(Foresees::ids) &&
        !(std::ranges::all_of(reported, judgesLanes) && foresees(Foresees::loaded)))
        return;
    for (const isa::Reported& one : reported) group->observers.push_back(one.to);
    group->entered = report.entered;
    report.written.add(group->written);
    report.group = group;
}

Report translateFrom(isa::Program& program, std::uint32_t ip, std::uint32_t lanes, Registers registers,
                     const std::string& kernel, Install install = Install::yes,
                     std::span<const isa::Reported> reported = {}) {
    const isa::Line entry = program.lineAt(ip);
    if (entry == isa::kNoLine || (install == Install::yes && !hostObstacle().empty())) return {};
    try {
        const Survey survey = surveyFrom(program.code(), entry);
        if (survey.lines.size() > kMaxLines) {
            log::warn(log::Channel::emulator,
                      "kernel {} runs slowly, by steps: it has {} instructions, and {} at most become host code",
                      kernel, survey.lines.size(), kMaxLines);
            return {};
        }
        Report report = Translator(program.code(), registers, kernel, install, reported)
                            .run(survey, entry, lanes, isa::setsFloatModeFirst(program, ip));
        if (report.codeBytes != 0 && endWithThread(registers))
            addGroup(report, program.code(), entry, lanes, kernel, install, reported);
        return report;
    } catch (const std::bad_alloc&) {
        return {};
    }
}

/// Host code's own way, unless the setting asks for the one that shows what that way does wrong. A debugger may look at
/// any register of a thread that stops.
Registers wishedRegisters() {
    const char* wish = settings::value(settings::kEmulatorTranslate);
    if (wish != nullptr && std::string_view(wish) == "home") return Registers::home;
    return settings::enabled(settings::kProgramDebugging) ? Registers::dropped : Registers::needed;
}

}  // namespace

const std::string& hostObstacle() {
    static NeverDestroyed<std::string> problem(findHostObstacle());
    return *problem;
}

const std::string& obstacle() {
    static NeverDestroyed<std::string> problem([] {
        const char* wish = settings::value(settings::kEmulatorTranslate);
        if (wish != nullptr && std::string_view(wish) == "0") return fmt::format("{}=0", settings::kEmulatorTranslate);
        return hostObstacle();
    }());
    return *problem;
}

Policy policy() {
    static const Policy wished =
        settings::value(settings::kEmulatorTranslate) == nullptr ? Policy::whenItPays : Policy::whenLaunched;
    return wished;
}

// A line is translated in two versions, for 0.5 us each, or 3.5 for AVX2; an execution by steps takes 4 to 14 ns, most
// of which host code saves (docs/reference/benchmarks-emulator.md).
std::uint32_t executionsThatPay() { return isa::hostInstructionSet() == "avx512" ? 128 : 1024; }

std::uint32_t linesFrom(const isa::Program& program, std::uint32_t ip) {
    const isa::Line entry = program.lineAt(ip);
    return entry == isa::kNoLine ? 0 : static_cast<std::uint32_t>(surveyFrom(program.code(), entry).lines.size());
}

bool mayWaitForOthers(const isa::Program& program, std::uint32_t ip) {
    const isa::Line entry = program.lineAt(ip);
    return entry == isa::kNoLine || mayPoll(program.code(), entry);
}

Report translate(isa::Program& program, std::uint32_t ip, std::uint32_t lanes, const std::string& kernel) {
    return obstacle().empty() ? translateFrom(program, ip, lanes, wishedRegisters(), kernel) : Report{};
}

Report translateReporting(isa::Program& program, std::uint32_t ip, std::uint32_t lanes,
                          std::span<const isa::Reported> reported, const std::string& kernel) {
    if (!obstacle().empty()) return {};
    return translateFrom(program, ip, lanes, wishedRegisters(), kernel, Install::yes, reported);
}

Report translateAnyway(isa::Program& program, std::uint32_t ip, std::uint32_t lanes, Registers registers,
                       std::span<const isa::Reported> reported) {
    return translateFrom(program, ip, lanes, registers, "emulated code", Install::yes, reported);
}

Report translateInVain(isa::Program& program, std::uint32_t ip, std::uint32_t lanes) {
    return translateFrom(program, ip, lanes, Registers::dropped, {}, Install::no);
}

}  // namespace zetl::emulator::translate

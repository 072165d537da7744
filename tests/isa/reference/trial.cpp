#include "reference/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emulator/isa/code.h"
#include "isa/xe/decode.h"
#include "reference/executor.h"
#include "reference/operand.h"
#include "reference/program_code.h"

namespace zetl::test::reference {
namespace {

constexpr std::uint32_t kBase = 0x10000;
constexpr std::uint64_t kAnything = 0x5a5a5a5a5a5a5a5a;

struct Span {
    std::uint32_t begin;
    std::uint32_t end;
};
/// What the emulator makes when it is read, what debuggers write, and a flag of the emulator's own.
constexpr Span kNotCompared[] = {{layout::kFlags + 16, layout::kStatus},
                                 {layout::kControl + 4, layout::kControl + 64},
                                 {layout::kExecutionMask, layout::kStackPointer},
                                 {layout::kTimestamp, layout::kNotification}};

// 64 bits of the accumulator's lanes, which the emulator keeps where a later instruction reads them. The reference
// keeps its own throughout: what that instruction makes of them is compared.
constexpr Span kWide{layout::kWideAccumulator, layout::kMme};
bool isIn(std::uint32_t at, Span span) { return at >= span.begin && at < span.end; }
/// The line leaves them as they are, as nothing behind it reads them.
bool leavesWide(const isa::Program& program, const isa::Instruction& in) {
    const isa::Operand& d = in.destination;
    return d.isAccumulator() && !isa::isReal(d.type) && !program.code().traits.wideAccumulator[program.lineAt(in.ip)];
}
bool isSame(const State& want, const isa::Thread& got) {
    return std::memcmp(want.bytes, got.state, kWide.begin) == 0 &&
           std::memcmp(want.bytes + kWide.end, got.state + kWide.end, sizeof want.bytes - kWide.end) == 0;
}

void copyOver(State& to, const isa::Thread& from, Span span) {
    std::copy(from.state + span.begin, from.state + span.end, to.bytes + span.begin);
}
long double hostValue(std::uint64_t bits, isa::DataType type) {
    const std::uint64_t wide = encodeReal(decodeReal(bits, formatOf(type)), kDouble, Rounding::nearestEven);
    return static_cast<long double>(std::bit_cast<double>(wide));
}
bool isNear(const Open& open, long double near, long double got) {
    if (std::isnan(near) || std::isnan(got)) return std::isnan(near) && std::isnan(got);
    const bool half = open.type == isa::DataType::hf;
    const long double least = half ? 0x1p-14L : 0x1p-126L;
    const long double most = half ? 65504 : 0x1.fffffep127L;
    if (std::fabs(near) * (1 + open.relative) >= most)  // rounded to the largest number or to infinity
        return std::signbit(got) == std::signbit(near) && std::fabs(got) >= most * (1 - 2 * open.relative);
    return std::fabs(got - near) <= std::fabs(near) * open.relative + least;
}
bool isAllowed(const Open& open, std::uint64_t bits) {
    if (open.near) return isNear(open, *open.near, hostValue(bits, open.type));
    return open.allowed.empty() || std::ranges::find(open.allowed, bits) != open.allowed.end();
}

/// Instructions that the decoder does not read as they were written.
std::string misread(const isa::Architecture& architecture, const RandomProgram& p, const Code& code) {
    std::string list;
    for (std::size_t n = 0; n < p.instructions.size(); ++n) {
        const auto decoded = isa::decode(architecture, std::span(code).subspan((n + 1) * kInstructionBytes), 0);
        const std::string read = decoded ? isa::text(architecture, *decoded) : "nothing";
        const std::string written = isa::text(architecture, p.instructions[n].in);
        if (read != written) list += fmt::format("program {}: {}\n    is decoded as {}\n", p.number, written, read);
    }
    return list;
}

/// The instruction, its operands' elements in every lane, and the bytes that differ.
class Report {
  public:
    Report(const isa::Instruction& in, const State& before) : in_(in), before_(before) {}
    std::string elements() const {
        std::string text;
        for (unsigned lane = 0; lane < in_.width; ++lane) {
            text += fmt::format("    lane {:2}:", lane);
            for (int k = 0; k < in_.sources; ++k) text += fmt::format(" {:x}", elementBits(before_, in_, k, lane));
            if (const auto at = destinationPlace(before_, in_.destination, in_.destination.type, lane))
                text += fmt::format(" -> state {:#x}", *at);
            text += "\n";
        }
        return text;
    }
    std::string differing(const State& want, const isa::Thread& got) const {
        constexpr int kShown = 6;
        std::string text;
        int shown = 0;
        for (std::uint32_t at = 0; at < sizeof want.bytes && shown < kShown; at += 4) {
            std::uint32_t is;
            std::memcpy(&is, got.state + at, sizeof is);
            if (want.read(at, 4) == is || isIn(at, kWide)) continue;
            text += fmt::format("    state {:#x} (r{}.{}): {:08x}, should be {:08x}, was {:08x}\n", at, at / 64,
                                at % 64 / 4, is, want.read(at, 4), before_.read(at, 4));
            ++shown;
        }
        return text;
    }

  private:
    const isa::Instruction& in_;
    const State& before_;
};

}  // namespace

std::string Trial::compare(const RandomProgram& program, const Code& code, const isa::StepTable& table) {
    isa::Thread& thread = thread_.thread();
    thread.reset();
    thread_.load(code, program.lanes, {.architecture = &architecture_, .base = kBase, .markLines = true}, table);
    std::copy(program.registers.bytes, program.registers.bytes + layout::kControl, thread.state);
    State want = program.registers;
    want.timestamp = thread_.timestamp();
    for (std::uint32_t n = 0; n <= program.instructions.size(); ++n) {
        const std::uint32_t ip = kBase + n * kInstructionBytes;
        const isa::Instruction& in = thread_.program().instruction(n);
        copyOver(want, thread, {0, kWide.begin});
        copyOver(want, thread, {kWide.end, layout::kArchitectureEnd});
        const State before = want;
        if (!isa::runWithin(thread, ip, ip + kInstructionBytes))
            return fmt::format("{}\n    stopped: {}\n", isa::text(architecture_, in), thread.fault.what);
        const auto opens = execute(in, want);
        countSums(in, opens);
        for (const Span& span : kNotCompared) copyOver(want, thread, span);
        for (const Open& open : opens) {
            if (isIn(open.place, kWide) && leavesWide(thread_.program(), in)) {
                want.write(open.place, open.size, kAnything);  // and whatever reads that is wrong
                continue;
            }
            std::uint64_t is = 0;
            std::memcpy(&is, thread.state + open.place, open.size);
            if (isAllowed(open, is)) copyOver(want, thread, {open.place, open.place + open.size});
        }
        if (isSame(want, thread)) continue;
        const Report report(in, before);
        return isa::text(architecture_, in) + "\n" + report.elements() + report.differing(want, thread);
    }
    return {};
}

void Trial::countSums(const isa::Instruction& in, const std::vector<Open>& opens) {
    if (in.opcode != isa::Opcode::dpas || !isa::isReal(in.destination.type)) return;
    const auto isAnything = [](const Open& o) { return o.allowed.empty(); };
    coverage_.sums += std::uint64_t{in.repeatCount} * in.width;
    coverage_.openSums += static_cast<std::uint64_t>(std::ranges::count_if(opens, isAnything));
}

std::string Trial::run(std::uint64_t first, std::uint32_t count) {
    const std::vector<RandomProgram> programs = randomPrograms(first, count, architecture_);
    const std::vector<Code> codes = codeOf(programs);
    std::string report;
    for (std::size_t k = 0; k < programs.size(); ++k) {
        report += misread(architecture_, programs[k], codes[k]);
        for (const Drawn& d : programs[k].instructions) coverage_.add(d);
        for (const isa::StepTable* table : tables_) {
            const std::string difference = compare(programs[k], codes[k], *table);
            if (difference.empty()) continue;
            ++differences_;
            report += fmt::format("program {}, lanes {:x}, cr0.0 {:x}, {}:\n  {}", programs[k].number,
                                  programs[k].lanes, programs[k].control, table->name, difference);
            break;
        }
    }
    return report;
}

}  // namespace zetl::test::reference

#include "emulator/machine/tools/host_code_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "base/log.h"
#include "emulator/isa/code.h"
#include "emulator/isa/usage.h"
#include "isa/xe/access_shape.h"

namespace zetl::emulator::machine {
namespace {

std::string accessOf(const isa::Instruction& in) {
    const auto shape = isa::accessShapeOf(in);
    if (!shape) return {};
    const char* const what = shape->atomic ? "atomic" : shape->write ? "store" : "load";
    if (shape->block2d) return fmt::format(" {} block2d", what);
    const std::string lanes = shape->block ? "" : fmt::format("{} lanes x ", in.width);
    return fmt::format(" {} {}{} bytes{}", what, lanes, shape->bytes, shape->strided ? " strided" : "");
}

/// What decides whether there is host code for an instruction, besides its opcode: types, registers that a0 names, and
/// what messages do to memory.
std::string formOf(const isa::Program& program, isa::Line line) {
    const isa::Instruction& in = program.instruction(line);
    std::string form = isa::usageOf(program, line).name;
    const isa::OpcodeInfo* info = isa::findOpcode(static_cast<std::uint8_t>(in.opcode));
    if (info == nullptr || info->format == isa::Format::branch) return form;
    if (info->format == isa::Format::send) return form + accessOf(in);
    const auto note = [&](const isa::Operand& operand) {
        if (operand.kind == isa::Operand::Kind::none) return;
        form += fmt::format(" {}:{}", operand.isIndirect() ? "r[a0]" : "", isa::nameOf(operand.type));
    };
    note(in.destination);
    for (std::size_t k = 0; k < in.sources; ++k) note(in.source[k]);
    return form;
}

std::uint64_t sumOf(const std::map<std::string, std::uint64_t>& sums) {
    return std::transform_reduce(sums.begin(), sums.end(), std::uint64_t{0}, std::plus(),
                                 [](const auto& form) { return form.second; });
}

/// Most first.
void writeForms(const char* text, const std::string& kernel, const std::map<std::string, std::uint64_t>& sums) {
    std::vector<std::pair<std::uint64_t, std::string>> forms;
    forms.reserve(sums.size());
    for (const auto& [form, sum] : sums) forms.emplace_back(sum, form);
    std::ranges::sort(forms, std::greater());
    for (const auto& [sum, form] : forms)
        log::debug(log::Channel::emulator, "{}", fmt::format(fmt::runtime(text), kernel, sum, form));
}

}  // namespace

void HostCodeShare::add(const Tally::LineCounts& counts) {
    const std::vector<bool> host = counts.program->hostLines();
    counts.eachLine([&](isa::Line line, std::uint64_t executed) {
        executed_ += executed;
        if (!host[line]) bySteps_[formOf(*counts.program->program, line)] += executed;
    });
    takeTimes(*counts.program);
}

void HostCodeShare::takeTimes(const LoadedProgram& loaded) {
    isa::HostTimes* const times = loaded.program->code().times.get();
    if (times == nullptr) return;
    turns_ += times->turns.exchange(0);
    hostCode_ += times->hostCode.exchange(0);
    for (isa::Line line = 0; line < times->called.size(); ++line)
        if (const std::uint64_t ticks = times->called[line].exchange(0); ticks != 0)
            called_[formOf(*loaded.program, line)] += ticks;
}

void HostCodeShare::write(const std::string& kernel, std::uint64_t before) const {
    const std::uint64_t called = sumOf(called_);
    log::debug(log::Channel::emulator, "{} took {} ticks: {} in host code, {} in steps that it called", kernel, turns_,
               hostCode_ - std::min(called, hostCode_), called);
    writeForms("{} took {} ticks in called steps: {}", kernel, called_);
    if (before != 0) {
        log::debug(log::Channel::emulator, "{} executed {} instructions, {} of them before it was host code", kernel,
                   executed_, before);
        return;
    }
    log::debug(log::Channel::emulator, "{} executed {} instructions, {} of them as host code", kernel, executed_,
               executed_ - sumOf(bySteps_));
    writeForms("{} executed {} times by steps: {}", kernel, bySteps_);
}

}  // namespace zetl::emulator::machine

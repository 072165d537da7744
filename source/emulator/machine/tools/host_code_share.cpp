#include "emulator/machine/tools/host_code_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/log.h"
#include "emulator/isa/usage.h"

namespace zetl::emulator::machine {
namespace {

/// What decides whether there is host code for an instruction, besides its opcode: types, and registers that a0 names.
std::string formOf(const isa::Program& program, isa::Line line) {
    const isa::Instruction& in = program.instruction(line);
    std::string form = isa::usageOf(program, line).name;
    const isa::OpcodeInfo* info = isa::findOpcode(static_cast<std::uint8_t>(in.opcode));
    if (info == nullptr || info->format == isa::Format::send || info->format == isa::Format::branch) return form;
    const auto note = [&](const isa::Operand& operand) {
        if (operand.kind == isa::Operand::Kind::none) return;
        form += fmt::format(" {}:{}", operand.isIndirect() ? "r[a0]" : "", isa::nameOf(operand.type));
    };
    note(in.destination);
    for (std::size_t k = 0; k < in.sources; ++k) note(in.source[k]);
    return form;
}

}  // namespace

void HostCodeShare::add(const Tally::LineCounts& counts) {
    const std::vector<bool> host = counts.program->hostLines();
    counts.eachLine([&](isa::Line line, std::uint64_t executed) {
        executed_ += executed;
        if (!host[line]) bySteps_[formOf(*counts.program->program, line)] += executed;
    });
}

void HostCodeShare::write(const std::string& kernel, std::uint64_t before) const {
    if (before != 0) {
        log::debug(log::Channel::emulator, "{} executed {} instructions, {} of them before it was host code", kernel,
                   executed_, before);
        return;
    }
    std::vector<std::pair<std::uint64_t, std::string>> forms;
    std::uint64_t bySteps = 0;
    for (const auto& [form, executed] : bySteps_) {
        forms.emplace_back(executed, form);
        bySteps += executed;
    }
    std::ranges::sort(forms, std::greater());
    log::debug(log::Channel::emulator, "{} executed {} instructions, {} of them as host code", kernel, executed_,
               executed_ - bySteps);
    for (const auto& [executed, form] : forms)
        log::debug(log::Channel::emulator, "{} executed {} times by steps: {}", kernel, executed, form);
}

}  // namespace zetl::emulator::machine

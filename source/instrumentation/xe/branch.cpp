#include "instrumentation/xe/branch.h"

namespace zetl::instrumentation {
namespace {

namespace xe = isa::xe;
using xe::Opcode;

/// A row for each branch: at which of its two distances, and whether behind it, lanes wait. Execution follows the near
/// distance.
struct BranchRow {
    Opcode opcode;
    bool nearWait = false;
    bool farWait = false;
    bool behindWait = false;
    bool always = false;  ///< without predicate it never falls through
};
constexpr BranchRow kRows[] = {
    {.opcode = Opcode::jmpi, .always = true},
    {.opcode = Opcode::brd, .nearWait = true, .always = true},
    {.opcode = Opcode::brc, .farWait = true, .always = true},
    {.opcode = Opcode::jumpTo, .farWait = true, .always = true},
    {.opcode = Opcode::branchIf, .nearWait = true, .farWait = true},
    {.opcode = Opcode::branchElse, .farWait = true, .behindWait = true},
    {.opcode = Opcode::endif},
    {.opcode = Opcode::branchWhile, .behindWait = true},
    {.opcode = Opcode::breakLoop, .farWait = true, .behindWait = true},
    {.opcode = Opcode::continueLoop, .farWait = true},
    {.opcode = Opcode::halt, .farWait = true},
    {.opcode = Opcode::join},
};

Branch call(const xe::Instruction& in, bool predicated) {
    Branch branch;
    branch.fallsThrough = predicated;
    branch.calls = true;
    branch.external = in.targetInRegister || in.opcode == Opcode::calla;
    if (!branch.external) branch.targets.push_back(in.ip + static_cast<std::uint32_t>(in.jip));
    if (predicated) branch.waits.push_back(in.ip + in.bytes);
    return branch;
}

Branch byRow(const BranchRow& row, const xe::Instruction& in, bool predicated) {
    const std::uint32_t near = in.ip + static_cast<std::uint32_t>(in.jip);
    const std::uint32_t behind = in.ip + in.bytes;
    const std::uint32_t far = in.ip + static_cast<std::uint32_t>(in.uip);
    Branch branch;
    branch.fallsThrough = predicated || !row.always;
    branch.computed = in.targetInRegister;
    if (in.targetInRegister) return branch;
    // A goto that goes back leaves at its far distance; lanes that do not take it wait at the near one.
    const bool backward = in.opcode == Opcode::jumpTo && in.branchControl;
    branch.targets.push_back(near);
    if (backward) branch.targets.push_back(far);
    if (row.nearWait || backward) branch.waits.push_back(near);
    if (row.farWait && !backward) branch.waits.push_back(far);
    if (row.behindWait) branch.waits.push_back(behind);
    return branch;
}

}  // namespace

bool endsBlock(const xe::Instruction& in) noexcept {
    return xe::findOpcode(static_cast<std::uint8_t>(in.opcode))->format == xe::Format::branch || in.message.endOfThread;
}

Branch branchOf(const xe::Instruction& in) {
    const bool predicated = in.predicate != xe::Predicate::none;
    if (in.opcode == Opcode::call || in.opcode == Opcode::calla) return call(in, predicated);
    for (const BranchRow& row : kRows)
        if (row.opcode == in.opcode) return byRow(row, in, predicated);
    Branch branch;
    branch.returns = in.opcode == Opcode::ret;
    branch.fallsThrough = predicated || !(branch.returns || in.message.endOfThread);
    return branch;
}

}  // namespace zetl::instrumentation

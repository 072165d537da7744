#include "emulator/machine/code/loaded_program.h"

#include <algorithm>
#include <new>

#include "emulator/isa/decode/access_shape.h"
#include "emulator/isa/decode/instruction.h"
#include "emulator/machine/code/schedule.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::machine {
namespace {

using isa::Instruction;

constexpr std::uint32_t kEngineBytes = 64;  // operand bytes an engine takes in one issue slot
constexpr std::uint8_t kMathSlots = 4;      // extended math runs at a quarter of the rate

/// What a message counts as beside a send: the accesses of global and local memory by kind, fences, barriers.
Counter messageCounter(const Instruction& i) noexcept {
    if (i.message.descriptorInRegister) return Counter::count_;  // what it does is known only when it runs
    switch (isa::synchronizationOf(i)) {
        case isa::Synchronization::fence:
            return Counter::fences;
        case isa::Synchronization::barrier:
            return Counter::barriers;
        case isa::Synchronization::none:
            break;
    }
    const auto shape = isa::accessShapeOf(i);
    if (!shape) return Counter::count_;
    const auto kind = [&](Counter read, Counter write, Counter atomic) {
        return shape->atomic ? atomic : shape->write ? write : read;
    };
    switch (shape->space) {
        case isa::MemorySpace::global:
            return kind(Counter::globalReads, Counter::globalWrites, Counter::globalAtomics);
        case isa::MemorySpace::local:
            return kind(Counter::slmReads, Counter::slmWrites, Counter::slmAtomics);
        default:
            return Counter::count_;
    }
}

bool computesReal(const Instruction& i) noexcept {
    const auto real = [](const isa::Operand& operand) {
        return operand.kind != isa::Operand::Kind::none && isa::isReal(operand.type);
    };
    return real(i.destination) || std::any_of(i.source.begin(), i.source.begin() + i.sources, real);
}

std::uint8_t slots(const Instruction& i) noexcept {
    std::uint32_t bytes = isa::byteSize(i.destination.type);
    for (std::uint32_t s = 0; s < i.sources; ++s) {
        if (i.source[s].kind != isa::Operand::Kind::none) bytes = std::max(bytes, isa::byteSize(i.source[s].type));
    }
    return static_cast<std::uint8_t>(std::max(1u, i.width * bytes / kEngineBytes));
}

void addTo(std::vector<bool>& all, const std::vector<bool>& more) {
    all.resize(std::max(all.size(), more.size()));
    for (std::size_t line = 0; line < more.size(); ++line) all[line] = all[line] || more[line];
}

}  // namespace

LineInfo classify(const Instruction& i) noexcept {
    const isa::OpcodeInfo* opcode = isa::findOpcode(static_cast<std::uint8_t>(i.opcode));
    if (opcode == nullptr) return {};
    switch (opcode->format) {
        case isa::Format::control:
        case isa::Format::sync:
            return {Counter::otherInstructions, Counter::count_, 1};
        case isa::Format::branch:
            return {Counter::controlInstructions, Counter::count_, 1};
        case isa::Format::send:
            return {Counter::sendInstructions, messageCounter(i), 1};
        case isa::Format::systolic:
            return {Counter::matrixInstructions, Counter::count_, slots(i)};
        case isa::Format::math:
            return {Counter::mathInstructions, Counter::count_, static_cast<std::uint8_t>(slots(i) * kMathSlots)};
        default:
            return {computesReal(i) ? Counter::floatInstructions : Counter::integerInstructions, Counter::count_,
                    slots(i)};
    }
}

void RetiredLines::add(const Tile& tile, const std::vector<std::uint64_t>& executed) {
    const Lock guard(mutex_);
    std::vector<std::uint64_t>& sum = counts_[&tile];
    sum.resize(std::max(sum.size(), executed.size()));
    for (std::size_t line = 0; line < executed.size(); ++line) sum[line] += executed[line];
}

std::vector<std::uint64_t> RetiredLines::of(const Tile& tile, std::size_t lines) const {
    const Lock guard(mutex_);
    const auto found = counts_.find(&tile);
    std::vector<std::uint64_t> sum = found == counts_.end() ? std::vector<std::uint64_t>() : found->second;
    sum.resize(lines);
    return sum;
}

LoadedProgram::LoadedProgram(std::span<const std::byte> code, const isa::LowerOptions& options)
    : program(isa::lower(code, options)), written(program->written()) {
    lines.reserve(program->lineCount());
    for (isa::Line line = 0; line < program->lineCount(); ++line) lines.push_back(classify(program->instruction(line)));
}

LoadedProgram::~LoadedProgram() = default;

void LoadedProgram::translate(std::uint32_t entry, std::uint32_t lanes, const std::string& kernel) const {
    if (!translate::obstacle().empty()) return;
    const Lock guard(translating_);
    try {
        const auto [known, fresh] = translated_.try_emplace({entry, lanes});
        if (!fresh) return;
        // Before the code can be entered: whoever runs it later than this asks what it may write.
        translations_.fetch_add(1, std::memory_order_seq_cst);
        const translate::Report report = translate::translate(*program, entry, lanes, kernel);
        hostWritten_.add(report.written);
        known->second = report.group;
        addTo(reached_, report.reached);
        addTo(calling_, report.calling);
    } catch (const std::bad_alloc&) {  // the steps serve
    }
}

isa::StateSlots LoadedProgram::hostWritten() const {
    const Lock guard(translating_);
    return hostWritten_;
}

std::vector<bool> LoadedProgram::hostLines() const {
    const Lock guard(translating_);
    std::vector<bool> host = reached_;
    host.resize(lines.size());
    for (std::size_t line = 0; line < std::min(host.size(), calling_.size()); ++line)
        host[line] = host[line] && !calling_[line];
    return host;
}

std::shared_ptr<const translate::GroupCode> LoadedProgram::groupCode(std::uint32_t entry, std::uint32_t lanes) const {
    const Lock guard(translating_);
    const auto known = translated_.find({entry, lanes});
    return known == translated_.end() ? nullptr : known->second;
}

isa::StateSlots LoadedProgram::readFirst(std::uint32_t entry, std::uint32_t lanes) const {
    const Lock guard(translating_);
    const auto [known, fresh] = readFirst_.try_emplace({entry, lanes});
    if (fresh) known->second = program->readFirst(entry, lanes);
    return known->second;
}

const Schedule& LoadedProgram::schedule(const TimingModel& timing) const {
    std::call_once(scheduled_, [&] { schedule_ = std::make_unique<const Schedule>(*this, timing); });
    return *schedule_;
}

}  // namespace zetl::emulator::machine

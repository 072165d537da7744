#include "instrumentation/section.h"

#include <algorithm>

#include "binary/special_symbols.h"
#include "emulator/isa/decode/decode.h"
#include "emulator/isa/decode/lsc_descriptor.h"

namespace zetl::instrumentation {
namespace {

namespace isa = emulator::isa;

const binary::KernelImage* kernelOf(const binary::ModuleImage& module, std::uint32_t section) {
    const auto found = std::ranges::find(module.kernels, section, &binary::KernelImage::codeSection);
    return found == module.kernels.end() ? nullptr : &*found;
}

std::vector<Block> blocksOf(const DecodedCode& code, const FlowGraph& graph) {
    std::vector<Block> blocks;
    for (const BasicBlock& block : graph.blocks()) {
        const auto& last = code.instructions()[block.end - 1];
        blocks.push_back({code.instructions()[block.first].ip, last.ip + last.bytes, block.successors, block.leaves});
    }
    return blocks;
}

}  // namespace

std::string obstacleOf(const binary::ModuleImage& module) {
    if (module.container == binary::ModuleImage::Container::zebin) return {};
    return "patch-token binaries are read, not changed: build the module as zebin (-ze-intel-allow-zebin)";
}

/// A function symbol inside a kernel's section is something that other sections may call.
Entries entriesOf(const binary::ModuleImage& module, std::uint32_t section) {
    Entries entries;
    const binary::KernelImage* const kernel = kernelOf(module, section);
    if (kernel) entries.kernel = {0, kernel->environment.skipPerThreadLoad};
    for (const binary::Symbol& symbol : module.symbols) {
        if (symbol.place.kind != binary::Place::Kind::code || symbol.place.index != section) continue;
        if (symbol.kind != binary::Symbol::Kind::function) continue;
        const auto offset = static_cast<std::uint32_t>(symbol.place.offset);
        const bool ofKernel = kernel && (offset == 0 || symbol.name == binary::kEntrySymbol);
        (ofKernel ? entries.kernel : entries.functions).push_back(offset);
    }
    return entries;
}

Section::Content::Content(const binary::ModuleImage& module, std::uint32_t index)
    : section(module.code[index]),
      entries(entriesOf(module, index)),
      code(section.bytes),
      graph(code, entries),
      liveness(code, graph),
      edit(section.bytes, code, graph),
      blocks(blocksOf(code, graph)),
      obstacle(obstacleOf(module)) {
    if (obstacle.empty()) obstacle = graph.obstacle();
    const binary::KernelImage* const kernel = kernelOf(module, index);
    isKernel = kernel != nullptr;
    if (kernel) {
        simdWidth = kernel->environment.simdSize;
        registerCount = kernel->environment.grfCount;
    }
    const auto grf = [](const binary::KernelImage& k) { return k.environment.grfCount; };
    // Functions run with as many registers as the kernel that calls them.
    if (!kernel && !module.kernels.empty())
        registerCount = std::ranges::min(module.kernels, {}, grf).environment.grfCount;
}

Section::Section(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Section::Section(Section&&) noexcept = default;
Section::~Section() = default;

const std::string& Section::name() const noexcept { return content_->section.name; }
bool Section::isKernel() const noexcept { return content_->isKernel; }
std::uint32_t Section::simdWidth() const noexcept { return content_->simdWidth; }
std::uint32_t Section::registerCount() const noexcept { return content_->registerCount; }
std::span<const std::uint8_t> Section::code() const noexcept { return content_->section.bytes; }
const std::vector<Block>& Section::blocks() const noexcept { return content_->blocks; }
const std::string& Section::obstacle() const noexcept { return content_->obstacle; }

std::vector<std::uint32_t> Section::instructions() const {
    std::vector<std::uint32_t> offsets;
    for (const auto& instruction : content_->code.instructions()) offsets.push_back(instruction.ip);
    return offsets;
}

std::string Section::text(std::uint32_t offset) const {
    const auto index = content_->code.at(offset);
    return index ? isa::text(content_->code.instructions()[*index]) : std::string();
}

std::optional<MessageRegisters> Section::message(std::uint32_t offset) const {
    const auto index = content_->code.at(offset);
    if (!index) return std::nullopt;
    const isa::Instruction& in = content_->code.instructions()[*index];
    if (in.opcode != isa::Opcode::send && in.opcode != isa::Opcode::sendc) return std::nullopt;
    const isa::Message& m = in.message;
    MessageRegisters registers{.lanes = in.width};
    if (m.descriptorInRegister || m.src1Registers < 0) return registers;
    const isa::lsc::Descriptor descriptor(m);
    registers.address = in.source[0].number;
    registers.addressCount = m.descriptor >> 25 & 15;
    registers.data = in.source[1].number;
    registers.dataCount = static_cast<std::uint32_t>(m.src1Registers);
    registers.result = in.destination.number;
    registers.resultCount = m.descriptor >> 20 & 31;
    const bool lsc = m.function == isa::SharedFunction::ugm || m.function == isa::SharedFunction::slm;
    registers.accessesMemory = lsc && (descriptor.loads() || descriptor.stores() || descriptor.atomic());
    if (registers.accessesMemory && !descriptor.block2d()) registers.addressBytes = descriptor.addressBytes();
    return registers;
}

std::vector<ByteRange> Section::freeBefore(std::uint32_t offset) const {
    const auto index = content_->code.at(offset);
    if (!index) return {};
    return (~content_->liveness.before(*index)).ranges(place::kGeneral, registerCount() * kRegisterBytes);
}

std::vector<std::uint32_t> Section::freeRegisters(std::uint32_t offset) const {
    std::vector<std::uint32_t> registers;
    for (const ByteRange range : freeBefore(offset)) {
        const std::uint32_t first = (range.start + kRegisterBytes - 1) / kRegisterBytes;
        for (std::uint32_t r = first; (r + 1) * kRegisterBytes <= range.start + range.count; ++r)
            registers.push_back(r);
    }
    return registers;
}

std::vector<std::uint32_t> Section::freeAccumulators(std::uint32_t offset) const {
    constexpr std::uint32_t kAccumulators = 8;
    std::vector<std::uint32_t> accumulators;
    const auto index = content_->code.at(offset);
    if (!index) return accumulators;
    const RegisterSet live = content_->liveness.before(*index);
    for (std::uint32_t i = 0; i < kAccumulators; ++i)
        if (!live.meets({place::kAccumulator + i * kRegisterBytes, kRegisterBytes})) accumulators.push_back(i);
    return accumulators;
}

std::vector<ByteRange> Section::untouched() const {
    return content_->liveness.untouched().ranges(place::kGeneral, registerCount() * kRegisterBytes);
}

bool Section::insertBefore(std::uint32_t offset, const InsertedCode& code) {
    const auto index = content_->code.at(offset);
    if (!index || !content_->obstacle.empty() || !content_->edit.insertBefore(*index, code.bytes())) return false;
    content_->changed = true;
    return true;
}

std::uint32_t Section::movedTo(std::uint32_t offset) const { return content_->edit.movement().place(offset); }

namespace {

/// A register whose first eight bytes are free, with one behind it.
std::optional<std::uint32_t> freeAddress(const Section& section, std::uint32_t offset) {
    for (const ByteRange range : section.freeBefore(offset)) {
        const std::uint32_t first = (range.start + kRegisterBytes - 1) / kRegisterBytes;
        const bool fits = first * kRegisterBytes + sizeof(std::uint64_t) <= range.start + range.count;
        if (fits && first + 1 < section.registerCount()) return first;
    }
    return std::nullopt;
}

}  // namespace

std::optional<InsertedCode> countingCode(const Section& section, std::uint32_t offset, std::uint64_t address) {
    InsertedCode code;
    code.waitForMessages();
    if (const auto free = freeAddress(section, offset)) {
        code.load(*free, address).increment(*free).waitForPayload();
        return code;
    }
    const auto accumulators = section.freeAccumulators(offset);
    if (accumulators.empty()) return std::nullopt;
    constexpr std::uint32_t kBorrowed = 1;
    code.save(accumulators.back(), kBorrowed).load(kBorrowed, address).increment(kBorrowed).waitForPayload();
    code.restore(kBorrowed, accumulators.back());
    return code;
}

}  // namespace zetl::instrumentation

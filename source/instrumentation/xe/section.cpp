#include "instrumentation/xe/section.h"

#include <algorithm>

#include "binary/special_symbols.h"
#include "isa/xe/decode.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::instrumentation {
namespace {

namespace xe = isa::xe;

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

}  // namespace

std::string obstacleOf(const binary::ModuleImage& module) {
    if (module.container == binary::ModuleImage::Container::zebin) return {};
    return "patch-token binaries are read, not changed: build the module as zebin (-ze-intel-allow-zebin)";
}

XeSection::XeSection(const binary::ModuleImage& module, std::uint32_t index)
    : decoded_(*module.target.product.architecture, module.code[index].bytes),
      graph_(decoded_, entriesOf(module, index)),
      liveness_(decoded_, graph_),
      edit_(module.code[index].bytes, decoded_, graph_) {
    instructionSet = InstructionSet::xe;
    name = module.code[index].name;
    code = module.code[index].bytes;
    blocks = blocksOf(decoded_, graph_);
    obstacle = obstacleOf(module);
    if (obstacle.empty()) obstacle = graph_.obstacle();
    const binary::KernelImage* const kernel = kernelOf(module, index);
    isKernel = kernel != nullptr;
    constexpr std::uint32_t kFewestRegisters = 128;
    registerCount = kFewestRegisters;
    if (kernel) {
        simdWidth = kernel->environment.simdSize;
        registerCount = kernel->environment.grfCount;
    }
    const auto grf = [](const binary::KernelImage& k) { return k.environment.grfCount; };
    // Functions run with as many registers as the kernel that calls them.
    if (!kernel && !module.kernels.empty())
        registerCount = std::ranges::min(module.kernels, {}, grf).environment.grfCount;
}

std::vector<std::uint32_t> XeSection::instructions() const {
    std::vector<std::uint32_t> offsets;
    for (const auto& instruction : decoded_.instructions()) offsets.push_back(instruction.ip);
    return offsets;
}

std::string XeSection::text(std::uint32_t offset) const {
    const auto index = decoded_.at(offset);
    return index ? xe::text(decoded_.architecture(), decoded_.instructions()[*index]) : std::string();
}

std::optional<MessageRegisters> XeSection::message(std::uint32_t offset) const {
    const auto index = decoded_.at(offset);
    if (!index) return std::nullopt;
    const xe::Instruction& in = decoded_.instructions()[*index];
    if (!xe::isSend(in.opcode)) return std::nullopt;
    const xe::Message& m = in.message;
    MessageRegisters registers{.lanes = in.width};
    if (m.descriptorInRegister || m.src1Registers < 0) return registers;
    const xe::lsc::Descriptor descriptor(m);
    registers.address = in.source[0].number;
    registers.addressCount = m.descriptor >> 25 & 15;
    registers.data = in.source[1].number;
    registers.dataCount = static_cast<std::uint8_t>(m.src1Registers);
    registers.result = in.destination.number;
    registers.resultCount = m.descriptor >> 20 & 31;
    const bool lsc = m.function == xe::SharedFunction::ugm || m.function == xe::SharedFunction::slm;
    registers.accessesMemory = lsc && (descriptor.loads() || descriptor.stores() || descriptor.atomic());
    if (registers.accessesMemory && !descriptor.block2d()) registers.addressBytes = descriptor.addressBytes();
    return registers;
}

std::vector<ByteRange> XeSection::freeBefore(std::uint32_t offset) const {
    const auto index = decoded_.at(offset);
    if (!index) return {};
    return (~liveness_.before(*index)).ranges(place::kGeneral, registerCount * kRegisterBytes);
}

std::vector<std::uint32_t> XeSection::freeAccumulators(std::uint32_t offset) const {
    constexpr std::uint32_t kAccumulators = 8;
    std::vector<std::uint32_t> accumulators;
    const auto index = decoded_.at(offset);
    if (!index) return accumulators;
    const RegisterSet live = liveness_.before(*index);
    for (std::uint32_t i = 0; i < kAccumulators; ++i)
        if (!live.meets({place::kAccumulator + i * kRegisterBytes, kRegisterBytes})) accumulators.push_back(i);
    return accumulators;
}

std::vector<ByteRange> XeSection::untouched() const {
    return liveness_.untouched().ranges(place::kGeneral, registerCount * kRegisterBytes);
}

bool XeSection::insertBefore(std::uint32_t offset, std::span<const std::uint8_t> inserted) {
    const auto index = decoded_.at(offset);
    if (!index || !edit_.insertBefore(*index, inserted)) return false;
    changed_ = true;
    return true;
}

/// A register whose first eight bytes are free, with one behind it.
std::optional<std::uint32_t> XeSection::freeAddress(std::uint32_t offset) const {
    for (const ByteRange range : freeBefore(offset)) {
        const std::uint32_t first = (range.start + kRegisterBytes - 1) / kRegisterBytes;
        const bool fits = first * kRegisterBytes + sizeof(std::uint64_t) <= range.start + range.count;
        if (fits && first + 1 < registerCount) return first;
    }
    return std::nullopt;
}

std::optional<InsertedCode> XeSection::countingCode(std::uint32_t offset, std::uint64_t address) const {
    InsertedCode counting;
    counting.waitForMessages();
    if (const auto free = freeAddress(offset)) {
        counting.load(*free, address).increment(*free).waitForPayload();
        return counting;
    }
    const auto accumulators = freeAccumulators(offset);
    if (accumulators.empty()) return std::nullopt;
    constexpr std::uint32_t kBorrowed = 1;
    counting.save(accumulators.back(), kBorrowed).load(kBorrowed, address).increment(kBorrowed).waitForPayload();
    counting.restore(kBorrowed, accumulators.back());
    return counting;
}

}  // namespace zetl::instrumentation

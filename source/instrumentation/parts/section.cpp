#include "instrumentation/parts/section.h"

namespace zetl::instrumentation {

Section::Section(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Section::Section(Section&&) noexcept = default;
Section::~Section() = default;

const std::string& Section::name() const noexcept { return content_->name; }
InstructionSet Section::instructionSet() const noexcept { return content_->instructionSet; }
bool Section::isKernel() const noexcept { return content_->isKernel; }
std::uint32_t Section::simdWidth() const noexcept { return content_->simdWidth; }
std::uint32_t Section::registerCount() const noexcept { return content_->registerCount; }
std::span<const std::uint8_t> Section::code() const noexcept { return content_->code; }
const std::vector<Block>& Section::blocks() const noexcept { return content_->blocks; }
const std::string& Section::obstacle() const noexcept { return content_->obstacle; }

std::vector<std::uint32_t> Section::instructions() const { return content_->instructions(); }
std::string Section::text(std::uint32_t offset) const { return content_->text(offset); }
std::optional<MessageRegisters> Section::message(std::uint32_t offset) const { return content_->message(offset); }
std::vector<ByteRange> Section::freeBefore(std::uint32_t offset) const { return content_->freeBefore(offset); }
std::vector<std::uint32_t> Section::freeAccumulators(std::uint32_t offset) const {
    return content_->freeAccumulators(offset);
}
std::vector<ByteRange> Section::untouched() const { return content_->untouched(); }
std::uint32_t Section::movedTo(std::uint32_t offset) const { return content_->movedTo(offset); }

std::vector<std::uint32_t> Section::freeRegisters(std::uint32_t offset) const {
    std::vector<std::uint32_t> registers;
    for (const ByteRange range : freeBefore(offset)) {
        const std::uint32_t first = (range.start + kRegisterBytes - 1) / kRegisterBytes;
        for (std::uint32_t r = first; (r + 1) * kRegisterBytes <= range.start + range.count; ++r)
            registers.push_back(r);
    }
    return registers;
}

bool Section::insertBefore(std::uint32_t offset, const InsertedCode& code) {
    if (code.instructionSet() != instructionSet() || !obstacle().empty()) return false;
    return content_->insertBefore(offset, code.bytes());
}

std::optional<InsertedCode> countingCode(const Section& section, std::uint32_t offset, std::uint64_t address) {
    return section.content().countingCode(offset, address);
}

}  // namespace zetl::instrumentation

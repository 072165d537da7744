// One code section, taken apart: the common part of sections of every instruction set.
#pragma once

#include <ze_tools_layer/instrumentation.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace zetl::instrumentation {

/// The data are constant once it is built. Functions that it does not override are not supported for its
/// instruction set.
struct Section::Content {
    Content() = default;
    Content(const Content&) = delete;
    Content& operator=(const Content&) = delete;
    virtual ~Content() = default;

    InstructionSet instructionSet = InstructionSet::xe;
    std::string name;
    std::span<const std::uint8_t> code;
    bool isKernel = false;
    std::uint32_t simdWidth = 0;
    std::uint32_t registerCount = 0;
    std::vector<Block> blocks;
    std::string obstacle;

    virtual std::vector<std::uint32_t> instructions() const = 0;
    virtual std::string text(std::uint32_t offset) const = 0;
    virtual std::optional<MessageRegisters> message(std::uint32_t) const { return std::nullopt; }
    virtual std::vector<ByteRange> freeBefore(std::uint32_t) const { return {}; }
    virtual std::vector<std::uint32_t> freeAccumulators(std::uint32_t) const { return {}; }
    virtual std::vector<ByteRange> untouched() const { return {}; }
    virtual std::optional<InsertedCode> countingCode(std::uint32_t offset, std::uint64_t address) const = 0;

    /// Called with code of its own instruction set, and only if there is no obstacle.
    virtual bool insertBefore(std::uint32_t offset, std::span<const std::uint8_t> inserted) = 0;
    virtual std::uint32_t movedTo(std::uint32_t offset) const = 0;
};

}  // namespace zetl::instrumentation

// One section of Xe code.
#pragma once

#include "binary/module_image.h"
#include "instrumentation/parts/section.h"
#include "instrumentation/xe/code_edit.h"
#include "instrumentation/xe/flow_graph.h"
#include "instrumentation/xe/liveness.h"

namespace zetl::instrumentation {

/// Built in its place, since its parts refer to each other.
class XeSection final : public Section::Content {
  public:
    /// `module` must outlive it.
    XeSection(const binary::ModuleImage& module, std::uint32_t index);

    std::vector<std::uint32_t> instructions() const override;
    std::string text(std::uint32_t offset) const override;
    std::optional<MessageRegisters> message(std::uint32_t offset) const override;
    std::vector<ByteRange> freeBefore(std::uint32_t offset) const override;
    std::vector<std::uint32_t> freeAccumulators(std::uint32_t offset) const override;
    std::vector<ByteRange> untouched() const override;
    std::optional<InsertedCode> countingCode(std::uint32_t offset, std::uint64_t address) const override;
    bool insertBefore(std::uint32_t offset, std::span<const std::uint8_t> inserted) override;
    std::uint32_t movedTo(std::uint32_t offset) const override { return edit_.movement().place(offset); }

    bool changed() const noexcept { return changed_; }
    CodeEdit::Result apply() const { return edit_.apply(); }

  private:
    DecodedCode decoded_;
    FlowGraph graph_;
    Liveness liveness_;
    CodeEdit edit_;
    bool changed_ = false;

    std::optional<std::uint32_t> freeAddress(std::uint32_t offset) const;
};

/// The reason why no section of the module's container can be changed; empty if they can.
std::string obstacleOf(const binary::ModuleImage& module);

}  // namespace zetl::instrumentation

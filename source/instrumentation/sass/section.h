// The code of one kernel or function of a cubin.
#pragma once

#include <map>
#include <set>

#include "instrumentation/parts/section.h"
#include "instrumentation/sass/counting_code.h"
#include "instrumentation/sass/flow_graph.h"

namespace zetl::instrumentation::sass {

/// Instructions keep their places, so that everything that knows them by their offsets stays right: return addresses,
/// tables of the driver, line tables. Where code is inserted, a branch leads to a place behind the code; there are the
/// inserted code, the instruction that the branch replaced, and a branch back.
class SassSection final : public Section::Content {
  public:
    struct Function {
        std::string name;
        std::span<const std::uint8_t> code;
        bool launchable = false;
        std::uint32_t registers = 0;
        std::vector<std::uint32_t> entries;
    };
    /// `scratch`: none if the obstacle says why.
    SassSection(Function function, const Generation& generation, const Scratch& scratch, std::string programObstacle);

    std::vector<std::uint32_t> instructions() const override;
    std::string text(std::uint32_t offset) const override;
    std::optional<InsertedCode> countingCode(std::uint32_t offset, std::uint64_t address) const override;
    bool insertBefore(std::uint32_t offset, std::span<const std::uint8_t> inserted) override;
    std::uint32_t movedTo(std::uint32_t offset) const override;

    bool changed() const noexcept { return !detours_.empty(); }
    std::vector<std::uint8_t> apply() const;
    std::uint64_t writtenBytes() const;  ///< size of the result of apply()

  private:
    const Generation& generation_;
    std::vector<Instruction> instructions_;
    std::set<std::uint32_t> gathered_;
    Scratch scratch_;
    std::map<std::uint32_t, std::vector<std::uint8_t>> detours_;  ///< the inserted code, by offset
    std::size_t size_ = 0;                                        ///< in bytes, inserted code included

    bool admits(std::uint32_t offset) const;
};

}  // namespace zetl::instrumentation::sass

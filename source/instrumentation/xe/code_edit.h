// Inserts instructions into machine code: positions move, and branches keep their targets.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "instrumentation/xe/decoded_code.h"
#include "instrumentation/xe/flow_graph.h"

namespace zetl::instrumentation {

/// Maps places in the old code to places in the new code.
class Movement {
  public:
    Movement() = default;
    /// Of one insertion.
    Movement(std::uint32_t at, std::uint32_t bytes) : inserted_{{at, bytes, 0}} {}

    /// The new place for an old offset: that of the code inserted before it, if there is any.
    std::uint32_t target(std::uint32_t old) const noexcept;
    /// The place of the old byte itself.
    std::uint32_t place(std::uint32_t old) const noexcept;
    /// The number of bytes by which the code grew.
    std::uint32_t growth() const noexcept {
        return inserted_.empty() ? 0 : inserted_.back().before + inserted_.back().bytes;
    }

  private:
    friend class CodeEdit;
    struct Inserted {
        std::uint32_t at;
        std::uint32_t bytes;
        std::uint32_t before;  ///< bytes inserted at lower offsets
    };
    std::vector<Inserted> inserted_;  ///< ascending
};

/// Collects insertions into one piece of code. `bytes`, `code` and `graph` must outlive it.
class CodeEdit {
  public:
    CodeEdit(std::span<const std::uint8_t> bytes, const DecodedCode& code, const FlowGraph& graph)
        : bytes_(bytes), code_(code), graph_(graph) {}

    /// Whether code may be inserted before the instruction. It may not if an address is computed from the instruction
    /// pointer and a distance that the insertion would change.
    bool admits(std::uint32_t instruction) const;

    /// Every way to the instruction leads through the inserted code, which must be whole instructions without branches.
    /// Code that is inserted first runs first. Returns false if admits() does, or if the code is no whole number of
    /// instructions.
    bool insertBefore(std::uint32_t instruction, std::span<const std::uint8_t> inserted);

    struct Result {
        std::vector<std::uint8_t> bytes;
        Movement movement;
    };
    Result apply() const;
    Movement movement() const;

  private:
    std::span<const std::uint8_t> bytes_;
    const DecodedCode& code_;
    const FlowGraph& graph_;
    std::map<std::uint32_t, std::vector<std::uint8_t>> inserted_;  ///< by instruction

    void moveBranch(const isa::xe::Instruction& instruction, const Movement& movement,
                    std::span<std::uint8_t> encoded) const;
};

}  // namespace zetl::instrumentation

// One lane of one frame of a stopped thread: its variables, and expressions over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/debug_info.h"
#include "core/frame.h"
#include "core/value.h"
#include "core/value_history.h"
#include "core/work_items.h"

namespace zetl::debugger {

/// Refers to all that it is made of; for one command.
class Inspector {
  public:
    Inspector(const Frame& frame, StoppedThread& thread, Memory& memory, const WorkItems& items, unsigned lane,
              const ValueHistory& history)
        : frame_(frame),
          thread_(thread),
          memory_(memory),
          items_(items),
          lane_(lane),
          history_(history),
          around_(surroundingsOf(frame, thread, memory, lane)) {}

    /// Those of the frame's own function, innermost block first.
    std::vector<Variable> variables() const;
    Value read(const Variable& variable) const;
    Value named(const std::string& name) const;
    /// "$r12", "$pc", "$lane", "$global_x", "$local_y", "$group_z".
    Value special(const std::string& name) const;

    const ValueHistory& history() const noexcept { return history_; }
    StoppedThread& thread() const noexcept { return thread_; }
    unsigned lane() const noexcept { return lane_; }

    Value member(const Value& whole, const std::string& name) const;
    Value element(const Value& whole, std::int64_t index) const;
    Value target(const Value& pointer) const;
    /// As a pointer to its type.
    Value addressOf(const Value& value) const;
    /// So many of its kind, one behind the other, as an array.
    Value repeated(const Value& first, std::uint64_t count) const;
    /// Throws Failure if the value has no place, or none that can be written.
    void assign(const Value& target, const Value& value);

    Value at(const Type& type, Place place) const;

  private:
    /// Of a whole in the debuggee what is there now; of one that has no place what it was.
    Value partOf(const Value& whole, const Type& type, std::uint64_t offset) const;
    bool leadsSomewhere(const Value& localPointer) const;
    Value elementAt(const Value& whole, std::int64_t index) const;
    std::optional<Bytes> readPiece(const Piece& piece, bool isLocal, std::uint64_t bits) const;
    void writePiece(const Piece& piece, bool isLocal, const Bytes& data, std::uint64_t first);

    const Frame& frame_;
    StoppedThread& thread_;
    Memory& memory_;
    const WorkItems& items_;
    const unsigned lane_;
    const ValueHistory& history_;
    const Surroundings around_;
};

/// C's operators over variables, registers and numbers; an assignment changes the debuggee. Throws Failure.
Value evaluateExpression(std::string_view text, Inspector& inspector);

}  // namespace zetl::debugger

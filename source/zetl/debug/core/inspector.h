// One lane of one frame of a stopped thread: its variables, and expressions over them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/debug_info.h"
#include "core/frame.h"
#include "core/location_check.h"
#include "core/value.h"
#include "core/value_history.h"
#include "core/work_items.h"

namespace zetl::debugger {

/// How the value of a variable that is not to be trusted begins, and what helps.
inline constexpr const char* kNotTrusted = "not trusted in optimised code,";
inline constexpr const char* kTrustRemedy = "build with -cl-opt-disable, or set trust-locations on";

/// Refers to its arguments; for the duration of one command.
class Inspector {
  public:
    /// Calls a function of the program with arguments. Throws Failure.
    using Caller = std::function<Value(const std::string& name, const std::vector<Value>& arguments)>;

    /// Without a caller, expressions call no functions.
    Inspector(const Frame& frame, StoppedThread& thread, Memory& memory, const WorkItems& items, unsigned lane,
              const ValueHistory& history, LocationCheck& locations, Caller caller = nullptr)
        : frame_(frame),
          thread_(thread),
          memory_(memory),
          items_(items),
          lane_(lane),
          history_(history),
          locations_(locations),
          caller_(std::move(caller)),
          around_(surroundingsOf(frame, thread, memory, lane)) {}

    /// The variables of the frame's function, innermost block first.
    std::vector<Variable> variables() const;
    Value read(const Variable& variable) const;
    /// Why its location is not to be trusted here; empty: nothing is known against it.
    std::string doubtOf(const Variable& variable) const;
    /// A variable of the function, or one outside functions.
    Value named(const std::string& name) const;
    /// "$r12", "$pc", "$lane", "$global_x", "$local_y", "$group_z".
    Value special(const std::string& name) const;

    /// The image behind an argument of this kernel's; nothing if the name is another variable's, or the frame is one
    /// of another function.
    std::optional<isa::xe::SurfaceState> imageNamed(const std::string& name) const;

    const ValueHistory& history() const noexcept { return history_; }
    const Frame& frame() const noexcept { return frame_; }
    StoppedThread& thread() const noexcept { return thread_; }
    unsigned lane() const noexcept { return lane_; }

    /// A type of the program; null if there is none of this name.
    const Type* typeNamed(const std::string& name) const;
    bool hasVariable(const std::string& name) const;

    /// A member of a structure, or components of a vector.
    Value member(const Value& whole, const std::string& name) const;
    Value element(const Value& whole, std::int64_t index) const;
    Value target(const Value& pointer) const;
    /// The value's address, as a pointer to its type.
    Value addressOf(const Value& value) const;
    /// `count` consecutive values of its type, as an array.
    Value repeated(const Value& first, std::uint64_t count) const;
    Value called(const std::string& function, const std::vector<Value>& arguments) const;
    /// Throws Failure if the value has no place, or cannot be written.
    void assign(const Value& target, const Value& value);

    Value at(const Type& type, Place place) const;

  private:
    std::optional<Variable> globalNamed(const std::string& name) const;
    /// A part of the value: its current content in the debuggee, or, if the value has no place, its stored content.
    Value partOf(const Value& whole, const Type& type, std::uint64_t offset) const;
    /// Other variables of its frame that are said to be in the same register. Parameters often are copies.
    std::vector<Variable> sharing(const Variable& variable, const Location& location) const;
    /// Whether it carries the mark of local memory, and there is none of another kind.
    bool isMarkedLocal(const Value& pointer) const;
    bool leadsSomewhere(const Value& localPointer) const;
    Value components(const Value& whole, const std::string& name) const;
    Value elementAt(const Value& whole, std::int64_t index) const;
    VariablePlace placeOf(const Variable& variable) const;
    std::pair<zet_debug_memory_space_type_t, std::uint64_t> ownPlace(const Piece& piece) const;
    std::optional<Bytes> readPiece(const Piece& piece, bool isLocal, std::uint64_t bits) const;
    void writePiece(const Piece& piece, bool isLocal, const Bytes& data, std::uint64_t first);

    const Frame& frame_;
    StoppedThread& thread_;
    Memory& memory_;
    const WorkItems& items_;
    const unsigned lane_;
    const ValueHistory& history_;
    LocationCheck& locations_;
    const Caller caller_;
    const Surroundings around_;
};

/// The type that the text names, as in a cast; null if it names none.
std::shared_ptr<const Type> typeFrom(std::string_view text, Inspector& inspector);

/// C's operators over variables, registers and numbers; an assignment changes the debuggee. Throws Failure.
Value evaluateExpression(std::string_view text, Inspector& inspector);

}  // namespace zetl::debugger

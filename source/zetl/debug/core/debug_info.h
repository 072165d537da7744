// A module's debug information: lines, functions, variables and types. Read by libdw, except expressions: libdw rejects
// Intel's operations, so expressions are passed on as they are.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/elf_image.h"
#include "core/location_list.h"
#include "core/type.h"
#include "correlation/line_rows.h"

namespace zetl::debugger {

struct SourceLine {
    std::string file;  ///< from the compiler, made absolute with its directory
    int line = 0;      ///< 0: no line

    bool operator==(const SourceLine&) const = default;
    explicit operator bool() const noexcept { return line > 0; }
};

/// Neighbouring code of one line.
struct LineCode {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    SourceLine line;
};

struct Function {
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t body = 0;  ///< address of its first line; arguments are in their places there
    SourceLine declared;
};

/// One level of inlining at an address: the innermost call first, the function itself last.
struct Scope {
    std::string function;
    SourceLine calledFrom;  ///< the call's line if it is inlined; no line for the function itself
    std::uint64_t begin = 0;
};

struct Variable {
    std::string name;
    const Type* type = nullptr;
    bool isParameter = false;
    bool inLocalMemory = false;          ///< it lies in local memory, or is a pointer into it
    std::uint64_t addressClass = 0;      ///< of DWARF, which each compiler numbers as it likes
    std::vector<std::uint8_t> location;  ///< DWARF expression; empty: optimised away here
    std::size_t scope = 0;               ///< index into the chain of scopes
    bool isInBlock = false;              ///< of the innermost block there, which is not the whole function
    int declared = 0;                    ///< its line; 0: unknown
    /// Addresses for which the location is meant.
    std::uint64_t liveFrom = 0;
    std::uint64_t liveTo = UINT64_MAX;
};

/// The debug information of one module, which may be empty.
class DebugInfo {
  public:
    explicit DebugInfo(const ElfImage& image);
    ~DebugInfo();
    DebugInfo(const DebugInfo&) = delete;
    DebugInfo& operator=(const DebugInfo&) = delete;

    bool empty() const noexcept { return rows_.empty(); }
    const std::vector<Function>& functions() const noexcept { return functions_; }
    const Function* functionAt(std::uint64_t address) const;
    /// A function of this name has no code of its own.
    bool isInlined(const std::string& name) const { return inlined_.contains(name); }
    /// The type of its result; null: it has none, or the type is not described.
    const Type* resultOf(const Function& function) const;
    std::vector<std::string> files() const { return {files_.begin(), files_.end()}; }

    SourceLine lineAt(std::uint64_t address) const;
    /// All code that has a line, in ascending order.
    std::vector<LineCode> lineCode() const;
    /// True if a statement begins there.
    bool isStatement(std::uint64_t address) const;
    /// The addresses at which the line's code begins, one per function. If the line has no code, uses the next line
    /// that has, and returns it in `line`.
    std::vector<std::uint64_t> addressesOf(const std::string& file, int& line) const;

    std::vector<Scope> scopesAt(std::uint64_t address) const;
    /// Innermost first: a name hides the same name later in the list.
    std::vector<Variable> variablesAt(std::uint64_t address) const;
    /// A variable outside functions: that of the unit with the code there, or else of another one. Nothing if no unit
    /// has one of that name.
    std::optional<Variable> globalNamed(const std::string& name, std::uint64_t address) const;
    /// The lines that declare variables of this name in the function there, in any of its blocks.
    std::set<int> declarationsOf(const std::string& name, std::uint64_t address) const;
    /// A type of the program by its name; null if there is none.
    const Type* typeNamed(const std::string& name) const;
    /// The expression for DW_OP_fbreg there.
    std::vector<std::uint8_t> frameBaseAt(std::uint64_t address) const;

  private:
    using Row = correlation::LineRow;

    /// The names of files become absolute.
    void readLines();
    void readFunctions(Dwarf_Die& unit, const std::string& directory);
    std::uint64_t endOf(const Row& row) const;
    std::string fileOf(const Function& function) const;
    std::uint64_t bodyOf(const Function& function) const;
    /// From the function to the innermost call.
    std::vector<Dwarf_Die> diesAt(std::uint64_t address) const;
    LocatedExpression expressionOf(Dwarf_Die& die, unsigned attribute, std::uint64_t address) const;
    LocatedExpression fromList(std::uint64_t offset, Dwarf_Die& unit, std::uint64_t address) const;
    Variable variableOf(Dwarf_Die& die, std::uint64_t address) const;

    const Type* typeOf(Dwarf_Die& die) const;
    const Type* typeAt(Dwarf_Die& type) const;
    void fill(Type& type, Dwarf_Die& die) const;
    void fillMembers(Type& type, Dwarf_Die& die) const;
    void fillArray(Type& type, Dwarf_Die& die) const;

    Elf* elf_ = nullptr;
    Dwarf* dwarf_ = nullptr;
    std::span<const std::uint8_t> oldLists_;   ///< .debug_loc
    std::span<const std::uint8_t> lists_;      ///< .debug_loclists
    std::span<const std::uint8_t> addresses_;  ///< .debug_addr
    std::set<std::string> files_;
    std::vector<Row> rows_;  ///< their names of files are in files_
    std::vector<Function> functions_;
    std::set<std::string> inlined_;
    mutable std::map<Dwarf_Off, std::unique_ptr<Type>> types_;
    mutable std::vector<std::unique_ptr<Type>> inner_;  ///< of arrays of arrays
};

/// Whether `wanted` names the file: the whole path, or its end after a `/`.
bool namesFile(const std::string& file, const std::string& wanted);

}  // namespace zetl::debugger

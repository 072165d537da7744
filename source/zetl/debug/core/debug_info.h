// What the compiler says of a module's source: lines, functions, variables, types. Read by libdw; expressions, which it
// refuses when they hold Intel's operations, are passed on as they are.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/elf_image.h"
#include "core/type.h"

namespace zetl::debugger {

struct SourceLine {
    std::string file;  ///< as the compiler wrote it, made absolute with the directory it ran in
    int line = 0;      ///< 0: no line

    bool operator==(const SourceLine&) const = default;
    explicit operator bool() const noexcept { return line > 0; }
};

struct Function {
    std::string name;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t body = 0;  ///< where its first line of its own begins: arguments are in their places there
    SourceLine declared;
};

/// One level of the chain of calls that are in one function's code: innermost first, the function itself last.
struct Scope {
    std::string function;
    SourceLine calledFrom;  ///< of an inlined call; no line for the function itself
    std::uint64_t begin = 0;
};

struct Variable {
    std::string name;
    const Type* type = nullptr;
    bool isParameter = false;
    bool inLocalMemory = false;          ///< its value, a pointer, leads to the work-group's memory
    std::vector<std::uint8_t> location;  ///< DWARF expression; empty: optimised away here
    std::size_t scope = 0;               ///< index into the chain of scopes
};

/// Of one module. A module without debug information answers with nothing.
class DebugInfo {
  public:
    explicit DebugInfo(const ElfImage& image);
    ~DebugInfo();
    DebugInfo(const DebugInfo&) = delete;
    DebugInfo& operator=(const DebugInfo&) = delete;

    bool empty() const noexcept { return rows_.empty(); }
    const std::vector<Function>& functions() const noexcept { return functions_; }
    const Function* functionAt(std::uint64_t address) const;
    std::vector<std::string> files() const;

    SourceLine lineAt(std::uint64_t address) const;
    /// True if a statement begins there.
    bool isStatement(std::uint64_t address) const;
    /// Where the line's code begins, once for each function. If the line has none: the next one that has, which
    /// `line` says then.
    std::vector<std::uint64_t> addressesOf(const std::string& file, int& line) const;

    std::vector<Scope> scopesAt(std::uint64_t address) const;
    /// Innermost first: a name hides the same name further back.
    std::vector<Variable> variablesAt(std::uint64_t address) const;
    /// The expression behind DW_OP_fbreg there.
    std::vector<std::uint8_t> frameBaseAt(std::uint64_t address) const;

  private:
    struct Row {
        std::uint64_t address = 0;
        SourceLine place;
        bool isStatement = false;
        bool endsSequence = false;
    };

    void readUnit(Dwarf_Die& unit);
    void readLines(Dwarf_Die& unit, const std::string& directory);
    /// Of tables that belong to no unit: a compiler that was asked for lines alone writes no other DWARF.
    void readLinesWithoutUnit();
    void addRows(Dwarf_Lines* lines, std::size_t count, const std::string& directory);
    void readFunctions(Dwarf_Die& unit, const std::string& directory);
    std::uint64_t bodyOf(const Function& function) const;
    const Row* rowAt(std::uint64_t address) const;
    /// From the function inwards.
    std::vector<Dwarf_Die> diesAt(std::uint64_t address) const;
    std::vector<std::uint8_t> expressionOf(Dwarf_Die& die, unsigned attribute, std::uint64_t address) const;
    std::vector<std::uint8_t> fromList(std::uint64_t offset, Dwarf_Die& unit, std::uint64_t address) const;
    Variable variableOf(Dwarf_Die& die, std::uint64_t address) const;

    const Type* typeOf(Dwarf_Die& die) const;
    const Type* typeAt(Dwarf_Die& type) const;
    void fill(Type& type, Dwarf_Die& die) const;
    void fillMembers(Type& type, Dwarf_Die& die) const;
    void fillArray(Type& type, Dwarf_Die& die) const;

    const ElfImage& image_;
    Dwarf* dwarf_ = nullptr;
    std::span<const std::uint8_t> lists_;  ///< .debug_loc
    std::vector<Row> rows_;                ///< by address
    std::vector<Function> functions_;
    mutable std::map<Dwarf_Off, std::unique_ptr<Type>> types_;
};

/// Whether a user who writes `wanted` means the file: the same, or its end from a `/` on.
bool namesFile(const std::string& file, const std::string& wanted);

}  // namespace zetl::debugger

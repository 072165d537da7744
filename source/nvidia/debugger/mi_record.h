// GDB's output through its machine interface, GDB/MI ("Debugging with GDB", chapter 27.3.2 Output Syntax).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::nvidia::mi {

struct Item;

/// A constant has text. A tuple or a list has items, in their order; their names may be empty.
struct Value {
    std::string text;
    std::vector<Item> items;

    /// The first item of that name; null if there is none.
    const Value* find(std::string_view name) const noexcept;
    /// The text of that item; empty if there is none.
    std::string_view textOf(std::string_view name) const noexcept;
};

struct Item {
    std::string name;
    Value value;
};

struct Record {
    /// '^' result, '*' execution, '=' notification, '+' status, '~' console, '@' target, '&' log
    char kind = 0;
    std::string name;  ///< of results and asynchronous records: "done", "stopped", ...
    Value value;       ///< their results; of streams, the text
};

/// Reads one line without its end. Returns nothing if it is no record: the prompt, output of the debugged program, or
/// damage. Bytes that are no text are skipped where a record may begin: cuda-gdb prints some when it attaches.
std::optional<Record> parse(std::string_view line);

}  // namespace zetl::nvidia::mi

// Every function of the emulated GPU's driver, from its rows (source/emulator/driver/entry/functions.def and
// source/tools/named_functions.def), to be called with any arguments: a new row is in each test of rows by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <typeindex>
#include <vector>

namespace zetl::test {

/// One parameter of a row's C function.
struct RowParameter {
    enum class Kind {
        handle,
        handles,  ///< a pointer to handles
        text,
        callback,
        data,  ///< any other pointer
        value,
    };
    std::size_t index;
    Kind kind;
    char letter;           ///< what callers must pass (source/driver/entry.h)
    std::type_index type;  ///< of the handle, of what the pointer leads to, or of the value
};

/// Chooses the arguments of a call.
class Chooser {
  public:
    Chooser() = default;
    Chooser(const Chooser&) = delete;
    Chooser& operator=(const Chooser&) = delete;
    virtual ~Chooser() = default;

    virtual void* pointer(const RowParameter& parameter) = 0;
    virtual std::uint64_t number(const RowParameter& parameter) = 0;
};

struct Row {
    std::string_view name;
    std::vector<RowParameter> parameters;
    bool returnsCode;
    void* entry;
    std::uint64_t (*through)(const Row& row, Chooser& chooser);

    /// The function's result: a code, an identifier or a handle.
    std::uint64_t call(Chooser& chooser) const { return through(*this, chooser); }
};

/// Puts the tools modules behind the driver, as its library does. Call it before the driver is initialised; later calls
/// do nothing.
void composeDriver();

/// All rows, in their order.
const std::vector<Row>& driverRows();

/// The kind of a handle's object: sysman has types of its own for devices and drivers.
std::type_index objectKind(std::type_index handle);

}  // namespace zetl::test

// The debuggee's modules, by the events that name them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/memory.h"
#include "core/module.h"

namespace zetl::debugger {

class ModuleList {
  public:
    /// Reads the module's image. Null, with a line in `problem`, if that fails.
    const Module* add(const zet_debug_event_t& loaded, const Memory& memory, std::string& problem);
    void remove(const zet_debug_event_t& unloaded, Memory& memory);

    /// Keeping a module keeps its types.
    const std::vector<std::shared_ptr<const Module>>& all() const noexcept { return modules_; }
    const Module* at(std::uint64_t address) const;
    std::shared_ptr<const Module> sharedAt(std::uint64_t address) const;
    SourceLine lineAt(std::uint64_t address) const;
    /// "saxpy+0x20", or the number.
    std::string nameOf(std::uint64_t address) const;

    /// The addresses of a place: "*0x7f00", "*saxpy+0x20", "file:12", or the name of a kernel or function. Empty if no
    /// module has it yet. Throws Failure for an invalid place. `file` is the file for a line without one.
    std::vector<std::uint64_t> resolve(const std::string& place, const std::string& file) const;
    /// The addresses after the prologues of all kernels.
    std::vector<std::uint64_t> kernelBodies() const;

  private:
    static std::uint64_t bodyOf(const Module& module, const std::string& function);
    std::vector<std::uint64_t> resolveSymbol(const std::string& text) const;
    std::vector<std::uint64_t> resolveLine(const std::string& file, const std::string& line) const;

    std::vector<std::shared_ptr<const Module>> modules_;
    unsigned next_ = 1;
};

/// Nothing if the text is not a number, decimal or 0x….
std::optional<std::uint64_t> numberFrom(std::string_view text);

/// "saxpy", "saxpy+0x20".
struct SymbolPlace {
    std::string name;
    std::uint64_t offset = 0;
};
/// Nothing for other expressions.
std::optional<SymbolPlace> symbolPlaceFrom(std::string_view text);

}  // namespace zetl::debugger

// Gives a module addresses and applies its relocations; resolves imports between modules.
//
// The caller owns device memory. It asks CodeLayout how much code space a module needs, allocates that in the
// instruction heap and one allocation for each non-empty data segment, makes a LinkedModule with those addresses, lets
// it (and others) resolve, then copies code() and data() to the device. Not thread-safe; any thread may read a
// LinkedModule that is not linked any more.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/module_image.h"
#include "binary/outcome.h"

namespace zetl::emulator::module {

/// The place of each code section in a module's code block: starts are aligned to 64 bytes, and 256 bytes of illegal
/// instructions (zeroes), which the instruction prefetch may touch, follow each section.
class CodeLayout {
  public:
    explicit CodeLayout(const binary::ModuleImage& image);
    std::uint64_t size() const noexcept { return size_; }
    std::uint64_t offset(std::uint32_t section) const { return offsets_.at(section); }

  private:
    std::vector<std::uint64_t> offsets_;
    std::uint64_t size_ = 0;
};

/// Device addresses given to a module. Code must lie inside the 4 GiB behind instructionBase.
struct Addresses {
    std::uint64_t instructionBase = 0;                     ///< base of instruction pointers (SBA 4)
    std::uint64_t code = 0;                                ///< full address of the code block
    std::array<std::uint64_t, binary::kDataKinds> data{};  ///< by DataKind; ignored if the segment is empty
};

/// A program-scope variable or constant.
struct Variable {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
};

/// One reference without a definition, for the link log.
struct UnresolvedSymbol {
    std::string name;
    std::string where;  ///< section that needs it
};

class LinkedModule {
  public:
    /// Places the module and applies every relocation whose symbol it defines itself. Errors: damaged (a relocation
    /// outside its section, an address beyond 32 bits where only 32 fit), badArgument (code outside the 4 GiB window).
    static binary::Outcome<LinkedModule> place(binary::ModulePointer image, const Addresses& addresses);

    /// Resolves the imports of all given modules among their exports, in order (first definition wins), and applies the
    /// relocations. Returns what is still unresolved. Bytes that changed must be copied to the device again.
    static binary::Outcome<std::vector<UnresolvedSymbol>> resolve(std::span<LinkedModule* const> modules);

    const binary::ModuleImage& image() const noexcept { return *image_; }
    const Addresses& addresses() const noexcept { return addresses_; }
    const CodeLayout& layout() const noexcept { return layout_; }

    /// The code block to copy to addresses().code; layout().size() bytes.
    std::span<const std::uint8_t> code() const noexcept { return code_; }
    /// A data segment's initial content, zeroes included.
    std::span<const std::uint8_t> data(binary::DataKind kind) const noexcept { return data_[static_cast<int>(kind)]; }

    /// The kernel's start relative to the instruction base, for a dispatch.
    std::uint32_t kernelOffset(const binary::KernelImage& kernel) const;
    /// The kernel's start as a full address.
    std::uint64_t kernelAddress(const binary::KernelImage& kernel) const {
        return addresses_.instructionBase + kernelOffset(kernel);
    }
    /// The full address of an exported function or a kernel; nothing if there is none of that name.
    std::optional<std::uint64_t> functionAddress(std::string_view name) const;
    /// A host-visible variable by device or host name; nothing if there is none.
    std::optional<Variable> variable(std::string_view name) const;

    bool fullyResolved() const noexcept { return pending_.empty(); }
    std::vector<UnresolvedSymbol> unresolved() const;

    /// The address of a place on the device.
    std::uint64_t addressOf(const binary::Place& place) const;

  private:
    LinkedModule(binary::ModulePointer image, const Addresses& addresses);

    binary::ModulePointer image_;
    Addresses addresses_;
    CodeLayout layout_;
    binary::Bytes code_;
    std::array<binary::Bytes, binary::kDataKinds> data_;
    std::vector<std::uint32_t> pending_;  ///< relocations that wait for an import

    const binary::Symbol* definition(std::string_view name) const noexcept;
    std::uint64_t symbolValue(const binary::Symbol& symbol) const;
    binary::Outcome<binary::Done> apply(const binary::Relocation& relocation, std::uint64_t value);
};

}  // namespace zetl::emulator::module

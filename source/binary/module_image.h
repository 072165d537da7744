// A native module as read from its container, before it is given addresses. Owns copies of all bytes it describes.
//
// Plain data, immutable once read: shared by the driver's module object, its kernels and debug sessions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binary/kernel_image.h"
#include "isa/xe/architecture.h"

namespace zetl::binary {

/// Code of one kernel with its subroutines, or of the exported functions.
struct CodeSection {
    std::string name;  ///< kernel name, or the compiler's name for a function holder
    Bytes bytes;
    std::uint32_t container = 0;  ///< ELF section index; 0 in patch-token binaries
};

enum class DataKind : std::uint8_t { constants, variables, strings };
inline constexpr int kDataKinds = 3;

/// Program-scope data: initial bytes, then zeroes (reserved by .bss sections).
struct DataSegment {
    Bytes bytes;
    std::uint64_t zeroBytes = 0;
    std::uint32_t container = 0;      ///< ELF section index of the initial bytes
    std::uint32_t zeroContainer = 0;  ///< ELF section index of the zeroes
    std::uint64_t size() const noexcept { return bytes.size() + zeroBytes; }
};

/// A place inside a module: a code section, a data segment, or nowhere (an import, or an absolute value).
struct Place {
    enum class Kind : std::uint8_t { none, code, data } kind = Kind::none;
    std::uint32_t index = 0;   ///< in ModuleImage::code, or a DataKind
    std::uint64_t offset = 0;  ///< bytes from its start
};

struct Symbol {
    enum class Kind : std::uint8_t { none, object, function };
    std::string name;
    Kind kind = Kind::none;
    bool global = false;     ///< visible to other modules and to the host
    bool undefined = false;  ///< an import
    Place place;
    std::uint64_t size = 0;
};

/// How a symbol's address enters the bytes at a place (numbers as in the container).
enum class RelocationKind : std::uint32_t {
    none = 0,
    address64 = 1,
    addressLow32 = 2,
    addressHigh32 = 3,
    perThreadPayloadOffset32 = 4,  ///< marks an immediate for instrumentation tools; the stored value is already right
    address16 = 7,
};

struct Relocation {
    Place place;  ///< the place to patch
    RelocationKind kind = RelocationKind::none;
    std::uint32_t symbol = 0;  ///< index in ModuleImage::symbols
    std::int64_t addend = 0;
    bool addsToStored = false;  ///< the stored value is part of the addend (data sections without explicit addends)
};

/// An externally visible function and the resources that its callers must provide.
struct FunctionImage {
    std::string name;
    ExecutionEnvironment environment;
};

/// The device for which the code was made, and the one that it was read for.
struct Target {
    isa::xe::Product product = isa::xe::kPvc;  ///< it was read for
    std::uint32_t productFamily = 0;           ///< 1271 = 0x4F7: Ponte Vecchio; 0: not stated
    std::uint32_t coreFamily = 0;              ///< 3080 = Xe-HPC core in patch tokens; 0: not stated
    std::optional<std::uint32_t> minimumRevision;
    std::optional<std::uint32_t> maximumRevision;
    std::uint32_t pointerBytes = 8;
};

struct ModuleImage {
    enum class Container : std::uint8_t { zebin, patchTokens } container = Container::zebin;
    std::string version;  ///< version of the container, such as "1.20"
    Target target;
    std::vector<KernelImage> kernels;  ///< launchable ones only, in container order
    std::vector<FunctionImage> functions;
    std::vector<CodeSection> code;
    std::array<DataSegment, kDataKinds> data;  ///< by DataKind
    std::vector<Symbol> symbols;               ///< index 0 is the null symbol
    std::vector<Relocation> relocations;
    std::vector<std::pair<std::string, std::string>> hostNames;  ///< device name, host name of program-scope variables
    Bytes spirv;                                                 ///< the source of the code; empty if not kept
    std::string buildOptions;                                    ///< as recorded by the compiler
    Bytes native;                                                ///< the container itself (zeModuleGetNativeBinary)
    bool hasDebugData = false;                                   ///< DWARF sections are present

    const KernelImage* kernel(std::string_view name) const noexcept;
    const DataSegment& segment(DataKind kind) const noexcept { return data[static_cast<int>(kind)]; }
    /// Names that another module must define before the code can run; each once.
    std::vector<std::string> imports() const;
};

using ModulePointer = std::shared_ptr<const ModuleImage>;

}  // namespace zetl::binary

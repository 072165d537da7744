// Layouts of the patch-token container: its headers and its records. All are little endian and packed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace zetl::binary::patch {

inline constexpr std::string_view kSectionName = "Intel(R) OpenCL Device Binary";
inline constexpr std::string_view kDebugSectionName = "Intel(R) OpenCL Device Debug";
inline constexpr std::uint32_t kSectionSpirv = 0xff000009;
inline constexpr std::uint32_t kSectionOptions = 0xff000006;
inline constexpr std::uint32_t kMagic = 0x494e5443;

#pragma pack(push, 1)
struct ProgramHeader {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint32_t device;
    std::uint32_t pointerBytes;
    std::uint32_t kernels;
    std::uint32_t stepping;
    std::uint32_t patchBytes;
};
struct KernelHeader {
    std::uint32_t checksum;
    std::uint64_t hash;
    std::uint32_t nameBytes;
    std::uint32_t patchBytes;
    std::uint32_t codeBytes;
    std::uint32_t generalBytes;
    std::uint32_t dynamicBytes;
    std::uint32_t surfaceBytes;
    std::uint32_t unpaddedCodeBytes;
};
struct DebugHeader {
    std::uint32_t magic;
    std::uint32_t version;
    std::uint32_t size;  // 0: not stated
    std::uint32_t device;
    std::uint32_t stepping;
    std::uint32_t pointerBytes;
    std::uint32_t kernels;
};
struct KernelDebugHeader {  // then the name, filled up to 4 bytes, the ELF file and data of older compilers
    std::uint32_t nameBytes;
    std::uint32_t elfBytes;
    std::uint32_t nativeBytes;
};
struct ItemHeader {
    std::uint32_t token;
    std::uint32_t size;  // with this header
};
struct Value {  // token 17
    std::uint32_t type;
    std::uint32_t argument;
    std::uint32_t offset;
    std::uint32_t size;
    std::uint32_t sourceOffset;
};
struct StatelessPointer {  // tokens 30 and 31
    std::uint32_t argument;
    std::uint32_t surface;
    std::uint32_t offset;
    std::uint32_t size;
};
struct Slot {  // tokens 33, 43, 44: an address that the launcher provides
    std::uint32_t index;
    std::uint32_t surface;
    std::uint32_t offset;
    std::uint32_t size;
};
struct PrivateMemory {  // token 38
    std::uint32_t surface;
    std::uint32_t offset;
    std::uint32_t size;
    std::uint32_t bytes;
    std::uint32_t perLane;
};
struct PointerInData {  // tokens 47 and 48
    std::uint32_t index;
    std::uint64_t offset;
    std::uint32_t targetType;
    std::uint32_t targetIndex;
};
struct Scratch {  // tokens 18 and 55
    std::uint32_t offset;
    std::uint32_t bytes;
};
struct ThreadPayload {  // token 22
    std::uint32_t header;
    std::uint32_t localIdX;
    std::uint32_t localIdY;
    std::uint32_t localIdZ;
    std::uint32_t flattened;
    std::uint32_t unused[7];
    std::uint32_t skipPerThreadLoad;
    std::uint32_t skipFfid;
    std::uint32_t passInlineData;
};
struct Environment {  // token 23
    std::uint32_t groupSize[3];
    std::uint32_t simdSize;
    std::uint32_t subGroups;
    std::uint32_t barriers;
    std::uint32_t unused0[12];
    std::uint32_t independentProgress;
    std::uint32_t over4Gb;
    std::uint32_t grfCount;
    std::uint32_t walkOrder;
    std::uint32_t globalAtomics;
};
struct ArgumentInfo {  // token 26, then five texts
    std::uint32_t argument;
    std::uint32_t textBytes[5];
};
struct String {  // token 28, then its characters
    std::uint32_t number;
    std::uint32_t bytes;
};
struct SymbolEntry {  // of token 53, then its name
    std::uint32_t type;
    std::uint32_t offset;
    std::uint32_t size;
};
struct RelocationEntry {  // of token 54, then the symbol's name; types as in zebin
    std::uint32_t type;
    std::uint32_t offset;
};
#pragma pack(pop)

/// The fixed size of a name in the tables.
inline constexpr std::uint64_t kNameBytes = 1024;

/// Types of symbols.
enum SymbolType : std::uint32_t {
    kUndefinedSymbol = 1,
    kFunctionSymbol = 2,
    kVariableSymbol = 3,
    kConstantSymbol = 4,
};

enum Token : std::uint32_t {
    kImageArgument = 12,
    kLocalSurface = 15,
    kSamplerArgument = 16,
    kValue = 17,
    kScratch = 18,
    kThreadPayload = 22,
    kEnvironment = 23,
    kPayloadSize = 25,
    kArgumentInfo = 26,
    kAttributes = 27,
    kString = 28,
    kGlobalPointer = 30,
    kConstantPointer = 31,
    kPrintf = 33,
    kPrivateMemory = 38,
    kGlobalData = 41,
    kConstantData = 42,
    kGlobalSlot = 43,
    kConstantSlot = 44,
    kPointerInGlobals = 47,
    kPointerInConstants = 48,
    kGtpinInfo = 52,
    kSymbolTable = 53,
    kRelocationTable = 54,
    kScratchSlot1 = 55,
    kSyncBuffer = 56,
};

struct TokenName {
    Token token;
    std::string_view name;
};
inline constexpr TokenName kTokenNames[] = {
    {kImageArgument, "image argument"},
    {kLocalSurface, "local memory"},
    {kSamplerArgument, "sampler argument"},
    {kValue, "value in the payload"},
    {kScratch, "scratch memory"},
    {kThreadPayload, "thread payload"},
    {kEnvironment, "execution environment"},
    {kPayloadSize, "payload size"},
    {kArgumentInfo, "argument names"},
    {kAttributes, "attributes"},
    {kString, "printed string"},
    {kGlobalPointer, "global pointer argument"},
    {kConstantPointer, "constant pointer argument"},
    {kPrintf, "printf buffer"},
    {kPrivateMemory, "private memory"},
    {kGlobalData, "variables"},
    {kConstantData, "constants"},
    {kGlobalSlot, "address of the variables"},
    {kConstantSlot, "address of the constants"},
    {kPointerInGlobals, "pointer in variables"},
    {kPointerInConstants, "pointer in constants"},
    {kGtpinInfo, "instrumentation record"},
    {kSymbolTable, "symbol table"},
    {kRelocationTable, "relocation table"},
    {kScratchSlot1, "second scratch memory"},
    {kSyncBuffer, "synchronisation buffer"},
};

/// Text for people: the number, and what the token holds if that is known.
inline std::string nameOf(std::uint32_t token) {
    const auto known = std::ranges::find(kTokenNames, token, &TokenName::token);
    std::string text = "token " + std::to_string(token);
    return known == std::end(kTokenNames) ? text : text.append(" (").append(known->name).append(")");
}

/// Types of token 17.
enum ValueType : std::uint32_t {
    kArgumentValue = 1,
    kLocalSize = 2,
    kGlobalSize = 3,
    kGroupCount = 4,
    kDimensions = 5,
    kLocalArgument = 8,
    kGlobalOffset = 16,
    kEnqueuedLocalSize = 28,
    kBufferOffset = 42,
    kBufferStateful = 43,
};

}  // namespace zetl::binary::patch

// The patch-token container of older compilers: program header, program tokens, then the kernels.
#include <fmt/format.h>

#include <algorithm>

#include "binary/elf_file.h"
#include "binary/native_binary.h"
#include "binary/patch_token_format.h"
#include "binary/patch_token_kernel.h"
#include "binary/patch_token_symbols.h"
#include "binary/special_symbols.h"

namespace zetl::binary {
namespace {

using namespace patch;

constexpr std::string_view kContainer = "patch tokens";

/// Reads the device binary of one program.
class ProgramReader {
  public:
    ProgramReader(ByteView bytes, ModuleImage& image) : bytes_(bytes), image_(image) {}

    std::optional<Error> read(const isa::xe::Product& device) {
        const auto header = bytes_.read<ProgramHeader>(0);
        if (!header || header->magic != kMagic)
            return damaged("header", "it is neither ELF for an Intel GPU nor patch tokens");
        if (header->device != device.coreFamily)
            return Error{Cause::wrongDevice, fmt::format("the binary is for core family {:#x}, the device is of {:#x}",
                                                         header->device, device.coreFamily)};
        if (header->pointerBytes != sizeof(std::uint64_t))
            return Error{Cause::unsupported, fmt::format("the binary has {}-byte pointers", header->pointerBytes)};
        if (header->kernels > kMaxKernels)
            return Error{Cause::limit,
                         fmt::format("the binary has {} kernels, the limit is {}", header->kernels, kMaxKernels)};
        image_.version = fmt::format("{}", header->version);
        image_.target.product = device;
        image_.target.coreFamily = header->device;
        // The segments that pointers in data refer to, as symbols 1 and 2.
        image_.symbols.resize(1);
        for (const DataKind kind : {DataKind::variables, DataKind::constants})
            image_.symbols.push_back({.name = "", .place = {Place::Kind::data, static_cast<std::uint32_t>(kind), 0}});
        at_ = sizeof(ProgramHeader);
        if (auto error = readProgramTokens(header->patchBytes)) return error;
        for (std::uint32_t i = 0; i < header->kernels; ++i)
            if (auto error = readKernel()) return error;
        return checkPlaces();
    }

  private:
    ByteView bytes_;
    ModuleImage& image_;
    PatchTokenSymbols symbols_{image_};
    std::uint64_t at_ = 0;

    std::optional<Error> readProgramTokens(std::uint32_t length) {
        const std::uint64_t end = at_ + length;
        if (!bytes_.holds(at_, length)) return damaged(kContainer, "the program's token list is cut off");
        while (at_ < end) {
            const auto item = bytes_.read<ItemHeader>(at_);
            if (!item || item->size < sizeof(ItemHeader) || !bytes_.holds(at_, item->size) || item->size > end - at_)
                return damaged(kContainer, item ? fmt::format("the program's {} has a wrong size", nameOf(item->token))
                                                : std::string("the program's token list is cut off"));
            const ByteView body = *bytes_.part(at_ + sizeof(ItemHeader), item->size - sizeof(ItemHeader));
            at_ += item->size;
            if (auto error = readProgramToken(item->token, body)) return error;
        }
        return std::nullopt;
    }

    std::optional<Error> readProgramToken(std::uint32_t token, ByteView body) {
        switch (token) {
            case kGlobalData:
                return readData(DataKind::variables, body, 8);
            case kConstantData:
                return readData(DataKind::constants, body, 4);
            case kPointerInGlobals:
                return readPointer(DataKind::variables, body);
            case kPointerInConstants:
                return readPointer(DataKind::constants, body);
            case kSymbolTable:
            case kRelocationTable:
                return Error{Cause::unsupported, "a symbol table outside of kernels; build with --format zebin"};
            default:
                return std::nullopt;
        }
    }

    /// The data follow the token and are not counted in its size.
    std::optional<Error> readData(DataKind kind, ByteView body, std::uint64_t sizeOffset) {
        const auto size = body.read<std::uint32_t>(sizeOffset);
        const auto content = size ? bytes_.part(at_, *size) : std::nullopt;
        if (!content) return damaged(kContainer, fmt::format("the content of {} is cut off", nameOf(tokenOf(kind))));
        Bytes& segment = image_.data[static_cast<int>(kind)].bytes;
        if (!segment.empty()) return Error{Cause::unsupported, "patch tokens with several data buffers of one kind"};
        segment.assign(content->begin(), content->end());
        at_ += *size;
        return std::nullopt;
    }

    std::optional<Error> readPointer(DataKind kind, ByteView body) {
        const auto pointer = body.read<PointerInData>(0);
        if (!pointer || pointer->targetType > 1)
            return damaged(kContainer, fmt::format("{} is cut off, or leads nowhere", nameOf(pointerTokenOf(kind))));
        if (image_.relocations.size() >= kMaxRelocations) return Error{Cause::limit, "too many pointers in data"};
        image_.relocations.push_back({.place = {Place::Kind::data, static_cast<std::uint32_t>(kind), pointer->offset},
                                      .kind = RelocationKind::address64,
                                      .symbol = 1 + pointer->targetType,
                                      .addend = 0,
                                      .addsToStored = true});
        return std::nullopt;
    }

    static patch::Token tokenOf(DataKind kind) { return kind == DataKind::variables ? kGlobalData : kConstantData; }
    static patch::Token pointerTokenOf(DataKind kind) {
        return kind == DataKind::variables ? kPointerInGlobals : kPointerInConstants;
    }

    /// The name, for messages, of the table with a place's relocations.
    std::string tableOf(const Place& place) const {
        if (place.kind == Place::Kind::data) return nameOf(pointerTokenOf(static_cast<DataKind>(place.index)));
        return fmt::format("{} of kernel {}", nameOf(kRelocationTable), image_.code[place.index].name);
    }

    std::uint64_t sizeOf(const Place& place) const {
        return place.kind == Place::Kind::code ? image_.code[place.index].bytes.size()
                                               : image_.data[place.index].size();
    }

    std::optional<Error> checkPlaces() const {
        for (const Relocation& relocation : image_.relocations) {
            const std::uint64_t size = sizeOf(relocation.place);
            const std::uint64_t width = bytesOf(relocation.kind);
            if (size < width || relocation.place.offset > size - width)
                return damaged(kContainer, fmt::format("{}: offset {} lies outside of what it changes",
                                                       tableOf(relocation.place), relocation.place.offset));
        }
        for (const Symbol& symbol : image_.symbols) {
            if (symbol.place.kind == Place::Kind::none) continue;
            const std::uint64_t size = sizeOf(symbol.place);
            if (symbol.place.offset > size || symbol.size > size - symbol.place.offset)
                return damaged(kContainer, fmt::format("{}: symbol {} lies outside of its section",
                                                       nameOf(kSymbolTable), symbol.name));
        }
        return std::nullopt;
    }

    /// The parts of a kernel, one behind the other.
    struct KernelParts {
        ByteView name;
        ByteView code;
        ByteView tokens;
    };
    Outcome<KernelParts> takeParts() {
        const auto number = image_.code.size();
        const auto header = bytes_.read<KernelHeader>(at_);
        if (!header) return damaged(kContainer, fmt::format("the header of kernel {} is cut off", number));
        KernelParts parts;
        ByteView heap;  // of states, which are not used
        const struct {
            const char* name;
            std::uint32_t bytes;
            ByteView& content;
        } pieces[] = {{"name", header->nameBytes, parts.name},
                      {"instruction heap", header->codeBytes, parts.code},
                      {"general state heap", header->generalBytes, heap},
                      {"dynamic state heap", header->dynamicBytes, heap},
                      {"surface state heap", header->surfaceBytes, heap},
                      {"token list", header->patchBytes, parts.tokens}};
        at_ += sizeof(KernelHeader);
        for (const auto& piece : pieces) {
            const auto content = bytes_.part(at_, piece.bytes);
            if (!content) return damaged(kContainer, fmt::format("the {} of kernel {} is cut off", piece.name, number));
            piece.content = *content;
            at_ += piece.bytes;
        }
        if (header->unpaddedCodeBytes > header->codeBytes || header->codeBytes == 0)
            return damaged(kContainer, fmt::format("the instruction heap of kernel {} has {} bytes of {}", number,
                                                   header->unpaddedCodeBytes, header->codeBytes));
        return parts;
    }

    std::optional<Error> readKernel() {
        const auto parts = takeParts();
        if (!parts) return parts.error();
        const auto kernelName = parts->name.text(0);
        if (!kernelName || kernelName->empty())
            return damaged(kContainer, fmt::format("kernel {} has no name", image_.code.size()));

        const auto section = static_cast<std::uint32_t>(image_.code.size());
        image_.code.push_back({std::string(*kernelName), Bytes(parts->code.begin(), parts->code.end()), 0});
        if (auto error = symbols_.read(parts->tokens, section)) return error;
        if (*kernelName == kFunctionHolder) return std::nullopt;
        auto kernel = readPatchTokenKernel(*kernelName, parts->tokens);
        if (!kernel) return kernel.error();
        kernel->name = *kernelName;
        kernel->codeSection = section;
        if (kernel->environment.skipPerThreadLoad >= parts->code.size())
            return damaged(kContainer, fmt::format("{} of kernel {}: it starts behind its code", nameOf(kThreadPayload),
                                                   kernel->name));
        image_.kernels.push_back(*std::move(kernel));
        return std::nullopt;
    }
};

/// The device binary inside its outer ELF, with the data that the other sections add; or the bytes themselves.
Outcome<ByteView> deviceBinary(std::span<const std::uint8_t> bytes, ModuleImage& image) {
    if (!looksLikeElf(bytes)) return ByteView(bytes);
    const auto file = readElf(bytes);
    if (!file) return file.error();
    const ElfFile::Section* binary = file->find(kSectionName);
    if (binary == nullptr) return Error{Cause::damaged, "the ELF file holds neither .ze_info nor a device binary"};
    for (const ElfFile::Section& section : file->sections) {
        if (section.type == kSectionSpirv) image.spirv.assign(section.content.begin(), section.content.end());
        if (section.name == kDebugSectionName) image.hasDebugData = section.content.size() > 0;
        if (section.type == kSectionOptions) image.buildOptions.assign(section.content.begin(), section.content.end());
    }
    return binary->content;
}

}  // namespace

Outcome<ModulePointer> readPatchTokens(std::span<const std::uint8_t> bytes, const isa::xe::Product& device) {
    if (bytes.size() > kMaxContainerBytes) return Error{Cause::limit, "the binary is larger than a module may be"};
    auto image = std::make_shared<ModuleImage>();
    image->container = ModuleImage::Container::patchTokens;
    const auto binary = deviceBinary(bytes, *image);
    if (!binary) return binary.error();
    if (auto error = ProgramReader(*binary, *image).read(device)) return *std::move(error);
    image->native.assign(bytes.begin(), bytes.end());
    return ModulePointer(std::move(image));
}

}  // namespace zetl::binary

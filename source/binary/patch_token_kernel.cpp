#include "binary/patch_token_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "binary/gtpin_info.h"
#include "binary/native_binary.h"
#include "binary/patch_token_format.h"

namespace zetl::binary {
namespace {

using namespace patch;

constexpr std::uint32_t kLocalIdBytes = 192;

struct ProvidedValue {
    std::uint32_t type;
    PayloadKind kind;
};
constexpr ProvidedValue kProvided[] = {
    {kLocalSize, PayloadKind::localSize},         {kGlobalSize, PayloadKind::globalSize},
    {kGroupCount, PayloadKind::groupCount},       {kDimensions, PayloadKind::workDimensions},
    {kGlobalOffset, PayloadKind::globalIdOffset}, {kEnqueuedLocalSize, PayloadKind::enqueuedLocalSize},
};

/// The compiler writes quotes, backslashes and what is not printable as C does.
std::string unescaped(std::string_view text) {
    constexpr std::string_view kLetters = "abfnrtv";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v";
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '\\' && i + 1 < text.size();
        const std::size_t letter = escape ? kLetters.find(text[++i]) : std::string_view::npos;
        plain += letter == std::string_view::npos ? text[i] : kMeanings[letter];
    }
    return plain;
}

class KernelTokenReader {
  public:
    explicit KernelTokenReader(std::string_view name) : where_(fmt::format("patch tokens of kernel {}", name)) {}

    Outcome<KernelImage> run(ByteView tokens) {
        for (std::uint64_t at = 0; at < tokens.size();) {
            const auto item = tokens.read<ItemHeader>(at);
            if (!item || item->size < sizeof(ItemHeader) || !tokens.holds(at, item->size))
                return damaged(where_, item ? fmt::format("{} has a wrong size", nameOf(item->token))
                                            : std::string("the token list is cut off"));
            reading_ = item->token;
            if (!readToken(item->token, *tokens.part(at + sizeof(ItemHeader), item->size - sizeof(ItemHeader))))
                fail(Cause::damaged, "it is cut off");
            if (error_) return *std::move(error_);
            at += item->size;
        }
        if (kernel_.environment.simdSize != 16 && kernel_.environment.simdSize != 32 &&
            kernel_.environment.simdSize != 8)
            return damaged(where_,
                           fmt::format("{}: there is none, or of no thread of this device", nameOf(kEnvironment)));
        return std::move(kernel_);
    }

  private:
    std::string where_;
    std::uint32_t reading_ = 0;  ///< the present token
    KernelImage kernel_;
    std::optional<Error> error_;

    void fail(Cause cause, std::string_view message) {
        if (!error_) error_ = Error{cause, fmt::format("{}: {}: {}", where_, nameOf(reading_), message)};
    }
    void refuse(std::string reason) {
        if (kernel_.unsupported.empty()) kernel_.unsupported = std::move(reason);
    }

    /// False if the body is shorter than its layout.
    bool readToken(std::uint32_t token, ByteView body) {
        switch (token) {
            case kLocalSurface:
                return readLocalSurface(body);
            case kValue:
                return readValue(body);
            case kScratch:
            case kScratchSlot1:
                return readScratch(body, token == kScratchSlot1);
            case kThreadPayload:
                return readThreadPayload(body);
            case kEnvironment:
                return readEnvironment(body);
            case kPayloadSize:
                return readPayloadSize(body);
            case kArgumentInfo:
                return readArgumentInfo(body);
            case kAttributes:
                return readAttributes(body);
            case kString:
                return readString(body);
            case kGlobalPointer:
                return readPointer(body, AddressSpace::global);
            case kConstantPointer:
                return readPointer(body, AddressSpace::constant);
            case kPrintf:
                return readSlot(body, PayloadKind::printfBuffer);
            case kGlobalSlot:
                return readSlot(body, PayloadKind::globalBase);
            case kConstantSlot:
                return readSlot(body, PayloadKind::constantBase);
            case kPrivateMemory:
                return readPrivateMemory(body);
            case kGtpinInfo:
                return readGtpin(body);
            case kImageArgument:
            case kSamplerArgument:
                refuse("the kernel uses images or samplers, which this device lacks");
                return true;
            case kSyncBuffer:
                refuse("the kernel needs a synchronisation buffer");
                return true;
            default:
                return true;
        }
    }

    bool readLocalSurface(ByteView body) {
        const auto bytes = body.read<std::uint32_t>(4);
        if (!bytes) return false;
        if (*bytes > kMaxSlmBytes) fail(Cause::limit, fmt::format("{} bytes of local memory", *bytes));
        kernel_.environment.slmBytes = *bytes;
        return true;
    }

    void addPiece(PayloadArgument piece) {
        if (piece.size == 0) return;
        if (std::uint64_t{piece.offset} + piece.size > kMaxCrossThreadBytes || piece.argument >= kMaxArguments ||
            piece.sourceOffset > kMaxCrossThreadBytes || kernel_.payload.size() >= kMaxCrossThreadBytes)
            return fail(Cause::limit, fmt::format("{} bytes at {} of the payload", piece.size, piece.offset));
        kernel_.crossThreadBytes = std::max(kernel_.crossThreadBytes, (piece.offset + piece.size + 31) / 32 * 32);
        kernel_.payload.push_back(piece);
    }

    void setArgument(const PayloadArgument& piece, KernelArgument::Kind kind, AddressSpace space, std::uint32_t size) {
        if (piece.argument >= kMaxArguments) return;
        if (kernel_.arguments.size() <= piece.argument) kernel_.arguments.resize(piece.argument + 1);
        KernelArgument& argument = kernel_.arguments[piece.argument];
        argument.kind = kind;
        argument.space = space;
        argument.size = std::max(argument.size, size);
    }

    bool readValue(ByteView body) {
        const auto value = body.read<Value>(0);
        if (!value) return false;
        PayloadArgument piece{.kind = PayloadKind::value,
                              .offset = value->offset,
                              .size = value->size,
                              .argument = value->argument,
                              .sourceOffset = value->sourceOffset};
        const auto provided = std::ranges::find(kProvided, value->type, &ProvidedValue::type);
        if (provided != std::end(kProvided)) {
            piece.kind = provided->kind;
            piece.argument = 0;
            addPiece(piece);
        } else if (value->type == kArgumentValue) {
            addPiece(piece);
            setArgument(piece, KernelArgument::Kind::value, AddressSpace::none, value->sourceOffset + value->size);
        } else if (value->type == kLocalArgument) {
            piece.kind = PayloadKind::localPointer;
            piece.localAlignment = std::clamp(value->sourceOffset, 1u, kMaxSlmBytes);
            piece.sourceOffset = 0;
            addPiece(piece);
            setArgument(piece, KernelArgument::Kind::localPointer, AddressSpace::local, sizeof(std::uint64_t));
        } else if (value->type == kBufferOffset) {
            piece.kind = PayloadKind::bufferOffset;
            addPiece(piece);
        } else if (value->type != kBufferStateful && value->size != 0) {
            refuse(fmt::format("the kernel needs payload of patch-token type {}", value->type));
        }
        return true;
    }

    bool readPointer(ByteView body, AddressSpace space) {
        const auto pointer = body.read<StatelessPointer>(0);
        if (!pointer) return false;
        const PayloadArgument piece{.kind = PayloadKind::pointer,
                                    .offset = pointer->offset,
                                    .size = pointer->size,
                                    .argument = pointer->argument};
        addPiece(piece);
        setArgument(piece, KernelArgument::Kind::pointer, space, sizeof(std::uint64_t));
        return true;
    }

    bool readSlot(ByteView body, PayloadKind kind) {
        const auto slot = body.read<Slot>(0);
        if (!slot) return false;
        kernel_.environment.hasPrintf |= kind == PayloadKind::printfBuffer;
        addPiece({.kind = kind, .offset = slot->offset, .size = slot->size});
        return true;
    }

    bool readPrivateMemory(ByteView body) {
        const auto memory = body.read<PrivateMemory>(0);
        if (!memory) return false;
        if (memory->bytes > kMaxPrivateBytes)
            fail(Cause::limit, fmt::format("{} bytes of private memory", memory->bytes));
        addPiece({.kind = PayloadKind::privateBase, .offset = memory->offset, .size = memory->size});
        if (memory->bytes != 0)
            kernel_.memoryBuffers.push_back({.kind = MemoryKind::global,
                                             .use = MemoryUse::privateSpace,
                                             .size = memory->bytes,
                                             .slot = 0,
                                             .perLane = memory->perLane != 0});
        return true;
    }

    bool readScratch(ByteView body, bool second) {
        const auto scratch = body.read<Scratch>(0);
        if (!scratch) return false;
        if (scratch->bytes > kMaxScratchBytes) fail(Cause::limit, fmt::format("{} bytes of scratch", scratch->bytes));
        if (scratch->bytes != 0)
            kernel_.memoryBuffers.push_back({.kind = MemoryKind::scratch,
                                             .use = MemoryUse::single,
                                             .size = scratch->bytes,
                                             .slot = second,
                                             .perLane = false});
        return true;
    }

    bool readThreadPayload(ByteView body) {
        const auto payload = body.read<ThreadPayload>(0);
        if (!payload) return false;
        kernel_.environment.skipPerThreadLoad = payload->skipPerThreadLoad;
        if (payload->localIdX || payload->localIdY || payload->localIdZ)
            kernel_.perThread = PerThreadPayload{.packedLocalIds = false, .offset = 0, .size = kLocalIdBytes};
        return true;
    }

    bool readEnvironment(ByteView body) {
        const auto from = body.read<Environment>(0);
        if (!from) return false;
        ExecutionEnvironment& to = kernel_.environment;
        std::copy(std::begin(from->groupSize), std::end(from->groupSize), to.requiredGroupSize.begin());
        to.simdSize = from->simdSize;
        to.barrierCount = from->barriers;
        to.independentForwardProgress = from->independentProgress != 0;
        to.hasGlobalAtomics = from->globalAtomics != 0;
        to.grfCount = from->grfCount == 256 ? 256 : 128;
        // Two bits per dimension tell when it varies: dimension 0 first, if they are not set.
        for (std::uint8_t dimension = 0; from->walkOrder != 0 && dimension < 3; ++dimension) {
            const std::uint32_t position = from->walkOrder >> 2 * dimension & 3;
            if (position < 3) to.walkOrder[position] = dimension;
        }
        return true;
    }

    bool readPayloadSize(ByteView body) {
        const auto bytes = body.read<std::uint32_t>(0);
        if (!bytes) return false;
        if (*bytes > kMaxCrossThreadBytes) fail(Cause::limit, fmt::format("{} bytes of payload", *bytes));
        kernel_.crossThreadBytes = std::max(kernel_.crossThreadBytes, *bytes);
        return true;
    }

    bool readArgumentInfo(ByteView body) {
        const auto info = body.read<ArgumentInfo>(0);
        if (!info || info->argument >= kMaxArguments) return false;
        ArgumentReflection reflection;
        reflection.index = info->argument;
        std::string* const texts[] = {&reflection.addressQualifier, &reflection.accessQualifier, &reflection.name,
                                      &reflection.typeName, &reflection.typeQualifiers};
        std::uint64_t at = sizeof(ArgumentInfo);
        for (int i = 0; i < 5; ++i) {
            const auto part = body.part(at, info->textBytes[i]);
            const auto text = part ? part->text(0) : std::nullopt;
            if (!part || (!text && part->size() != 0)) return false;
            if (text) *texts[i] = *text;
            at += info->textBytes[i];
        }
        const std::size_t semicolon = reflection.typeName.find(';');
        if (semicolon != std::string::npos) {
            const char* end = reflection.typeName.data() + reflection.typeName.size();
            std::from_chars(reflection.typeName.data() + semicolon + 1, end, reflection.typeBytes);
            reflection.typeName.resize(semicolon);
        }
        kernel_.reflection.push_back(std::move(reflection));
        return true;
    }

    bool readAttributes(ByteView body) {
        const auto size = body.read<std::uint32_t>(0);
        const auto part = size ? body.part(4, *size) : std::nullopt;
        if (!part) return false;
        kernel_.attributes = part->text(0).value_or(std::string_view());
        return true;
    }

    bool readString(ByteView body) {
        const auto string = body.read<String>(0);
        const auto part = string ? body.part(sizeof(String), string->bytes) : std::nullopt;
        if (!part) return false;
        const std::string_view characters(reinterpret_cast<const char*>(part->begin()), part->size());
        kernel_.printfStrings.emplace(string->number, unescaped(characters.substr(0, characters.find('\0'))));
        return true;
    }

    bool readGtpin(ByteView body) {
        auto info = readGtpinInfo(body.bytes());
        if (!info) return false;
        kernel_.gtpin = *std::move(info);
        return true;
    }
};

}  // namespace

Outcome<KernelImage> readPatchTokenKernel(std::string_view name, ByteView tokens) {
    return KernelTokenReader(name).run(tokens);
}

}  // namespace zetl::binary

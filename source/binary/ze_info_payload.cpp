// payload_arguments, per_thread_payload_arguments and args_info.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "binary/named_value.h"
#include "binary/native_binary.h"
#include "binary/ze_info_parts.h"
#include "isa/xe/architecture.h"

namespace zetl::binary {
namespace {

/// Pieces that the launcher itself provides, and the sizes that each may have.
struct ProvidedType {
    std::string_view name;
    PayloadKind kind;
    std::uint32_t maximumBytes;
};
constexpr ProvidedType kProvidedTypes[] = {
    {"global_id_offset", PayloadKind::globalIdOffset, 12},
    {"local_size", PayloadKind::localSize, 12},
    {"enqueued_local_size", PayloadKind::enqueuedLocalSize, 12},
    {"group_count", PayloadKind::groupCount, 12},
    {"global_size", PayloadKind::globalSize, 12},
    {"work_dimensions", PayloadKind::workDimensions, 4},
    {"private_base_stateless", PayloadKind::privateBase, 8},
    {"printf_buffer", PayloadKind::printfBuffer, 8},
    {"implicit_arg_buffer", PayloadKind::implicitArguments, 8},
    {"data_const_buffer", PayloadKind::constantBase, 8},
    {"const_base", PayloadKind::constantBase, 8},
    {"data_global_buffer", PayloadKind::globalBase, 8},
    {"global_base", PayloadKind::globalBase, 8},
    {"assert_buffer", PayloadKind::assertBuffer, 8},
    {"sync_buffer", PayloadKind::syncBuffer, 8},
    {"scratch_pointer", PayloadKind::scratchPointer, 8},
    {"indirect_data_pointer", PayloadKind::indirectData, 8},
};

/// Pieces about an image or sampler argument, by their place in the argument's bytes.
struct ToldType {
    std::string_view name;
    std::uint32_t at;
};
constexpr ToldType kToldTypes[] = {
    {"image_width", offsetof(ImageArgument, width)},
    {"image_height", offsetof(ImageArgument, height)},
    {"image_depth", offsetof(ImageArgument, depth)},
    {"image_array_size", offsetof(ImageArgument, layers)},
    {"image_channel_data_type", offsetof(ImageArgument, channelType)},
    {"image_channel_order", offsetof(ImageArgument, channelOrder)},
    {"image_num_samples", offsetof(ImageArgument, samples)},
    {"image_num_mip_levels", offsetof(ImageArgument, levels)},
    {"sampler_address", offsetof(SamplerArgument, address)},
    {"sampler_normalized", offsetof(SamplerArgument, normalized)},
    {"sampler_snap_wa", offsetof(SamplerArgument, snap)},
};

constexpr NamedValue<AddressSpace> kSpaces[] = {{"global", AddressSpace::global},
                                                {"local", AddressSpace::local},
                                                {"constant", AddressSpace::constant},
                                                {"image", AddressSpace::image},
                                                {"sampler", AddressSpace::sampler}};
constexpr NamedValue<Access> kAccesses[] = {
    {"readonly", Access::readOnly}, {"writeonly", Access::writeOnly}, {"readwrite", Access::readWrite}};

template <class E, std::size_t n>
E valueOr(const std::string& text, const NamedValue<E> (&names)[n], E absent) {
    const E* value = find(names, text);
    return value ? *value : absent;
}

void refuse(KernelImage& kernel, std::string reason) {
    if (kernel.unsupported.empty()) kernel.unsupported = std::move(reason);
}

KernelArgument& argumentAt(KernelImage& kernel, std::uint32_t index) {
    if (kernel.arguments.size() <= index) kernel.arguments.resize(index + 1);
    return kernel.arguments[index];
}

KernelArgument::Kind kindOf(PayloadKind piece) {
    switch (piece) {
        case PayloadKind::localPointer:
            return KernelArgument::Kind::localPointer;
        case PayloadKind::value:
            return KernelArgument::Kind::value;
        default:
            return KernelArgument::Kind::pointer;
    }
}

/// Adds a piece that takes its bytes from a kernel argument.
void addArgumentPiece(const YamlFields& fields, KernelImage& kernel, PayloadArgument piece) {
    piece.argument = fields.number("arg_index", kMaxArguments - 1);
    piece.sourceOffset = fields.number("source_offset", kMaxCrossThreadBytes);
    piece.localAlignment = std::max(fields.number("slm_alignment", kMaxSlmBytes, 16), 1u);
    KernelArgument& argument = argumentAt(kernel, piece.argument);
    if (piece.kind != PayloadKind::bufferOffset && (piece.size != 0 || argument.kind == KernelArgument::Kind::unused)) {
        argument.kind = kindOf(piece.kind);
        argument.space = valueOr(fields.text("addrspace"), kSpaces, argument.space);
        argument.access = valueOr(fields.text("access_type"), kAccesses, argument.access);
        argument.size = piece.kind == PayloadKind::value ? std::max(argument.size, piece.sourceOffset + piece.size) : 8;
    }
    if (piece.size != 0) kernel.payload.push_back(piece);
}

/// An image or a sampler, which code names by the offset of its state. One that it does not look at has no bytes.
void addState(const YamlFields& fields, KernelImage& kernel, PayloadArgument piece, AddressSpace space) {
    piece.kind = PayloadKind::value;
    piece.argument = fields.number("arg_index", kMaxArguments - 1);
    piece.sourceOffset = 0;
    KernelArgument& argument = argumentAt(kernel, piece.argument);
    argument.kind = space == AddressSpace::image ? KernelArgument::Kind::image : KernelArgument::Kind::sampler;
    argument.space = space;
    argument.access = valueOr(fields.text("access_type"), kAccesses, argument.access);
    argument.size = sizeof(std::uint64_t);
    if (piece.size == 0) return;
    const std::string mode = fields.text("addrmode");
    if (mode != "bindless")
        return refuse(kernel, fmt::format("the kernel takes an image or sampler in address mode '{}'", mode));
    if (piece.size != sizeof(std::uint64_t))
        return fields.report(Cause::damaged, fmt::format("an image or sampler of {} bytes", piece.size));
    kernel.payload.push_back(piece);
}

void addInlineSampler(const YamlFields& fields, KernelImage& kernel, PayloadArgument piece) {
    if (piece.size == 0) return;
    piece.kind = PayloadKind::inlineSampler;
    piece.argument = fields.number("sampler_index", kMaxArguments - 1);
    if (piece.size != sizeof(std::uint64_t))
        return fields.report(Cause::damaged, fmt::format("an inline sampler of {} bytes", piece.size));
    kernel.payload.push_back(piece);
}

void addTold(const YamlFields& fields, KernelImage& kernel, PayloadArgument piece, const ToldType& told) {
    if (piece.size == 0) return;
    if (piece.size != sizeof(std::uint32_t))
        return fields.report(Cause::damaged, fmt::format("{} has {} bytes", told.name, piece.size));
    piece.kind = PayloadKind::value;
    piece.argument = fields.number("arg_index", kMaxArguments - 1);
    piece.sourceOffset = told.at;
    argumentAt(kernel, piece.argument);
    kernel.payload.push_back(piece);
}

void addPointer(const YamlFields& fields, KernelImage& kernel, PayloadArgument piece) {
    const AddressSpace space = valueOr(fields.text("addrspace"), kSpaces, AddressSpace::none);
    if (space == AddressSpace::image || space == AddressSpace::sampler) return addState(fields, kernel, piece, space);
    const std::string mode = fields.text("addrmode");
    // A surface-state slot: code of this device reads through the address only.
    if (mode == "stateful" && piece.size == 0) return addArgumentPiece(fields, kernel, piece);
    if (mode == "slm")
        piece.kind = PayloadKind::localPointer;
    else if (mode != "stateless")
        return refuse(kernel, fmt::format("the kernel takes a pointer in address mode '{}'", mode));
    if (piece.size != 4 && piece.size != 8)
        return fields.report(Cause::damaged, fmt::format("a pointer of {} bytes", piece.size));
    addArgumentPiece(fields, kernel, piece);
}

/// The name of a piece, and the other keys of a piece that comes from an argument.
std::string describe(const KernelImage& kernel, const PayloadArgument& piece) {
    const auto argument = [&](std::string_view type) {
        return fmt::format("{}\n        arg_index: {}\n        source_offset: {}", type, piece.argument,
                           piece.sourceOffset);
    };
    const auto pointer = [&](std::string_view mode) {
        const bool known = piece.argument < kernel.arguments.size();
        const auto space = known ? kernel.arguments[piece.argument].space : AddressSpace::global;
        return fmt::format("{}\n        addrmode: {}\n        addrspace: {}\n        slm_alignment: {}",
                           argument("arg_bypointer"), mode, nameOf(kSpaces, space), piece.localAlignment);
    };
    switch (piece.kind) {
        case PayloadKind::pointer:
            return pointer("stateless");
        case PayloadKind::localPointer:
            return pointer("slm");
        case PayloadKind::value:
            return argument("arg_byvalue");
        case PayloadKind::bufferOffset:
            return argument("buffer_offset");
        case PayloadKind::inlineSampler:
            return fmt::format("inline_sampler\n        sampler_index: {}", piece.argument);
        default:
            return std::string(std::ranges::find(kProvidedTypes, piece.kind, &ProvidedType::kind)->name);
    }
}

/// Patch tokens have a separate piece for each of three numbers; if the pieces are successive they become one.
std::vector<PayloadArgument> joined(const std::vector<PayloadArgument>& pieces) {
    std::vector<PayloadArgument> whole;
    for (const PayloadArgument& piece : pieces) {
        const bool goesOn = !whole.empty() && whole.back().kind == piece.kind &&
                            whole.back().argument == piece.argument &&
                            whole.back().offset + whole.back().size == piece.offset &&
                            whole.back().sourceOffset + whole.back().size == piece.sourceOffset;
        if (goesOn)
            whole.back().size += piece.size;
        else
            whole.push_back(piece);
    }
    return whole;
}

bool insidePayload(const YamlFields& fields, const PayloadArgument& piece) {
    if (std::uint64_t{piece.offset} + piece.size <= kMaxCrossThreadBytes) return true;
    fields.report(Cause::limit, fmt::format("a piece at {} with {} bytes lies beyond the payload limit of {} bytes",
                                            piece.offset, piece.size, kMaxCrossThreadBytes));
    return false;
}

}  // namespace

void readPayloadArgument(const YamlFields& fields, KernelImage& kernel) {
    PayloadArgument piece{.kind = PayloadKind::value};
    piece.offset = fields.number("offset");
    piece.size = fields.number("size");
    if (!insidePayload(fields, piece)) return;
    kernel.crossThreadBytes = std::max(kernel.crossThreadBytes, (piece.offset + piece.size + 31) / 32 * 32);

    const std::string type = fields.text("arg_type");
    if (type == "arg_byvalue") return addArgumentPiece(fields, kernel, piece);
    piece.kind = PayloadKind::pointer;
    if (type == "arg_bypointer") return addPointer(fields, kernel, piece);
    piece.kind = PayloadKind::bufferOffset;
    if (type == "buffer_offset") return addArgumentPiece(fields, kernel, piece);

    if (type == "inline_sampler") return addInlineSampler(fields, kernel, piece);
    const auto* const told = std::ranges::find(kToldTypes, type, &ToldType::name);
    if (told != std::end(kToldTypes)) return addTold(fields, kernel, piece, *told);

    const auto row = std::ranges::find(kProvidedTypes, type, &ProvidedType::name);
    if (row == std::end(kProvidedTypes)) {
        if (piece.size != 0) refuse(kernel, fmt::format("the kernel needs payload of type '{}'", type));
        return;
    }
    if (piece.size > row->maximumBytes || piece.size % 4 != 0)
        return fields.report(Cause::damaged, fmt::format("{} has {} bytes", type, piece.size));
    piece.kind = row->kind;
    if (piece.size != 0) kernel.payload.push_back(piece);
}

void readPerThreadPayload(const YamlFields& fields, KernelImage& kernel) {
    const std::string type = fields.text("arg_type");
    PerThreadPayload payload;
    payload.packedLocalIds = type == "packed_local_ids";
    payload.offset = fields.number("offset", kMaxCrossThreadBytes);
    // Packed ids have six bytes, but a thread's block takes whole registers.
    payload.size = (fields.number("size", kMaxCrossThreadBytes) + isa::xe::kRegisterBytes - 1) /
                   isa::xe::kRegisterBytes * isa::xe::kRegisterBytes;
    if (type != "local_id" && type != "packed_local_ids")
        return refuse(kernel, fmt::format("the kernel needs per-thread payload of type '{}'", type));
    if (payload.size != 0) kernel.perThread = payload;
}

InlineSampler readInlineSampler(const YamlFields& fields) {
    using Address = InlineSampler::Address;
    constexpr NamedValue<Address> kModes[] = {{"none", Address::none},
                                              {"repeat", Address::repeat},
                                              {"clamp_edge", Address::clampToEdge},
                                              {"clamp_border", Address::clampToBorder},
                                              {"mirror", Address::mirror}};
    InlineSampler sampler;
    sampler.index = fields.number("sampler_index", kMaxArguments - 1);
    sampler.address = valueOr(fields.text("addrmode"), kModes, Address::none);
    sampler.linear = fields.text("filtermode") == "linear";
    sampler.normalized = fields.flag("normalized");
    return sampler;
}

ArgumentReflection readReflection(const YamlFields& fields) {
    ArgumentReflection reflection{.index = fields.number("index", kMaxArguments - 1),
                                  .name = fields.text("name"),
                                  .typeName = fields.text("type_name"),
                                  .addressQualifier = fields.text("address_qualifier"),
                                  .accessQualifier = fields.text("access_qualifier"),
                                  .typeQualifiers = fields.text("type_qualifiers"),
                                  .typeBytes = 0};
    // The compiler writes "int4;16": the type and its size.
    const std::size_t semicolon = reflection.typeName.find(';');
    if (semicolon != std::string::npos) {
        const char* end = reflection.typeName.data() + reflection.typeName.size();
        std::from_chars(reflection.typeName.data() + semicolon + 1, end, reflection.typeBytes);
        reflection.typeName.resize(semicolon);
    }
    return reflection;
}

void writePayload(const KernelImage& kernel, std::string& text) {
    if (!kernel.payload.empty()) text += "    payload_arguments:\n";
    for (const PayloadArgument& piece : joined(kernel.payload))
        text += fmt::format("      - arg_type: {}\n        offset: {}\n        size: {}\n", describe(kernel, piece),
                            piece.offset, piece.size);
    if (!kernel.perThread) return;
    const PerThreadPayload& ids = *kernel.perThread;
    text +=
        fmt::format("    per_thread_payload_arguments:\n      - arg_type: {}\n        offset: {}\n        size: {}\n",
                    ids.packedLocalIds ? "packed_local_ids" : "local_id", ids.offset, ids.size);
}

}  // namespace zetl::binary

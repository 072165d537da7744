#include "binary/spirv.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "binary/spirv_words.h"

namespace zetl::binary {
namespace spirv::reading {
namespace {

enum Decoration : std::uint32_t { kSpecId = 1, kLinkage = 41 };
enum AddressingModel : std::uint32_t { kPhysical32 = 1, kPhysical64 = 2 };
enum Linkage : std::uint32_t { kExport = 0, kImport = 1 };
constexpr std::uint32_t kSwappedMagic = 0x03022307;

constexpr std::uint32_t swapped(std::uint32_t word) noexcept {
    return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24;
}

struct Text {
    std::string value;
    std::size_t words;
};

/// A NUL-terminated literal at the head of the words.
std::optional<Text> literalText(Words words) {
    const auto* characters = reinterpret_cast<const char*>(words.data());
    const void* end = words.empty() ? nullptr : std::memchr(characters, 0, words.size_bytes());
    if (end == nullptr) return std::nullopt;
    const std::size_t length = static_cast<const char*>(end) - characters;
    return Text{std::string(characters, length), length / sizeof(std::uint32_t) + 1};
}

struct Candidate {
    SpecConstant constant;
    std::uint32_t result;
};

/// Walks the declarations of a module once; ends at the first function body.
class DeclarationReader {
  public:
    explicit DeclarationReader(SpirvModule& module) : module_(module) {}

    std::optional<Error> run() {
        for (std::size_t at = kHeaderWords; at < module_.words.size();) {
            const std::uint32_t length = module_.words[at] >> 16;
            const auto opcode = static_cast<std::uint16_t>(module_.words[at]);
            if (length == 0 || length > module_.words.size() - at)
                return damaged("SPIR-V", fmt::format("the instruction at word {} has length {}", at, length));
            if (!read(opcode, Words(module_.words).subspan(at, length), at))
                return damaged("SPIR-V", fmt::format("the instruction {} at word {} is cut short", opcode, at));
            at += length;
        }
        attachSpecIds();
        return std::nullopt;
    }

  private:
    SpirvModule& module_;
    std::unordered_map<std::uint32_t, std::uint32_t> specIds_;    ///< result id to SpecId
    std::unordered_map<std::uint32_t, std::uint32_t> typeBytes_;  ///< type id to size
    std::vector<Candidate> candidates_;

    bool read(std::uint16_t opcode, Words words, std::size_t at) {
        switch (opcode) {
            case kMemoryModel:
                return readMemoryModel(words);
            case kEntryPoint:
                return readEntryPoint(words);
            case kCapability:
                if (words.size() < 2) return false;
                module_.capabilities.push_back(words[1]);
                return true;
            case kTypeInt:
            case kTypeFloat:
                if (words.size() < 3) return false;
                typeBytes_[words[1]] = words[2] / 8;
                return true;
            case kSpecTrue:
            case kSpecFalse:
                return readBoolean(words, at, opcode == kSpecTrue);
            case kSpecConstant:
                return readSpecConstant(words, at);
            case kDecorate:
                return readDecoration(words);
            default:
                return true;
        }
    }

    bool readMemoryModel(Words words) {
        if (words.size() < 3) return false;
        module_.addressBits = words[1] == kPhysical32 ? 32 : words[1] == kPhysical64 ? 64 : 0;
        return true;
    }

    bool readEntryPoint(Words words) {
        if (words.size() < 4) return false;
        auto name = literalText(words.subspan(3));
        if (!name) return false;
        module_.entryPoints.push_back(std::move(name->value));
        return true;
    }

    bool readDecoration(Words words) {
        if (words.size() < 3) return false;
        if (words[2] == kSpecId) {
            if (words.size() < 4) return false;
            specIds_[words[1]] = words[3];
            return true;
        }
        if (words[2] != kLinkage) return true;
        auto name = literalText(words.subspan(3));
        if (!name || words.size() < 3 + name->words + 1) return false;
        const std::uint32_t kind = words[3 + name->words];
        if (kind == kExport) module_.exports.push_back(std::move(name->value));
        if (kind == kImport) module_.imports.push_back(std::move(name->value));
        return true;
    }

    bool readBoolean(Words words, std::size_t at, bool value) {
        if (words.size() < 3) return false;
        candidates_.push_back({{.id = 0, .bytes = 1, .boolean = true, .defaultValue = value, .word = at}, words[2]});
        return true;
    }

    bool readSpecConstant(Words words, std::size_t at) {
        if (words.size() < 4) return false;
        const auto bytes = typeBytes_.find(words[1]);
        if (bytes == typeBytes_.end() || !std::has_single_bit(bytes->second) || bytes->second > 8) return false;
        if (bytes->second == 8 && words.size() < 5) return false;
        std::uint64_t value = words[3];
        if (bytes->second == 8) value |= std::uint64_t{words[4]} << 32;
        candidates_.push_back(
            {{.id = 0, .bytes = bytes->second, .boolean = false, .defaultValue = value, .word = at + 3}, words[2]});
        return true;
    }

    void attachSpecIds() {
        for (Candidate& candidate : candidates_) {
            const auto id = specIds_.find(candidate.result);
            if (id == specIds_.end()) continue;
            candidate.constant.id = id->second;
            module_.specConstants.push_back(candidate.constant);
        }
    }
};

void setDefault(const SpecConstant& constant, const Bytes& bytes, std::vector<std::uint32_t>& words) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    if (constant.boolean) {
        words[constant.word] = (words[constant.word] & 0xffff0000) | (value != 0 ? kSpecTrue : kSpecFalse);
        return;
    }
    words[constant.word] = static_cast<std::uint32_t>(value);
    if (constant.bytes == 8) words[constant.word + 1] = static_cast<std::uint32_t>(value >> 32);
}

}  // namespace
}  // namespace spirv::reading

Outcome<SpirvModule> readSpirv(std::span<const std::uint8_t> bytes) {
    if (bytes.size() % sizeof(std::uint32_t) != 0 || bytes.size() < spirv::kHeaderWords * sizeof(std::uint32_t))
        return damaged("SPIR-V", fmt::format("{} bytes are no whole number of words behind a header", bytes.size()));
    SpirvModule module;
    module.words.resize(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(module.words.data(), bytes.data(), bytes.size());
    if (module.words[0] == spirv::reading::kSwappedMagic)
        std::ranges::transform(module.words, module.words.begin(), spirv::reading::swapped);
    if (module.words[0] != kSpirvMagic)
        return damaged("SPIR-V", fmt::format("the first word is {:#010x}, not the magic number", module.words[0]));
    module.version = module.words[1];
    if (auto error = spirv::reading::DeclarationReader(module).run()) return *std::move(error);
    return module;
}

std::optional<Error> checkAddresses(const SpirvModule& module) {
    if (module.addressBits != 32) return std::nullopt;
    return Error{
        Cause::buildFailed,
        "the module has 32-bit addresses (OpMemoryModel Physical32), and the device has 64-bit ones; compile it "
        "for spir64 or spirv64"};
}

std::vector<SpecValue> valuesOf(const SpirvModule& module, std::span<const std::uint32_t> ids,
                                const void* const* values) {
    std::vector<SpecValue> all;
    for (std::size_t i = 0; i < ids.size(); ++i)
        for (const SpecConstant& constant : module.specConstants) {
            if (constant.id != ids[i]) continue;
            const auto* bytes = static_cast<const std::uint8_t*>(values[i]);
            all.push_back({constant.id, Bytes(bytes, bytes + constant.bytes)});
        }
    return all;
}

Outcome<Bytes> specialize(const SpirvModule& module, std::span<const SpecValue> values) {
    std::vector<std::uint32_t> words = module.words;
    for (const SpecValue& value : values) {
        for (const SpecConstant& constant : module.specConstants) {
            if (constant.id != value.id) continue;
            if (value.bytes.size() != constant.bytes)
                return Error{Cause::badArgument, fmt::format("specialization constant {} has {} bytes, {} were given",
                                                             value.id, constant.bytes, value.bytes.size())};
            spirv::reading::setDefault(constant, value.bytes, words);
        }
    }
    Bytes bytes(words.size() * sizeof(std::uint32_t));
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

}  // namespace zetl::binary

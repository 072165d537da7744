#include "nvidia/driver/program/image.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <sstream>
#include <string_view>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/program/function_pointers.h"

namespace zetl::nvidia {
namespace {

constexpr std::uint16_t kCudaMachine = 190;
constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::uint32_t kFatbinWrapperMagic = 0x466243b1;
constexpr std::size_t kLogBytes = 16 << 10;

bool isCubin(std::span<const std::uint8_t> bytes) noexcept {
    Elf64_Ehdr head{};
    if (bytes.size() < sizeof head) return false;
    std::memcpy(&head, bytes.data(), sizeof head);
    return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
           head.e_machine == kCudaMachine;
}

std::uint32_t firstWord(std::span<const std::uint8_t> bytes) noexcept {
    std::uint32_t word = 0;
    if (bytes.size() >= sizeof word) std::memcpy(&word, bytes.data(), sizeof word);
    return word;
}

/// PTX begins with its version, behind comments; a zero ends it if there is one.
bool isPtx(std::span<const std::uint8_t> bytes) noexcept {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text.substr(0, text.find('\0')).find(".version") != std::string_view::npos;
}

constexpr std::string_view kLocalPointer = ".ptr .shared";

/// The text without the words by which PTX marks a parameter as a pointer to local memory: marked code is meant for
/// OpenCL's driver, and CUDA's refuses to load it (CUDA_ERROR_INVALID_IMAGE).
std::string withoutLocalPointers(std::string text) {
    constexpr std::string_view kAlignment = " .align ";
    for (std::size_t at = 0; (at = text.find(kLocalPointer, at)) != std::string::npos;) {
        auto end = at + kLocalPointer.size();
        if (text.compare(end, kAlignment.size(), kAlignment) == 0)
            end = std::min(text.size(), text.find_first_not_of("0123456789", end + kAlignment.size()));
        text.erase(at, end - at);
    }
    return text;
}

unsigned numberAfter(const std::string& word, std::string_view name, unsigned otherwise) noexcept {
    unsigned value = otherwise;
    if (word.starts_with(name)) std::from_chars(word.data() + name.size(), word.data() + word.size(), value);
    return value;
}

/// Options of the linker, with the words that it writes.
struct JitOptions {
    std::array<char, kLogBytes> information{};
    std::array<char, kLogBytes> errors{};
    std::vector<CUjit_option> names;
    std::vector<void*> values;

    explicit JitOptions(const BuildOptions& options) {
        add(CU_JIT_INFO_LOG_BUFFER, information.data());
        add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, information.size());
        add(CU_JIT_ERROR_LOG_BUFFER, errors.data());
        add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, errors.size());
        add(CU_JIT_OPTIMIZATION_LEVEL, options.optimization);
        if (options.debugInfo == DebugInfo::variables) add(CU_JIT_GENERATE_DEBUG_INFO, 1);
        if (options.debugInfo == DebugInfo::lines) add(CU_JIT_GENERATE_LINE_INFO, 1);
        if (options.registers) add(CU_JIT_MAX_REGISTERS, options.registers);
    }
    std::string words() const { return std::string(information.data()) + errors.data(); }
    unsigned size() const noexcept { return static_cast<unsigned>(names.size()); }

  private:
    void add(CUjit_option name, void* value) {
        names.push_back(name);
        values.push_back(value);
    }
    void add(CUjit_option name, std::size_t value) { add(name, reinterpret_cast<void*>(value)); }
};

}  // namespace

std::uint64_t hashOf(std::span<const std::uint8_t> bytes) noexcept {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const auto byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
    return hash;
}

NativeKind kindOf(std::span<const std::uint8_t> bytes) noexcept {
    if (isCubin(bytes)) return NativeKind::cubin;
    const std::uint32_t magic = firstWord(bytes);
    if (magic == kFatbinMagic || magic == kFatbinWrapperMagic) return NativeKind::fatbin;
    return isPtx(bytes) ? NativeKind::ptx : NativeKind::unknown;
}

BuildOptions optionsOf(const char* flags) {
    BuildOptions options;
    bool debug = false;
    std::istringstream words(flags ? flags : "");
    for (std::string word; words >> word;) {
        if (word == "-ze-opt-disable" || word == "-cl-opt-disable") options.optimization = 0;
        options.optimization = std::min(numberAfter(word, "-ze-opt-level=", options.optimization), 4u);
        options.registers = numberAfter(word, "-maxrregcount=", options.registers);
        debug |= word == "-g";
        if (word == "-lineinfo" || word == "-gline-tables-only") options.debugInfo = DebugInfo::lines;
    }
    if (debug) options.debugInfo = options.optimization == 0 ? DebugInfo::variables : DebugInfo::lines;
    return options;
}

namespace {

/// Of the directives between a kernel's parameters and its body.
std::array<std::uint32_t, 3> requiredGroupIn(std::string_view directives) {
    constexpr std::string_view kRequired = ".reqntid";
    const auto at = directives.find(kRequired);
    if (at == std::string_view::npos) return {};
    std::array<std::uint32_t, 3> size{1, 1, 1};
    std::istringstream words(std::string(directives.substr(at + kRequired.size())));
    for (auto& each : size) {
        words >> each;
        if (char comma = 0; !(words >> comma) || comma != ',') break;
    }
    return size;
}

}  // namespace

KernelTexts kernelsOf(std::string_view text) {
    constexpr std::string_view kEntry = ".entry";
    constexpr std::string_view kParameter = ".param";
    KernelTexts all;
    for (std::size_t at = 0; (at = text.find(kEntry, at)) != std::string_view::npos;) {
        const auto name = text.find_first_not_of(" \t\r\n", at + kEntry.size());
        const auto open = text.find('(', at);
        const auto end = text.find(')', at);
        at += kEntry.size();
        if (open == std::string_view::npos || end == std::string_view::npos || open > end || name > open) continue;
        auto& kernel = all[std::string(text.substr(name, text.find_first_of(" \t\r\n(", name) - name))];
        kernel.requiredGroup = requiredGroupIn(text.substr(end, text.find('{', end) - end));
        for (auto rest = text.substr(open + 1, end - open - 1); !rest.empty();) {
            const auto one = rest.substr(0, rest.find(','));
            if (one.find(kParameter) != std::string_view::npos)
                kernel.localParameters.push_back(one.find(kLocalPointer) != std::string_view::npos);
            rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        }
    }
    return all;
}

namespace {

/// One use of the driver's compiler and linker.
class Link {
  public:
    explicit Link(const BuildOptions& options) : jit_(options) {
        status_ = ZETL_CUDA(cuLinkCreate(jit_.size(), jit_.names.data(), jit_.values.data(), &link_));
    }
    ~Link() {
        if (link_) cuda().cuLinkDestroy(link_);
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    /// The linker needs `text` terminated, and its size counts the terminator.
    void add(std::string text, const std::string& name) {
        if (status_ == ZE_RESULT_SUCCESS)
            status_ = ZETL_CUDA(cuLinkAddData(link_, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, name.c_str(), 0,
                                              nullptr, nullptr));
    }
    Bytes complete() {
        void* image = nullptr;
        std::size_t bytes = 0;
        if (status_ == ZE_RESULT_SUCCESS) status_ = ZETL_CUDA(cuLinkComplete(link_, &image, &bytes));
        if (status_ != ZE_RESULT_SUCCESS) return {};
        return {static_cast<std::uint8_t*>(image), static_cast<std::uint8_t*>(image) + bytes};
    }
    std::string words() const { return jit_.words(); }
    Status status() const noexcept {
        const bool isOfTheCode = link_ && status_ != ZE_RESULT_SUCCESS && status_ != ZE_RESULT_ERROR_DEVICE_LOST;
        return isOfTheCode ? Status(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE) : status_;
    }

  private:
    JitOptions jit_;
    CUlinkState link_ = nullptr;
    Status status_ = ZE_RESULT_SUCCESS;
};

Result<Bytes> link(std::span<const std::string> modules, const BuildOptions& options, std::string& log) {
    Link link(options);
    for (std::size_t i = 0; i < modules.size(); ++i)
        link.add(modules[i], modules.size() == 1 ? "module" : fmt::format("module {}", i));
    Bytes image = link.complete();
    log += link.words();
    if (link.status() != ZE_RESULT_SUCCESS) return link.status();
    return image;
}

}  // namespace

Result<Bytes> linkPtx(std::span<const std::string> modules, const BuildOptions& options, std::string& log) {
    std::vector<std::string> plain;
    std::vector<std::string> extended;
    for (const auto& each : modules) {
        plain.push_back(withoutLocalPointers(each));
        extended.push_back(withFunctionPointers(plain.back()));
    }
    if (extended != plain) {
        std::string words;
        auto image = link(extended, options, words);
        if (image) log += words;
        if (image || image.code() != ZE_RESULT_ERROR_MODULE_BUILD_FAILURE) return image;
    }
    return link(plain, options, log);
}

Status checkPtx(const std::string& module, const BuildOptions& options, std::string& log) {
    Link link(options);
    link.add(withoutLocalPointers(module), "module");
    log += link.words();
    return link.status();
}

}  // namespace zetl::nvidia

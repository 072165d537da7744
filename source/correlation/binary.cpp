#include <elf.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/never_destroyed.h"
#include "binary/cubin_info.h"
#include "binary/debug_relocation.h"
#include "binary/elf_file.h"
#include "binary/intel_notes.h"
#include "binary/native_binary.h"
#include "binary/patch_token_debug.h"
#include "binary/patch_token_format.h"
#include "binary/recorded_options.h"
#include "binary/special_symbols.h"
#include "binary/ze_info.h"
#include "correlation/debug_lines.h"
#include "correlation/iga.h"
#include "correlation/instruction_set.h"

namespace zetl::correlation {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::string_view kTextPrefix = ".text.";
constexpr std::string_view kUnreadableLines = "elfutils (libdw1) is not installed, or cannot read the DWARF";
constexpr std::string_view kNoDwarf = "the module has no DWARF: it was built without -g";
constexpr std::string_view kNoDwarfInCubin =
    "the cubin has no lines: it was built without -g and -lineinfo, or of PTX without lines";
constexpr std::string_view kNoDwarfInZebin =
    "the module has no DWARF: it was built without -g, or with several kernels by a compiler that then writes none";

Kernel described(const binary::ExecutionEnvironment& environment, std::string name) {
    Kernel kernel{.name = std::move(name)};
    kernel.simdWidth = environment.simdSize;
    kernel.registers = environment.grfCount;
    kernel.localBytes = environment.slmBytes;
    kernel.privateBytes = environment.privateBytes;
    kernel.spillBytes = environment.spillBytes;
    kernel.barriers = environment.barrierCount;
    kernel.callsThroughStack = environment.hasStackCalls;
    return kernel;
}

/// The text of a section, with or without a NUL at its end.
std::string_view wholeText(binary::ByteView section) {
    return section.text(0).value_or(std::string_view(reinterpret_cast<const char*>(section.begin()), section.size()));
}

}  // namespace

struct Binary::Content {
    /// The code of one kernel, and the source of its lines.
    struct Code {
        std::span<const std::uint8_t> bytes;
        const DebugLines* lines = nullptr;
        std::uint64_t lineBase = 0;  ///< address of its first byte in the line table
    };

    InstructionSet instructions = xeInstructions(isa::xe::kXeHpc);
    Bytes bytes;
    binary::ModulePointer module;  ///< of patch tokens
    std::string container;
    std::string options;
    std::string withoutLines;
    std::vector<Kernel> kernels;
    std::vector<Code> code;  ///< by kernel
    std::vector<std::unique_ptr<DebugLines>> lines;

    void add(Kernel kernel, Code machineCode) {
        kernel.codeBytes = instructions.each(instructions, machineCode.bytes, [](std::uint32_t, std::uint32_t) {});
        kernels.push_back(std::move(kernel));
        code.push_back(machineCode);
    }

    std::optional<binary::Error> read() {
        if (binary::looksLikeElf(bytes)) return readElf();
        if (binary::looksLikePatchTokenDebug(bytes)) return readDebugData();
        return readPatchTokens(nullptr);
    }

    std::optional<binary::Error> readElf() {
        const auto file = binary::readElf(bytes);
        if (!file) return file.error();
        if (file->machine == binary::kMachineCuda) return readCubin(*file);
        const auto* const info = file->find(".ze_info");
        if (!info) return readPatchTokens(&*file);
        const auto read =
            binary::readZeInfo({reinterpret_cast<const char*>(info->content.begin()), info->content.size()});
        if (!read) return read.error();
        if (const auto* const recorded = file->find(".misc.buildOptions"))
            options = binary::withoutAddedSwitch(wholeText(recorded->content));
        if (const auto* const product = binary::statedProduct(*file))
            instructions = xeInstructions(*product->architecture);
        const bool placed = file->type == ET_EXEC;
        container = placed ? "debug image" : "zebin";
        // In a native binary each code section gets its offset in the file as address, so that all differ.
        std::vector<std::uint64_t> bases(file->sections.size());
        for (std::size_t i = 0; i < bases.size(); ++i) {
            const auto& section = file->sections[i];
            if (section.name.starts_with(kTextPrefix)) bases[i] = placed ? section.address : section.fileOffset;
        }
        addSections(*file, *read, bases, placed);
        withoutLines = kNoDwarfInZebin;
        return readLines(*file, bases, placed);
    }

    std::optional<binary::Error> readCubin(const binary::ElfFile& file) {
        instructions = kCuda;
        container = "cubin";
        const auto functions = binary::readCubinInfo(file);
        std::vector<std::uint64_t> bases(file.sections.size());
        for (std::size_t i = 0; i < bases.size(); ++i) {
            const auto& section = file.sections[i];
            if (section.type != SHT_PROGBITS || !section.name.starts_with(kTextPrefix)) continue;
            // In a native binary every section of code has the address 0.
            bases[i] = section.address != 0 ? section.address : section.fileOffset;
            const std::string name = section.name.substr(kTextPrefix.size());
            const auto known = functions.find(name);
            add(ofCubin(file, name, section.address,
                        known == functions.end() ? binary::CubinFunction() : known->second),
                {.bytes = section.content.bytes(), .lineBase = bases[i]});
        }
        withoutLines = kNoDwarfInCubin;
        if (auto error = readLines(file, bases, false)) return error;
        // NVIDIA's compiler writes a table without rows if lines are requested but the source gives none.
        if (!lines.empty() && !lines.front()->hasRows()) withoutLines = kNoDwarfInCubin;
        return std::nullopt;
    }

    /// Kernels that can be launched have a bank of constants for their arguments.
    static Kernel ofCubin(const binary::ElfFile& file, const std::string& name, std::uint64_t address,
                          const binary::CubinFunction& function) {
        constexpr std::uint32_t kWarp = 32;
        Kernel kernel{.name = name, .address = address};
        kernel.launchable = file.find(".nv.constant0." + name) != nullptr;
        kernel.simdWidth = kernel.launchable ? kWarp : 0;
        kernel.registers = function.registers;
        kernel.privateBytes = function.frameBytes;
        const auto* const local = file.find(".nv.shared." + name);
        kernel.localBytes = local ? static_cast<std::uint32_t>(local->size) : 0;
        return kernel;
    }

    void addSections(const binary::ElfFile& file, const binary::ZeInfo& info, std::span<const std::uint64_t> bases,
                     bool placed) {
        for (std::size_t i = 0; i < file.sections.size(); ++i) {
            const auto& section = file.sections[i];
            if (section.type != SHT_PROGBITS || !section.name.starts_with(kTextPrefix)) continue;
            const std::string name = section.name.substr(kTextPrefix.size());
            const auto found = std::ranges::find(info.kernels, name, &binary::KernelImage::name);
            const bool launchable =
                found != info.kernels.end() && found->environment.simdSize != 0 && name != binary::kFunctionHolder;
            Kernel kernel = launchable ? described(found->environment, name) : Kernel{.name = name};
            kernel.launchable = launchable;
            kernel.address = placed ? section.address : 0;
            add(std::move(kernel), {.bytes = section.content.bytes(), .lineBase = bases[i]});
        }
    }

    std::optional<binary::Error> readLines(const binary::ElfFile& file, std::span<const std::uint64_t> bases,
                                           bool placed) {
        const auto* const debug = file.find(".debug_line");
        if (!debug || debug->content.size() == 0) return std::nullopt;
        Bytes relocated = bytes;
        if (!placed)
            if (auto done = binary::relocateDebugData(relocated, file, bases); !done) return done.error();
        const DebugLines* const all = open(std::move(relocated));
        for (Code& each : code) each.lines = all;
        return std::nullopt;
    }

    /// Null if the file's DWARF cannot be read. withoutLines is the reason until one can.
    const DebugLines* open(Bytes elf) {
        auto opened = DebugLines::open(std::move(elf));
        if (lines.empty()) withoutLines = opened ? "" : kUnreadableLines;
        return opened ? lines.emplace_back(std::move(opened)).get() : nullptr;
    }

    /// `outer`: the ELF file that contains them, or null.
    std::optional<binary::Error> readPatchTokens(const binary::ElfFile* outer) {
        auto read = binary::readPatchTokens(bytes);
        if (!read) return read.error();
        module = *std::move(read);
        container = "patch tokens";
        options = module->buildOptions;
        for (std::uint32_t i = 0; i < module->code.size(); ++i) {
            const auto& section = module->code[i];
            const auto image = std::ranges::find(module->kernels, i, &binary::KernelImage::codeSection);
            Kernel kernel{.name = section.name, .launchable = false};
            if (image != module->kernels.end()) kernel = described(image->environment, section.name);
            add(std::move(kernel), {.bytes = section.bytes});
        }
        withoutLines = kNoDwarf;
        const auto* const debug = outer ? outer->find(binary::patch::kDebugSectionName) : nullptr;
        return debug ? readLinesByKernel(debug->content.bytes()) : std::nullopt;
    }

    std::optional<binary::Error> readLinesByKernel(std::span<const std::uint8_t> debugData) {
        const auto read = binary::readPatchTokenDebug(debugData);
        if (!read) return read.error();
        for (const auto& each : *read) {
            const auto index = indexOf(each.name);
            if (index && each.elf.size() > 0) code[*index].lines = open({each.elf.begin(), each.elf.end()});
        }
        return std::nullopt;
    }

    /// Reads debug data of patch tokens without their module.
    std::optional<binary::Error> readDebugData() {
        const auto read = binary::readPatchTokenDebug(bytes);
        if (!read) return read.error();
        container = "debug data of patch tokens";
        withoutLines = kNoDwarf;
        for (const auto& each : *read) {
            if (each.elf.size() == 0) continue;
            const auto file = binary::readElf(each.elf.bytes());
            if (!file) return file.error();
            const auto* const text = file->find(".text");
            if (text)
                add({.name = each.name, .launchable = each.name != binary::kFunctionHolder},
                    {.bytes = text->content.bytes()});
        }
        return readLinesByKernel(bytes);
    }

    /// Nothing if there is no kernel of that name.
    std::optional<std::size_t> indexOf(std::string_view name) const {
        const auto found = std::ranges::find(kernels, name, &Kernel::name);
        if (found == kernels.end()) return std::nullopt;
        return static_cast<std::size_t>(found - kernels.begin());
    }
};

Binary::Binary(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Binary::~Binary() = default;

std::unique_ptr<Binary> Binary::read(std::span<const std::uint8_t> bytes, std::string& failure) {
    auto content = std::make_unique<Content>();
    content->bytes.assign(bytes.begin(), bytes.end());
    const auto error = content->read();
    if (!error) return std::unique_ptr<Binary>(new Binary(std::move(content)));
    failure = error->message;
    return nullptr;
}

const std::string& Binary::container() const noexcept { return content_->container; }
const std::string& Binary::buildOptions() const noexcept { return content_->options; }
const std::vector<Kernel>& Binary::kernels() const noexcept { return content_->kernels; }
const std::string& Binary::withoutLines() const noexcept { return content_->withoutLines; }

std::span<const std::uint8_t> Binary::code(const Kernel& kernel) const noexcept {
    const auto index = content_->indexOf(kernel.name);
    return index ? content_->code[*index].bytes : std::span<const std::uint8_t>();
}

std::vector<Instruction> Binary::instructions(const Kernel& kernel) const {
    std::vector<Instruction> list;
    const auto bytes = code(kernel);
    const auto& set = content_->instructions;
    set.each(set, bytes, [&](std::uint32_t offset, std::uint32_t size) {
        list.push_back({offset, size, set.text(set, bytes, offset)});
    });
    return list;
}

std::vector<Instruction> Binary::igaInstructions(const Kernel& kernel) const {
    auto list = instructions(kernel);
    const auto* const architecture = content_->instructions.architecture;
    if (!architecture) return list;
    for (auto& each : list) {
        auto text = correlation::igaText(*architecture, code(kernel).subspan(each.offset));
        if (!text.empty()) each.text = std::move(text);
    }
    return list;
}

std::string Binary::igaText(std::span<const std::uint8_t> code, std::uint32_t ipVersion) {
    const auto* const product = isa::xe::findProduct(isa::xe::IpVersion::unpacked(ipVersion));
    return product ? correlation::igaText(*product->architecture, code) : std::string();
}

const std::string& Binary::withoutIga() const {
    static NeverDestroyed<std::string> notIntels("the code is not Intel's");
    const auto* const architecture = content_->instructions.architecture;
    return architecture ? correlation::withoutIga(*architecture) : *notIntels;
}

std::vector<Place> Binary::sourceOf(const Kernel& kernel, std::uint32_t offset) const {
    const auto index = content_->indexOf(kernel.name);
    if (!index) return {};
    const Content::Code& code = content_->code[*index];
    if (!code.lines || offset >= code.bytes.size()) return {};
    return code.lines->at(code.lineBase + offset);
}

std::vector<std::uint32_t> Binary::offsetsOf(const Kernel& kernel, const std::string& file, int line) const {
    std::vector<std::uint32_t> offsets;
    content_->instructions.each(content_->instructions, code(kernel), [&](std::uint32_t offset, std::uint32_t) {
        const auto places = sourceOf(kernel, offset);
        if (places.empty() || places.front().line != line) return;
        const std::string& known = places.front().file;
        if (known == file || known.ends_with("/" + file)) offsets.push_back(offset);
    });
    return offsets;
}

}  // namespace zetl::correlation

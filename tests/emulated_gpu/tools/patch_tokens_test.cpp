// Modules in patch tokens, the container of Debian 12's driver, on the emulated GPU through the stock loader.
#include <elf.h>
#include <level_zero/zet_api.h>
#include <ze_tools_layer/correlation.h>
#include <ze_tools_layer/device_access.h>
#include <ze_tools_layer/profile_tokens.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <set>
#include <thread>

#include "binary/elf_file.h"
#include "binary/patch_token_debug.h"
#include "binary/patch_token_format.h"
#include "emulated_gpu/gpu.h"
#include "support/scenario.h"
#include "support/temporary_file.h"
#include "unit/module/compiled.h"

namespace zetl::test {
namespace {

using emulator::module::compiled;
using Bytes = std::vector<std::uint8_t>;

constexpr const char* kWithLines = "-cl-std=CL2.0 -g";
constexpr const char* kWithoutLines = "-cl-std=CL2.0";

const Bytes& patchTokens(const char* flags) { return compiled(emulator::module::kVectorAdd, flags, false); }

/// The device binary without the ELF file around it.
Bytes bare(const Bytes& binary) {
    const auto file = binary::readElf(binary);
    const auto content = file->find(binary::patch::kSectionName)->content;
    return {content.begin(), content.end()};
}

ze_module_handle_t fromNative(const Gpu& gpu, const Bytes& binary) {
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, binary.size(), binary.data(), "", nullptr};
    ze_module_handle_t module = nullptr;
    EXPECT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr));
    return module;
}

SCENARIO(rewriterIsToldOfPatchTokens) {
    const Gpu gpu;
    using Get = const zetl_device_access_t*(std::uint32_t);
    const auto& modules = *gpu.function<Get>(ZETL_DEVICE_ACCESS_FUNCTION)(ZETL_DEVICE_ACCESS_VERSION)->modules;
    std::vector<std::uint32_t> kinds;
    const zetl_rewriter_t rewriter = [](void* user, zetl_device_t, std::uint32_t kind, const void*, std::uint64_t,
                                        std::uint64_t*) -> const void* {
        static_cast<std::vector<std::uint32_t>*>(user)->push_back(kind);
        return nullptr;
    };
    ASSERT_EQ(modules.rewrite_before_load(rewriter, &kinds), ZETL_OK);
    fromNative(gpu, patchTokens(kWithLines));
    fromNative(gpu, bare(patchTokens(kWithLines)));
    fromNative(gpu, compiled(emulator::module::kVectorAdd, kWithLines));
    EXPECT_EQ(kinds, (std::vector<std::uint32_t>{ZETL_IMAGE_PATCH_TOKENS, ZETL_IMAGE_PATCH_TOKENS, ZETL_IMAGE_ZEBIN}));
    ASSERT_EQ(modules.rewrite_before_load(nullptr, nullptr), ZETL_OK);
}
TEST(ToolsPatchTokens, RewriterIsToldOfThem) { EXPECT_RUNS(emulated("rewriterIsToldOfPatchTokens")); }

/// A module's native binary is the container that it came in, and runs as often as it is loaded.
SCENARIO(patchTokensRunAgain) {
    constexpr int kItems = 64;
    const Gpu gpu;
    const auto first = fromNative(gpu, patchTokens(kWithLines));
    std::size_t size = 0;
    ASSERT_OK(zeModuleGetNativeBinary(first, &size, nullptr));
    Bytes native(size);
    ASSERT_OK(zeModuleGetNativeBinary(first, &size, native.data()));
    EXPECT_EQ(native, patchTokens(kWithLines));
    for (const Bytes& binary : {native, bare(native)}) {
        const auto kernel = Gpu::kernelOf(fromNative(gpu, binary), "add", kItems);
        auto* a = gpu.shared(kItems);
        auto* b = gpu.shared(kItems);
        auto* c = gpu.shared(kItems);
        for (int i = 0; i < kItems; ++i) {
            a[i] = i;
            b[i] = 7 * i;
        }
        Gpu::arguments(kernel, a, b, c);
        const auto list = gpu.list();
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
        ASSERT_OK(gpu.run(list));
        for (int i = 0; i < kItems; ++i) EXPECT_EQ(c[i], 8 * i);
    }
}
TEST(ToolsPatchTokens, RunAgain) { EXPECT_RUNS(emulated("patchTokensRunAgain")); }

constexpr auto kFormat = ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF;

/// By the first of the call's idioms: the size is asked for.
Bytes debugInfoOf(ze_module_handle_t module) {
    std::size_t size = 0;
    EXPECT_OK(zetModuleGetDebugInfo(module, kFormat, &size, nullptr));
    Bytes info(size);
    EXPECT_OK(zetModuleGetDebugInfo(module, kFormat, &size, info.data()));
    return info;
}

/// Lines of the source that the kernel's instructions have.
std::set<int> linesOf(const Bytes& image, const std::string& kernel) {
    std::string failure;
    const auto read = correlation::Binary::read(image, failure);
    EXPECT_TRUE(read) << failure;
    std::set<int> lines;
    for (const auto& each : read->kernels()) {
        if (each.name != kernel) continue;
        EXPECT_NE(each.address, 0u);
        for (const auto& instruction : read->instructions(each))
            for (const auto& place : read->sourceOf(each, instruction.offset)) lines.insert(place.line);
    }
    return lines;
}

SCENARIO(debugInfoOfPatchTokensIsAPlacedElf) {
    const Gpu gpu;
    for (const char* flags : {kWithLines, kWithoutLines}) {
        for (const Bytes& binary : {patchTokens(flags), bare(patchTokens(flags))}) {
            const auto module = fromNative(gpu, binary);
            const auto image = debugInfoOf(module);
            Elf64_Ehdr header;
            ASSERT_GT(image.size(), sizeof header);
            std::memcpy(&header, image.data(), sizeof header);
            EXPECT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
            EXPECT_EQ(header.e_type, ET_EXEC);
            EXPECT_EQ(header.e_machine, binary::kMachineIntelGt);
            EXPECT_GT(header.e_phnum, 0) << "the code has a load address";
            // The other idiom: a buffer that is large enough, and one that is not.
            Bytes large(image.size() + 100, 0xcc);
            std::size_t size = large.size();
            ASSERT_OK(zetModuleGetDebugInfo(module, kFormat, &size, large.data()));
            EXPECT_EQ(size, image.size());
            EXPECT_TRUE(std::equal(image.begin(), image.end(), large.begin()));
            EXPECT_EQ(large[size], 0xcc);
            std::size_t small = image.size() - 1;
            EXPECT_EQ(zetModuleGetDebugInfo(module, kFormat, &small, large.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
            EXPECT_EQ(small, image.size());
            const bool lines = flags == kWithLines && binary::looksLikeElf(binary);  // which lie in the outer ELF
            EXPECT_EQ(linesOf(image, "add").contains(3), lines);
            ASSERT_OK(zeModuleDestroy(module));
        }
    }
}
TEST(ToolsPatchTokens, DebugInfoIsAPlacedElf) { EXPECT_RUNS(emulated("debugInfoOfPatchTokensIsAPlacedElf")); }

/// What other people's readers say of an image.
SCENARIO(binutilsReadsTheDebugInfoOfPatchTokens) {
    const Gpu gpu;
    for (const char* flags : {kWithLines, kWithoutLines}) {
        const auto image = debugInfoOf(fromNative(gpu, patchTokens(flags)));
        const TemporaryFile file(image);
        const auto outcome = Process({"/usr/bin/env", "readelf", "-aw", "--wide", file.name()}).run();
        EXPECT_TRUE(outcome.good()) << outcome;
        EXPECT_EQ(outcome.times("arning"), 0u) << outcome;
        EXPECT_EQ(outcome.times("rror:"), 0u) << outcome;
        EXPECT_GT(outcome.times(".text.add"), 0u) << outcome;
    }
}
TEST(ToolsPatchTokens, BinutilsReadsTheirDebugInfo) { EXPECT_RUNS(emulated("binutilsReadsTheDebugInfoOfPatchTokens")); }

constexpr const char* kTwoKernels =
    "kernel void first(global int* o) { o[get_global_id(0)] += 1; }\n"
    "kernel void second(global int* o) { o[get_global_id(0)] += 2; }\n";

/// The first file of DWARF in the binary's debug data, that of the kernel `first`, with a section whose first piece is
/// longer than the section.
Bytes withEndless(Bytes binary, const char* section) {
    const auto outer = binary::readElf(binary);
    const auto container = outer->find(binary::patch::kDebugSectionName)->content;
    const auto kernels = binary::readPatchTokenDebug(container.bytes());
    const auto& elf = kernels->at(0).elf;
    EXPECT_EQ(kernels->at(0).name, "first");
    const auto file = binary::readElf(elf.bytes());
    const auto at = file->find(section)->content.begin() - binary.data();
    std::memset(&binary[at], 0x7f, sizeof(std::uint32_t));
    return binary;
}

SCENARIO(damagedDebugDataIsLeftOut) {
    const Gpu gpu;
    const Bytes& whole = compiled(kTwoKernels, kWithLines, false);
    const auto image = debugInfoOf(fromNative(gpu, whole));
    EXPECT_TRUE(linesOf(image, "first").contains(1));
    EXPECT_TRUE(linesOf(image, "second").contains(2));
    for (const char* section : {".debug_info", ".debug_line"}) {
        const auto damaged = debugInfoOf(fromNative(gpu, withEndless(whole, section)));
        EXPECT_TRUE(linesOf(damaged, "first").empty()) << section;
        EXPECT_TRUE(linesOf(damaged, "second").contains(2)) << "the other kernel's is whole";
    }
}
TEST(ToolsPatchTokens, DamagedDebugDataIsLeftOut) {
    const auto outcome = emulated("damagedDebugDataIsLeftOut").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    const std::string start = "the debug image is without the debug data of kernel first: ";
    EXPECT_EQ(outcome.times(start + ".debug_info: a unit reaches beyond the section"), 1u) << outcome;
    EXPECT_EQ(outcome.times(start + ".debug_line: a table reaches beyond the section"), 1u) << outcome;
}

SCENARIO(cutOffDebugDataIsLeftOut) {
    const Gpu gpu;
    Bytes binary = compiled(kTwoKernels, kWithLines, false);
    Elf64_Ehdr header;
    std::memcpy(&header, binary.data(), sizeof header);
    const auto outer = binary::readElf(binary);
    const auto index = outer->find(binary::patch::kDebugSectionName) - outer->sections.data();
    auto* const size = &binary[header.e_shoff + index * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size)];
    for (std::uint64_t kept = 1; kept < outer->sections[index].size; kept = 2 * kept + 1) {
        std::memcpy(size, &kept, sizeof kept);
        const auto image = debugInfoOf(fromNative(gpu, binary));
        EXPECT_TRUE(linesOf(image, "first").empty());
        EXPECT_TRUE(linesOf(image, "second").empty());
    }
}
TEST(ToolsPatchTokens, CutOffDebugDataIsLeftOut) {
    const auto outcome = emulated("cutOffDebugDataIsLeftOut").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_GT(outcome.times("without the debug data of the module: debug data of patch tokens: "), 8u) << outcome;
}

/// The image is made when it is asked for first: here by all threads.
SCENARIO(debugInfoFromSeveralThreads) {
    const Gpu gpu;
    for (const bool zebin : {true, false}) {
        const auto module = fromNative(gpu, compiled(emulator::module::kVectorAdd, kWithLines, zebin));
        constexpr int kThreads = 8;
        constexpr int kCalls = 50;
        std::vector<Bytes> images(kThreads);
        std::barrier together(kThreads);
        std::vector<std::jthread> threads;
        for (Bytes& image : images)
            threads.emplace_back([&] {
                together.arrive_and_wait();
                image = debugInfoOf(module);
                for (int i = 1; i < kCalls; ++i) EXPECT_EQ(debugInfoOf(module), image);
            });
        threads.clear();
        for (const Bytes& image : images) EXPECT_EQ(image, images.front());
        EXPECT_FALSE(images.front().empty());
    }
}
TEST(ToolsPatchTokens, DebugInfoFromSeveralThreads) { EXPECT_RUNS(emulated("debugInfoFromSeveralThreads")); }

/// The driver builds zebin alone: patch tokens of a module that was built with flags come from a rewriter.
SCENARIO(profileTokensOfPatchTokens) {
    const Gpu gpu;
    using Get = const zetl_device_access_t*(std::uint32_t);
    const auto& modules = *gpu.function<Get>(ZETL_DEVICE_ACCESS_FUNCTION)(ZETL_DEVICE_ACCESS_VERSION)->modules;
    const zetl_rewriter_t rewriter = [](void*, zetl_device_t, std::uint32_t, const void*, std::uint64_t,
                                        std::uint64_t* bytes) -> const void* {
        const Bytes& binary = patchTokens("-zet-profile-flags 3");
        *bytes = binary.size();
        return binary.data();
    };
    ASSERT_EQ(modules.rewrite_before_load(rewriter, nullptr), ZETL_OK);
    const auto kernel = Gpu::kernelOf(gpu.module("-zet-profile-flags 3"), "add");
    ASSERT_EQ(modules.rewrite_before_load(nullptr, nullptr), ZETL_OK);
    zetl_profile_tokens_t room{ZETL_STRUCTURE_TYPE_PROFILE_TOKENS, nullptr, 0, nullptr, ZETL_TOKENS_NONE};
    zet_profile_properties_t properties{ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES, &room, 0, 0};
    ASSERT_OK(zetKernelGetProfileInfo(kernel, &properties));
    EXPECT_EQ(properties.flags, 3u);
    ASSERT_GT(room.size, sizeof(zet_profile_free_register_token_t));
    Bytes tokens(room.size);
    room.tokens = tokens.data();
    ASSERT_OK(zetKernelGetProfileInfo(kernel, &properties));
    EXPECT_EQ(properties.numTokens, 1u);
    EXPECT_EQ(room.source, ZETL_TOKENS_OF_COMPILER) << "from token 52, by way of .gtpin_info.add";
    zet_profile_free_register_token_t token;
    std::memcpy(&token, tokens.data(), sizeof token);
    EXPECT_GT(token.count, 0u);
    EXPECT_EQ(token.size, sizeof token + token.count * sizeof(zet_profile_register_sequence_t));
    properties.pNext = nullptr;
    ASSERT_OK(zetKernelGetProfileInfo(Gpu::kernelOf(fromNative(gpu, patchTokens("-zet-profile-flags 3")), "add"),
                                      &properties));
    EXPECT_EQ(properties.flags, 0u) << "native input has no build options";
}
TEST(ToolsPatchTokens, ProfileTokens) { EXPECT_RUNS(emulated("profileTokensOfPatchTokens")); }

/// The kernel `scope` in a bare device binary, with one thing wrong.
class DamagedTokens {
  public:
    template <class T>
    DamagedTokens& set(std::size_t at, const T& value) {
        std::memcpy(&bytes_[at], &value, sizeof value);
        return *this;
    }
    template <class T>
    T get(std::size_t at) const {
        T value;
        std::memcpy(&value, &bytes_[at], sizeof value);
        return value;
    }
    static constexpr std::size_t kProgramTokens = sizeof(binary::patch::ProgramHeader);
    /// Where the header of the first kernel lies.
    std::size_t kernel() const { return kProgramTokens + get<binary::patch::ProgramHeader>(0).patchBytes; }
    std::size_t kernelTokens() const {
        const auto header = get<binary::patch::KernelHeader>(kernel());
        return kernel() + sizeof header + header.nameBytes + header.codeBytes + header.generalBytes +
               header.dynamicBytes + header.surfaceBytes;
    }
    /// Of the first kernel.
    std::size_t token(binary::patch::Token wanted) const {
        const std::size_t end = kernelTokens() + get<binary::patch::KernelHeader>(kernel()).patchBytes;
        for (std::size_t at = kernelTokens(); at < end; at += get<binary::patch::ItemHeader>(at).size)
            if (get<binary::patch::ItemHeader>(at).token == wanted) return at;
        ADD_FAILURE() << "no " << binary::patch::nameOf(wanted);
        return 0;
    }
    void refused(const Gpu& gpu) const {
        const ze_module_desc_t description{
            ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, bytes_.size(), bytes_.data(), "", nullptr};
        ze_module_handle_t module = nullptr;
        EXPECT_EQ(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr),
                  ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    }

  private:
    Bytes bytes_ = bare(compiled(emulator::module::kFunctions, "-cl-std=CL2.0 -cl-opt-disable", false));
};

SCENARIO(damagedTokensAreNamed) {
    const Gpu gpu;
    namespace patch = binary::patch;
    constexpr std::uint32_t kTooMany = 0x7fffffff;
    const DamagedTokens whole;
    const std::size_t kernel = whole.kernel();
    for (const std::size_t field :
         {offsetof(patch::KernelHeader, nameBytes), offsetof(patch::KernelHeader, codeBytes),
          offsetof(patch::KernelHeader, surfaceBytes), offsetof(patch::KernelHeader, patchBytes)})
        DamagedTokens(whole).set(kernel + field, kTooMany).refused(gpu);
    constexpr std::size_t kHeader = sizeof(patch::ItemHeader);
    // A short token as one that is longer; the count of a table; the place of its first entry; a length.
    DamagedTokens(whole).set(whole.token(patch::kPayloadSize), patch::kEnvironment).refused(gpu);
    DamagedTokens(whole).set(whole.token(patch::kRelocationTable) + kHeader, kTooMany).refused(gpu);
    const std::size_t offset = kHeader + sizeof(std::uint32_t) + offsetof(patch::RelocationEntry, offset);
    DamagedTokens(whole).set(whole.token(patch::kRelocationTable) + offset, kTooMany).refused(gpu);
    DamagedTokens(whole).set(whole.token(patch::kValue) + offsetof(patch::ItemHeader, size), kTooMany).refused(gpu);
    const auto first = whole.get<patch::ItemHeader>(DamagedTokens::kProgramTokens);
    ASSERT_TRUE(first.token == patch::kConstantData || first.token == patch::kGlobalData);
    const std::size_t length = first.token == patch::kGlobalData ? 8 : 4;
    DamagedTokens(whole).set(DamagedTokens::kProgramTokens + kHeader + length, kTooMany).refused(gpu);
}
TEST(ToolsPatchTokens, DamagedPartsAreNamed) {
    const auto outcome = emulated("damagedTokensAreNamed").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    for (const char* said :
         {"patch tokens: the name of kernel 0 is cut off", "patch tokens: the instruction heap of kernel 0 is cut off",
          "patch tokens: the surface state heap of kernel 0 is cut off",
          "patch tokens: the token list of kernel 0 is cut off",
          "patch tokens of kernel scope: token 23 (execution environment): it is cut off",
          "patch tokens of kernel scope: token 54 (relocation table): it is cut off",
          "patch tokens: token 54 (relocation table) of kernel scope: offset 2147483647 lies outside",
          "patch tokens of kernel scope: token 17 (value in the payload) has a wrong size",
          "patch tokens: the content of token 4"})
        EXPECT_GE(outcome.times(said), 1u) << said << '\n' << outcome;
}

}  // namespace
}  // namespace zetl::test

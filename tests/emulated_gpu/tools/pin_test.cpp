// Program instrumentation on the emulated GPU, through the stock loader and without any layer.
#include <elf.h>
#include <level_zero/zet_api.h>
#include <ze_tools_layer/instrumentation.h>
#include <ze_tools_layer/profile_tokens.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

ze_kernel_handle_t kernelOf(ze_module_handle_t module, const char* name) {
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
    ze_kernel_handle_t kernel = nullptr;
    EXPECT_OK(zeKernelCreate(module, &description, &kernel));
    return kernel;
}

ze_module_handle_t fromNative(const Gpu& gpu, const std::vector<std::uint8_t>& binary) {
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, binary.size(), binary.data(), "", nullptr};
    ze_module_handle_t module = nullptr;
    EXPECT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr));
    return module;
}

std::vector<std::uint8_t> nativeOf(ze_module_handle_t module) {
    std::size_t size = 0;
    EXPECT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
    std::vector<std::uint8_t> binary(size);
    EXPECT_OK(zeModuleGetNativeBinary(module, &size, binary.data()));
    return binary;
}

zet_profile_properties_t profileOf(ze_module_handle_t module) {
    zet_profile_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES;
    properties.flags = properties.numTokens = 99;
    EXPECT_OK(zetKernelGetProfileInfo(kernelOf(module, "add"), &properties));
    return properties;
}

SCENARIO(profileFlagsAreAcceptedAndReported) {
    const Gpu gpu;
    for (const std::uint32_t flags : {1u, 2u, 3u}) {
        const auto properties = profileOf(gpu.module(("-zet-profile-flags " + std::to_string(flags)).c_str()));
        EXPECT_EQ(properties.flags, flags);
        EXPECT_EQ(properties.numTokens, 0u);
    }
    for (const char* options : {"", "-zet-profile-flags", "-zet-profile-flags ", "-zet-profile-flags garbage"})
        EXPECT_EQ(profileOf(gpu.module(options)).flags, 0u) << options;
}
TEST(ToolsPin, ProfileFlagsAreAcceptedAndReported) { EXPECT_RUNS(emulated("profileFlagsAreAcceptedAndReported")); }

SCENARIO(tokensComeWhereThereIsRoom) {
    const Gpu gpu;
    std::vector<std::string> names;
    for (const auto& extension : listOf(zeDriverGetExtensionProperties, gpu.driver()))
        names.emplace_back(extension.name);
    EXPECT_NE(std::ranges::find(names, ZETL_PROFILE_TOKENS_EXTENSION), names.end());
    const auto kernel = kernelOf(gpu.module("-zet-profile-flags 3"), "add");
    zetl_profile_tokens_t room{ZETL_STRUCTURE_TYPE_PROFILE_TOKENS, nullptr, 0, nullptr, ZETL_TOKENS_NONE};
    zet_profile_properties_t properties{ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES, &room, 0, 0};
    ASSERT_OK(zetKernelGetProfileInfo(kernel, &properties));
    ASSERT_GT(room.size, sizeof(zet_profile_free_register_token_t));
    std::vector<std::uint8_t> tokens(room.size);
    room.tokens = tokens.data();
    ASSERT_OK(zetKernelGetProfileInfo(kernel, &properties));
    EXPECT_EQ(properties.numTokens, 1u);
    EXPECT_NE(room.source, ZETL_TOKENS_NONE);
    zet_profile_free_register_token_t token;
    std::memcpy(&token, tokens.data(), sizeof token);
    EXPECT_EQ(token.size, tokens.size());
    EXPECT_EQ(token.size, sizeof token + token.count * sizeof(zet_profile_register_sequence_t));
    --room.size;
    EXPECT_EQ(zetKernelGetProfileInfo(kernel, &properties), ZE_RESULT_ERROR_INVALID_SIZE);
}
TEST(ToolsPin, TokensComeWhereThereIsRoom) { EXPECT_RUNS(emulated("tokensComeWhereThereIsRoom")); }

SCENARIO(debugInfoIsAnExecutableElf) {
    const Gpu gpu;
    const auto module = gpu.module();
    std::size_t size = 0;
    constexpr auto kFormat = ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF;
    ASSERT_OK(zetModuleGetDebugInfo(module, kFormat, &size, nullptr));
    ASSERT_GT(size, sizeof(Elf64_Ehdr));
    std::vector<std::uint8_t> elf(size);
    std::size_t small = 3;
    EXPECT_EQ(zetModuleGetDebugInfo(module, kFormat, &small, elf.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(small, size);
    ASSERT_OK(zetModuleGetDebugInfo(module, kFormat, &size, elf.data()));
    Elf64_Ehdr header;
    std::memcpy(&header, elf.data(), sizeof header);
    EXPECT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
    EXPECT_EQ(header.e_type, ET_EXEC);
    constexpr int kIntelGt = 205;
    EXPECT_EQ(header.e_machine, kIntelGt);
    EXPECT_GT(header.e_phnum, 0) << "the code has a load address";
    // The compatibility note by which debuggers know the device: owner, type 2 (core family), 0xC08.
    const std::string_view note("\x08\0\0\0\x04\0\0\0\x02\0\0\0IntelGT\0\x08\x0c\0\0", 24);
    EXPECT_NE(std::string_view(reinterpret_cast<const char*>(elf.data()), size).find(note), std::string_view::npos);
}
TEST(ToolsPin, DebugInfoIsAnExecutableElf) { EXPECT_RUNS(emulated("debugInfoIsAnExecutableElf")); }

SCENARIO(nativeBinaryRunsAgain) {
    constexpr int kItems = 64;
    const Gpu gpu;
    const auto binary = nativeOf(gpu.module("-zet-profile-flags 3"));
    const auto module = fromNative(gpu, binary);
    EXPECT_EQ(nativeOf(module), binary);
    EXPECT_EQ(profileOf(module).flags, 0u) << "native input has no build options";
    const auto kernel = kernelOf(module, "add");
    ASSERT_OK(zeKernelSetGroupSize(kernel, kItems, 1, 1));
    auto* a = gpu.shared(kItems);
    auto* b = gpu.shared(kItems);
    auto* c = gpu.shared(kItems);
    for (int i = 0; i < kItems; ++i) {
        a[i] = i;
        b[i] = 7 * i;
    }
    Gpu::arguments(kernel, a, b, c);
    const auto list = gpu.list();
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    for (int i = 0; i < kItems; ++i) EXPECT_EQ(c[i], 8 * i);
}
/// The one instruction of `add` that adds two vectors is made to average them: another opcode.
SCENARIO(patchedNativeBinaryRunsPatched) {
    constexpr int kItems = 64;
    const Gpu gpu;
    auto binary = nativeOf(gpu.module());
    std::string failure;
    const auto program = instrumentation::Program::read(binary, failure);
    ASSERT_TRUE(program) << failure;
    const auto& sections = program->sections();
    const auto section = std::ranges::find_if(sections, [](const auto& s) { return s.name() == "add"; });
    ASSERT_NE(section, sections.end());
    const auto machineCode = section->code();
    const auto code = std::search(binary.begin(), binary.end(), machineCode.begin(), machineCode.end());
    ASSERT_NE(code, binary.end());
    int patched = 0;
    for (const std::uint32_t offset : section->instructions()) {
        const std::string text = section->text(offset);
        const bool vectors =
            text.starts_with("add (32|M0)") && text.ends_with(":d") && text.find(":q") == std::string::npos;
        if (!vectors || text.find(" 0x") != std::string::npos) continue;
        std::uint8_t& opcode = code[offset];
        constexpr std::uint8_t kAverage = 0x42;
        constexpr std::uint8_t kOpcodeBits = 0x7f;
        opcode = static_cast<std::uint8_t>((opcode & ~kOpcodeBits) | kAverage);
        ++patched;
    }
    ASSERT_EQ(patched, 1) << "the instruction that adds";
    const auto kernel = kernelOf(fromNative(gpu, binary), "add");
    ASSERT_OK(zeKernelSetGroupSize(kernel, kItems, 1, 1));
    auto* a = gpu.shared(kItems);
    auto* b = gpu.shared(kItems);
    auto* c = gpu.shared(kItems);
    for (int i = 0; i < kItems; ++i) {
        a[i] = 100 * i;
        b[i] = i;
    }
    Gpu::arguments(kernel, a, b, c);
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    for (int i = 0; i < kItems; ++i) EXPECT_EQ(c[i], (101 * i + 1) / 2);
}
TEST(ToolsPin, PatchedNativeBinaryRunsPatched) { EXPECT_RUNS(emulated("patchedNativeBinaryRunsPatched")); }

TEST(ToolsPin, NativeBinaryRunsAgain) { EXPECT_RUNS(emulated("nativeBinaryRunsAgain")); }

}  // namespace
}  // namespace zetl::test

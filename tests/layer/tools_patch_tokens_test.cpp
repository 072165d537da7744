// Modules in patch tokens, the container of Debian 12's driver, on the emulated GPU through the stock loader.
#include <level_zero/zet_api.h>
#include <ze_tools_layer/device_access.h>

#include "binary/elf_file.h"
#include "binary/patch_token_format.h"
#include "driver_gpu.h"
#include "support/scenario.h"
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

}  // namespace
}  // namespace zetl::test

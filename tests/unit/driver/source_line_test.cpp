// From an address in a loaded module to its line of source, in both containers.
#include "emulator/driver/program/source_line.h"

#include <set>

#include "direct.h"
#include "emulator/driver/program/module.h"
#include "module/compiled.h"

namespace zetl::emulator::driver::test {
namespace {

constexpr const char* kSource =
    "kernel void thrice(global int* a) {\n"  // line 1
    "    int i = get_global_id(0);\n"
    "    a[i] *= 3;\n"
    "}\n";

class SourceLine : public DriverTest, public testing::WithParamInterface<bool> {
  protected:
    /// What comes behind the file's name for the addresses of the module's code.
    std::set<std::string> linesOf(const char* flags) const {
        const auto& binary = module::compiled(kSource, flags, GetParam());
        const ze_module_desc_t description{
            ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, binary.size(), binary.data(), "", nullptr};
        ze_module_handle_t handle = nullptr;
        EXPECT_OK(CALL(zeModuleCreate)(context, device, &description, &handle, nullptr));
        const auto found = find<Module>(handle);
        EXPECT_TRUE(found);
        const Module& module = **found;
        const std::uint64_t start = module.linked().kernelAddress(module.image().kernels.at(0));
        std::set<std::string> lines;
        constexpr std::uint64_t kStep = 8;
        for (std::uint64_t at = 0; at < module.image().code[0].bytes.size(); at += kStep) {
            const std::string line = sourceLine(module, start + at);
            lines.insert(line.substr(line.rfind('/') + 1));
        }
        EXPECT_EQ(sourceLine(module, start - kStep), "");
        EXPECT_OK(CALL(zeModuleDestroy)(handle));
        lines.erase("");
        return lines;
    }
};

TEST_P(SourceLine, OfEachInstruction) {
    const auto lines = linesOf("-cl-std=CL2.0 -g");
    EXPECT_TRUE(lines.contains("module.cl:3"));
    EXPECT_LE(lines.size(), 4u);
}

TEST_P(SourceLine, IsNotKnownWithoutDebugData) { EXPECT_TRUE(linesOf("-cl-std=CL2.0").empty()); }

INSTANTIATE_TEST_SUITE_P(Containers, SourceLine, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "zebin" : "patchTokens"; });

}  // namespace
}  // namespace zetl::emulator::driver::test

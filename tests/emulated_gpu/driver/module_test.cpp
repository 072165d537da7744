// Modules and kernels of the emulated GPU, through the stock loader.
#include <elf.h>

#include <cstring>
#include <span>
#include <string_view>

#include "emulated_gpu/gpu.h"
#include "support/archive.h"
#include "support/level_zero.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

std::vector<std::uint8_t> nativeBinary(ze_module_handle_t module) {
    std::size_t size = 0;
    EXPECT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
    std::vector<std::uint8_t> binary(size);
    EXPECT_OK(zeModuleGetNativeBinary(module, &size, binary.data()));
    return binary;
}

/// What making a module of a native binary answers, and says.
struct Made {
    ze_result_t result = ZE_RESULT_SUCCESS;
    ze_module_handle_t module = nullptr;
    std::string log;

    Made(const Gpu& gpu, std::span<const std::uint8_t> binary) {
        const ze_module_desc_t description{ZE_STRUCTURE_TYPE_MODULE_DESC,
                                           nullptr,
                                           ZE_MODULE_FORMAT_NATIVE,
                                           binary.size(),
                                           binary.data(),
                                           nullptr,
                                           nullptr};
        ze_module_build_log_handle_t words = nullptr;
        result = zeModuleCreate(gpu.context(), gpu.device(), &description, &module, &words);
        if (words) log = takeBuildLog(words);
    }
};

void writesIds(const Gpu& gpu, ze_module_handle_t module) {
    const ze_kernel_desc_t wanted{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "writeIds"};
    ze_kernel_handle_t kernel = nullptr;
    ASSERT_OK(zeKernelCreate(module, &wanted, &kernel));
    ASSERT_OK(zeKernelSetGroupSize(kernel, 16, 1, 1));
    auto* out = gpu.shared<std::uint32_t>(16);
    Gpu::arguments(kernel, out, std::uint32_t{7});
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    EXPECT_EQ(out[15], 105u);
}

SCENARIO(nativeBinariesGoRound) {
    const Gpu gpu;
    const auto binary = nativeBinary(gpu.module());
    EXPECT_EQ(std::memcmp(binary.data(), "\177ELF", 4), 0);
    const Made made(gpu, binary);
    ASSERT_OK(made.result);
    writesIds(gpu, made.module);
}

std::string_view textOf(const std::vector<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The same binary for an unknown product: its notes name another family.
std::vector<std::uint8_t> foreign(std::vector<std::uint8_t> binary) {
    constexpr std::string_view kFirstNote{"IntelGT\0\xf7\x04", 10};
    const std::size_t note = textOf(binary).find(kFirstNote);
    EXPECT_NE(note, std::string_view::npos);
    if (note != std::string_view::npos) binary[note + 8] = 0;
    return binary;
}

SCENARIO(archivesHaveABinaryForTheDevice) {
    const Gpu gpu;
    const auto binary = nativeBinary(gpu.module());
    const Made made(gpu, Archive().add("64.9.0.9", "of another").add("64.12.60.7", textOf(binary)).bytes());
    ASSERT_OK(made.result);
    EXPECT_EQ(nativeBinary(made.module), binary);
    writesIds(gpu, made.module);
    const Made none(gpu, Archive().add("64.9.0.9", textOf(binary)).add("64.dg2", "x").bytes());
    EXPECT_EQ(none.result, ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    EXPECT_NE(none.log.find("it has 64.9.0.9, 64.dg2"), std::string::npos) << none.log;
}
TEST(Modules, ArchivesHaveABinaryForTheDevice) { EXPECT_RUNS(emulated("archivesHaveABinaryForTheDevice")); }

SCENARIO(foreignBinariesAreBuiltFromTheirSpirv) {
    const Gpu gpu;
    const auto binary = foreign(nativeBinary(gpu.module()));
    const Archive archive = Archive().add("64.9.0.9", "x").add("generic_ir", textOf(binary));
    for (const auto bytes : {std::span<const std::uint8_t>(binary), archive.bytes()}) {
        const Made made(gpu, bytes);
        ASSERT_OK(made.result) << made.log;
        EXPECT_NE(made.log.find("built from the SPIR-V that the binary carries"), std::string::npos) << made.log;
        writesIds(gpu, made.module);
    }
}
TEST(Modules, ForeignBinariesAreBuiltFromTheirSpirv) { EXPECT_RUNS(emulated("foreignBinariesAreBuiltFromTheirSpirv")); }

TEST(Modules, NativeBinariesGoRound) { EXPECT_RUNS(emulated("nativeBinariesGoRound")); }

SCENARIO(modulesWithoutKernels) {
    const Gpu gpu;
    // OpCapability Addresses, Linkage and Kernel; OpMemoryModel Physical64 OpenCL.
    const std::uint32_t words[] = {0x07230203, 0x00010000, 0,          1, 0,          0x00020011, 4,
                                   0x00020011, 5,          0x00020011, 6, 0x0003000e, 2,          2};
    const ze_module_desc_t description{ZE_STRUCTURE_TYPE_MODULE_DESC,
                                       nullptr,
                                       ZE_MODULE_FORMAT_IL_SPIRV,
                                       sizeof words,
                                       reinterpret_cast<const std::uint8_t*>(words),
                                       nullptr,
                                       nullptr};
    ze_module_handle_t module = nullptr;
    ASSERT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr));
    std::uint32_t count = 7;
    EXPECT_OK(zeModuleGetKernelNames(module, &count, nullptr));
    EXPECT_EQ(count, 0u);
    EXPECT_OK(zeModuleDestroy(module));
}
TEST(Modules, MayHaveNoKernels) { EXPECT_RUNS(emulated("modulesWithoutKernels")); }

/// A program of SPIR-V modules, as a chained description.
struct Program {
    explicit Program(std::initializer_list<const char*> names) {
        for (const char* name : names)
            files.push_back(readFile(inBuildTree(std::string("tests/emulated_gpu/kernels/") + name)));
        for (const auto& file : files) {
            sizes.push_back(file.size());
            bytes.push_back(file.data());
        }
        parts.count = static_cast<std::uint32_t>(files.size());
        parts.inputSizes = sizes.data();
        parts.pInputModules = bytes.data();
    }
    ze_result_t build(const Gpu& gpu, ze_module_handle_t* module, ze_module_build_log_handle_t* log = nullptr,
                      ze_module_format_t format = ZE_MODULE_FORMAT_IL_SPIRV) const {
        const ze_module_desc_t description{ZE_STRUCTURE_TYPE_MODULE_DESC, &parts, format, 0, nullptr, nullptr, nullptr};
        return zeModuleCreate(gpu.context(), gpu.device(), &description, module, log);
    }
    std::vector<std::vector<std::uint8_t>> files;
    std::vector<std::size_t> sizes;
    std::vector<const std::uint8_t*> bytes;
    ze_module_program_exp_desc_t parts{
        ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC, nullptr, 0, nullptr, nullptr, nullptr, nullptr};
};

SCENARIO(programsAreLinked) {
    const Gpu gpu;
    ze_module_handle_t module = nullptr;
    ASSERT_OK(Program({"driver_caller.spv", "driver_callee.spv"}).build(gpu, &module));
    const ze_kernel_desc_t wanted{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "call"};
    ze_kernel_handle_t kernel = nullptr;
    ASSERT_OK(zeKernelCreate(module, &wanted, &kernel));
    ASSERT_OK(zeKernelSetGroupSize(kernel, 4, 1, 1));
    auto* data = gpu.shared(4);
    for (int i = 0; i < 4; ++i) data[i] = i;
    Gpu::arguments(kernel, data);
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(data[i], 3 * i);
}
TEST(Modules, ProgramsAreLinked) { EXPECT_RUNS(emulated("programsAreLinked")); }

SCENARIO(badProgramsAreRefused) {
    const Gpu gpu;
    ze_module_handle_t module = nullptr;
    ze_module_build_log_handle_t log = nullptr;
    Program twice({"driver_callee.spv", "driver_callee.spv"});
    EXPECT_EQ(twice.build(gpu, &module, &log), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE) << "two definitions";
    EXPECT_FALSE(takeBuildLog(log).empty());
    EXPECT_EQ(twice.build(gpu, &module, nullptr, ZE_MODULE_FORMAT_NATIVE), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    twice.bytes[1] = reinterpret_cast<const std::uint8_t*>("no SPIR-V but long enough to be looked at");
    twice.sizes[1] = 40;
    EXPECT_EQ(twice.build(gpu, &module), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    twice.bytes[1] = nullptr;
    EXPECT_EQ(twice.build(gpu, &module), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    twice.parts.inputSizes = nullptr;
    EXPECT_EQ(twice.build(gpu, &module), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    twice.parts.count = 0;
    EXPECT_EQ(twice.build(gpu, &module), ZE_RESULT_ERROR_INVALID_SIZE);
}
TEST(Modules, BadProgramsAreRefused) { EXPECT_RUNS(emulated("badProgramsAreRefused")); }

SCENARIO(damagedInputIsRefused) {
    const Gpu gpu;
    const std::uint8_t noise[64] = {0x7f, 'E', 'L', 'F', 2, 1};
    const struct {
        ze_module_format_t format;
        ze_result_t expected;
    } cases[] = {{ZE_MODULE_FORMAT_NATIVE, ZE_RESULT_ERROR_INVALID_NATIVE_BINARY},
                 {ZE_MODULE_FORMAT_IL_SPIRV, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE}};
    for (const auto& each : cases) {
        const ze_module_desc_t description{
            ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, each.format, sizeof noise, noise, nullptr, nullptr};
        ze_module_handle_t module = nullptr;
        ze_module_build_log_handle_t log = nullptr;
        EXPECT_EQ(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, &log), each.expected);
        ASSERT_NE(log, nullptr);
        EXPECT_FALSE(takeBuildLog(log).empty());
    }
}
TEST(Modules, DamagedInputIsRefused) { EXPECT_RUNS(emulated("damagedInputIsRefused")); }

/// The native binary of a module that works, with each named section damaged: the content of tables and descriptions
/// made senseless, the place of the others moved out of the file.
class Damaged {
  public:
    explicit Damaged(std::vector<std::uint8_t> whole) : bytes(std::move(whole)) {}

    template <class Damage>
    Damaged& section(const std::string& name, Damage damage) {
        const auto header = at<Elf64_Ehdr>(0);
        const auto names = at<Elf64_Shdr>(header.e_shoff + header.e_shstrndx * sizeof(Elf64_Shdr));
        for (unsigned i = 0; i < header.e_shnum; ++i) {
            const auto place = header.e_shoff + i * sizeof(Elf64_Shdr);
            auto entry = at<Elf64_Shdr>(place);
            if (name != reinterpret_cast<const char*>(&bytes[names.sh_offset + entry.sh_name])) continue;
            damage(entry, bytes.data() + entry.sh_offset);
            std::memcpy(&bytes[place], &entry, sizeof entry);
            found = true;
        }
        return *this;
    }

    /// What the driver says of it.
    std::string refusal(const Gpu& gpu) const {
        const ze_module_desc_t description{
            ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, bytes.size(), bytes.data(), "", nullptr};
        ze_module_handle_t module = nullptr;
        ze_module_build_log_handle_t log = nullptr;
        EXPECT_TRUE(found);
        EXPECT_EQ(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, &log),
                  ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
        return log ? takeBuildLog(log) : std::string();
    }

    std::vector<std::uint8_t> bytes;
    bool found = false;

  private:
    template <class T>
    T at(std::uint64_t offset) const {
        T value;
        std::memcpy(&value, &bytes[offset], sizeof value);
        return value;
    }
};

SCENARIO(damagedSectionsAreNamed) {
    const Gpu gpu;
    std::size_t size = 0;
    const auto module = gpu.module("-g");
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
    std::vector<std::uint8_t> whole(size);
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, whole.data()));
    const auto beyond = [](Elf64_Shdr& entry, std::uint8_t*) { entry.sh_size = UINT64_MAX / 2; };
    for (const char* name : {".text.add", ".ze_info", ".symtab"})
        EXPECT_NE(Damaged(whole).section(name, beyond).refusal(gpu).find(name), std::string::npos) << name;
    const auto senseless = [](Elf64_Shdr& entry, std::uint8_t* content) { std::memset(content, '[', entry.sh_size); };
    EXPECT_NE(Damaged(whole).section(".ze_info", senseless).refusal(gpu).find(".ze_info"), std::string::npos);
    const auto unlinked = [](Elf64_Shdr& entry, std::uint8_t*) { entry.sh_link = 60'000; };
    EXPECT_NE(Damaged(whole).section(".symtab", unlinked).refusal(gpu).find(".symtab"), std::string::npos);
}
TEST(Modules, DamagedSectionsAreNamed) {
    const auto outcome = emulated("damagedSectionsAreNamed").with("ZETL_LOG", "emulator=warn").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("section .ze_info reaches beyond"), std::string::npos)
        << "in the log, too" << outcome;
}

/// The number behind a key of a kernel's part of .ze_info.
std::uint32_t numberOf(const std::string& zeInfo, const std::string& kernel, const std::string& key) {
    const auto part = zeInfo.find(kernel);
    const auto place = zeInfo.find(key, part);
    EXPECT_NE(place, std::string::npos) << zeInfo;
    return static_cast<std::uint32_t>(std::strtoul(zeInfo.c_str() + place + key.size(), nullptr, 10));
}

// Generators of machine code rely on it: what stands in front of that place was never executed on this hardware.
SCENARIO(threadsStartBehindTheLoadOfTheirIds) {
    const Gpu gpu;
    std::size_t size = 0;
    const auto module = gpu.module();
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
    std::vector<std::uint8_t> whole(size);
    ASSERT_OK(zeModuleGetNativeBinary(module, &size, whole.data()));
    Damaged binary(whole);
    std::uint32_t skipped = 0;
    binary.section(".ze_info", [&](const Elf64_Shdr& entry, const std::uint8_t* content) {
        const std::string text(content, content + entry.sh_size);
        skipped = numberOf(text, "writeIds", "offset_to_skip_per_thread_data_load:");
    });
    ASSERT_NE(skipped, 0u);
    binary.section(".text.writeIds", [&](const Elf64_Shdr&, std::uint8_t* code) { std::memset(code, 0, skipped); });
    const ze_module_desc_t description{ZE_STRUCTURE_TYPE_MODULE_DESC,
                                       nullptr,
                                       ZE_MODULE_FORMAT_NATIVE,
                                       binary.bytes.size(),
                                       binary.bytes.data(),
                                       "",
                                       nullptr};
    ze_module_handle_t changed = nullptr;
    ASSERT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &changed, nullptr));
    const auto kernel = Gpu::kernelOf(changed, "writeIds");
    const auto runs = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
        auto* out = gpu.shared<std::uint32_t>(128);
        EXPECT_OK(zeKernelSetGroupSize(kernel, x, y, z));
        Gpu::arguments(kernel, out, std::uint32_t{7});
        const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        const ze_group_count_t groups{128 / x, 1, 1};
        const ze_result_t result = zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr);
        for (std::uint32_t i = 0; i < 128 && result == ZE_RESULT_SUCCESS; ++i)
            EXPECT_EQ(out[i], i < 128 / x * x ? i * 7 : 0);
        return result;
    };
    EXPECT_OK(runs(64, 1, 1));
    EXPECT_OK(runs(50, 1, 1)) << "it counts by masks in all dimensions but the last";
    EXPECT_OK(runs(16, 4, 2));
    EXPECT_EQ(runs(3, 5, 7), ZE_RESULT_ERROR_DEVICE_LOST) << "here it does not make them";
}
TEST(Modules, ThreadsStartBehindTheLoadOfTheirIds) { EXPECT_RUNS(emulated("threadsStartBehindTheLoadOfTheirIds")); }

SCENARIO(namesAndProperties) {
    const Gpu gpu;
    const auto module = gpu.module();
    const auto names = listOf(zeModuleGetKernelNames, module);
    EXPECT_NE(std::find_if(names.begin(), names.end(), [](const char* name) { return std::string(name) == "reverse"; }),
              names.end());
    const auto kernel = gpu.kernel("add", 8);
    ze_kernel_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
    ASSERT_OK(zeKernelGetProperties(kernel, &properties));
    EXPECT_EQ(properties.numKernelArgs, 3u);
    EXPECT_TRUE(properties.maxSubgroupSize == 16 || properties.maxSubgroupSize == 32);
    EXPECT_EQ(properties.spillMemSize, 0u);
    ASSERT_OK(zeKernelGetProperties(gpu.kernel("keepsMuch", 8), &properties));
    EXPECT_GE(properties.spillMemSize, 300 * sizeof(int));
    std::size_t length = 0;
    ASSERT_OK(zeKernelGetName(kernel, &length, nullptr));
    std::string name(length, '\0');
    ASSERT_OK(zeKernelGetName(kernel, &length, name.data()));
    EXPECT_STREQ(name.c_str(), "add");
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
    ASSERT_OK(zeKernelSuggestGroupSize(kernel, 96, 10, 1, &x, &y, &z));
    EXPECT_EQ(96 % x + 10 % y, 0u);
    EXPECT_LE(x * y * z, 1024u);
}
TEST(Modules, NamesAndProperties) { EXPECT_RUNS(emulated("namesAndProperties")); }

SCENARIO(wrongUseIsRefused) {
    const Gpu gpu;
    const ze_kernel_desc_t unknown{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "absent"};
    ze_kernel_handle_t none = nullptr;
    EXPECT_EQ(zeKernelCreate(gpu.module(), &unknown, &none), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
    const auto kernel = gpu.kernel("add", 8);
    EXPECT_EQ(zeKernelSetArgumentValue(kernel, 3, 8, nullptr), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    EXPECT_EQ(zeKernelSetArgumentValue(kernel, 0, 2, &kernel), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    EXPECT_EQ(zeKernelSetGroupSize(kernel, 0, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    EXPECT_EQ(zeKernelSetGroupSize(kernel, 4096, 1, 1), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
    void* pointer = nullptr;
    EXPECT_EQ(zeModuleGetGlobalPointer(gpu.module(), "absent", nullptr, &pointer), ZE_RESULT_ERROR_INVALID_GLOBAL_NAME);
    EXPECT_EQ(zeModuleGetFunctionPointer(gpu.module(), "absent", &pointer), ZE_RESULT_ERROR_INVALID_FUNCTION_NAME);
}
TEST(Modules, WrongUseIsRefused) { EXPECT_RUNS(emulated("wrongUseIsRefused")); }

SCENARIO(globalsAreReachable) {
    const Gpu gpu;
    const auto module = gpu.module();
    std::size_t size = 0;
    void* variable = nullptr;
    ASSERT_OK(zeModuleGetGlobalPointer(module, "variable", &size, &variable));
    EXPECT_EQ(size, sizeof(int));
    // oneDNN asks what its constants are.
    ze_memory_allocation_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
    ze_device_handle_t owner = nullptr;
    ASSERT_OK(zeMemGetAllocProperties(gpu.context(), variable, &properties, &owner));
    EXPECT_EQ(properties.type, ZE_MEMORY_TYPE_DEVICE);
    EXPECT_NE(properties.id, 0u);
    EXPECT_EQ(owner, gpu.device());
    void* base = nullptr;
    std::size_t bytes = 0;
    ASSERT_OK(zeMemGetAddressRange(gpu.context(), variable, &base, &bytes));
    EXPECT_LE(base, variable);
    EXPECT_GE(static_cast<char*>(base) + bytes, static_cast<char*>(variable) + size);
    EXPECT_EQ(zeMemFree(gpu.context(), base), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "it is the module's";
    const ze_kernel_desc_t wanted{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "useGlobals"};
    ze_kernel_handle_t kernel = nullptr;
    ASSERT_OK(zeKernelCreate(module, &wanted, &kernel));
    auto* out = gpu.shared(1);
    Gpu::arguments(kernel, out);
    const int hundred = 100;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_EQ(*out, 37);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, variable, &hundred, sizeof hundred, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    EXPECT_EQ(*out, 130);
}
TEST(Modules, GlobalsAreReachable) { EXPECT_RUNS(emulated("globalsAreReachable")); }

SCENARIO(theDeviceSaysWhatItIs) {
    const Gpu gpu;
    std::uint32_t count = 0;
    ASSERT_OK(zeDriverGetExtensionProperties(gpu.driver(), &count, nullptr));
    std::vector<ze_driver_extension_properties_t> extensions(count);
    ASSERT_OK(zeDriverGetExtensionProperties(gpu.driver(), &count, extensions.data()));
    const auto has = [&](const char* name) {
        return std::any_of(extensions.begin(), extensions.end(),
                           [&](const auto& each) { return !std::strcmp(each.name, name); });
    };
    EXPECT_TRUE(has("ZETL_extension_emulated_device"));
    EXPECT_TRUE(has("ZE_extension_driver_ddi_handles"));
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    EXPECT_NE(std::string(properties.name).find("emulated"), std::string::npos);
    EXPECT_EQ(properties.numSlices * properties.numSubslicesPerSlice * properties.numEUsPerSubslice, 512u);
}
TEST(Modules, TheDeviceSaysWhatItIs) { EXPECT_RUNS(emulated("theDeviceSaysWhatItIs", "max1550")); }

}  // namespace
}  // namespace zetl::test

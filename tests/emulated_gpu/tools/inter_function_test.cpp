// Inter-function instrumentation, as the tools guide describes it: tracers that redirect the functions of an
// application to functions of the tool's, and that swap its modules or its kernels for instrumented ones. The
// application is the same in all, knows nothing of tools, and goes through the stock loader with the layer in its slot.
#include <level_zero/zet_api.h>
#include <ze_tools_layer/instrumentation.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "support/level_zero.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

ze_module_handle_t moduleOf(const Gpu& gpu, const ze_module_desc_t& description) {
    ze_module_handle_t module = nullptr;
    EXPECT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr));
    return module;
}

ze_module_handle_t build(const Gpu& gpu, const char* file, const char* flags) {
    const auto spirv = readFile(inBuildTree(std::string("tests/emulated_gpu/kernels/") + file));
    return moduleOf(gpu, {ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, spirv.size(), spirv.data(),
                          flags, nullptr});
}

constexpr const char* kLibrary = "-ze-library-compilation";

/// Two modules; a kernel of one calls a function of the other.
class Application {
  public:
    Application() : callee_(build(gpu_, "driver_callee.spv", kLibrary)) {}

    /// 3 x for x = 0, 1, 2, 3, the function found by its address.
    std::vector<int> callsByPointer() const {
        const auto caller = build(gpu_, "driver_pointer.spv", kLibrary);
        void* function = nullptr;
        EXPECT_OK(zeModuleGetFunctionPointer(callee_, "scaled", &function));
        return launch(caller, "apply", function);
    }

    /// The same, the modules linked.
    std::vector<int> callsByName() const {
        ze_module_handle_t modules[] = {build(gpu_, "driver_caller.spv", kLibrary), callee_};
        EXPECT_OK(zeModuleDynamicLink(2, modules, nullptr));
        return launch(modules[0], "call");
    }

  private:
    template <class... A>
    std::vector<int> launch(ze_module_handle_t module, const char* name, const A&... more) const {
        const ze_kernel_desc_t wanted{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
        ze_kernel_handle_t kernel = nullptr;
        EXPECT_OK(zeKernelCreate(module, &wanted, &kernel));
        EXPECT_OK(zeKernelSetGroupSize(kernel, 4, 1, 1));
        auto* const data = gpu_.shared(4);
        for (int i = 0; i < 4; ++i) data[i] = i;
        Gpu::arguments(kernel, data, more...);
        const auto list = gpu_.list();
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
        EXPECT_OK(gpu_.run(list));
        return {data, data + 4};
    }

    const Gpu gpu_;
    ze_module_handle_t callee_;
};

const std::vector kRight{0, 3, 6, 9};
const std::vector kRedirected{1000, 1003, 1006, 1009};

/// A tool: its tracer's callbacks get the object.
class Tool {
  public:
    Tool() {
        const zel_tracer_desc_t description{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, this};
        EXPECT_OK(zelTracerCreate(&description, &tracer));
    }
    ~Tool() {
        EXPECT_OK(zelTracerSetEnabled(tracer, false));
        EXPECT_OK(zelTracerDestroy(tracer));
    }
    Tool(const Tool&) = delete;
    Tool& operator=(const Tool&) = delete;

    void enable() const { EXPECT_OK(zelTracerSetEnabled(tracer, true)); }

    const Gpu gpu;
    zel_tracer_handle_t tracer = nullptr;
};

/// Its module with `scaled`, and the variables of that.
class Interceptor : public Tool {
  public:
    Interceptor() : module(build(gpu, "driver_interceptor.spv", kLibrary)) {
        EXPECT_OK(zeModuleGetFunctionPointer(module, "scaled", &function));
    }

    void setOriginal(void* address) const { copy(variable("original"), &address, sizeof address); }
    int calls() const {
        int count = -1;
        copy(&count, variable("calls"), sizeof count);
        return count;
    }

    ze_module_handle_t module;
    void* function = nullptr;

  private:
    void* variable(const char* name) const {
        void* address = nullptr;
        EXPECT_OK(zeModuleGetGlobalPointer(module, name, nullptr, &address));
        return address;
    }
    void copy(void* target, const void* source, std::size_t bytes) const {
        const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        EXPECT_OK(zeCommandListAppendMemoryCopy(list, target, source, bytes, nullptr, 0, nullptr));
    }
};

SCENARIO(functionPointersAreRedirected) {
    Interceptor tool;
    zelTracerModuleGetFunctionPointerRegisterCallback(
        tool.tracer, ZEL_REGISTER_EPILOGUE,
        [](ze_module_get_function_pointer_params_t* call, ze_result_t, void* user, void**) {
            const auto& interceptor = *static_cast<Interceptor*>(user);
            interceptor.setOriginal(**call->ppfnFunction);
            **call->ppfnFunction = interceptor.function;
        });
    tool.enable();
    const Application application;
    EXPECT_EQ(application.callsByPointer(), kRedirected);
    EXPECT_EQ(tool.calls(), 4);
    EXPECT_EQ(application.callsByName(), kRight) << "which has the application's own";
    EXPECT_EQ(tool.calls(), 4);
}

/// Of several modules that define a function the first one's is taken, so the tool's goes in front.
SCENARIO(linkedFunctionsAreRedirected) {
    struct Linker : Interceptor {
        std::vector<ze_module_handle_t> modules;
        ze_module_handle_t* first = nullptr;
    } tool;
    zelTracerModuleDynamicLinkRegisterCallback(
        tool.tracer, ZEL_REGISTER_PROLOGUE, [](ze_module_dynamic_link_params_t* call, ze_result_t, void* user, void**) {
            auto& linker = *static_cast<Linker*>(user);
            linker.modules = {linker.module};
            linker.modules.insert(linker.modules.end(), *call->pphModules, *call->pphModules + *call->pnumModules);
            linker.first = linker.modules.data();
            *call->pphModules = linker.first;
            ++*call->pnumModules;
            void* address = nullptr;
            EXPECT_OK(zeModuleGetFunctionPointer(linker.modules.back(), "scaled", &address));
            linker.setOriginal(address);
        });
    tool.enable();
    EXPECT_EQ(Application().callsByName(), kRedirected);
    EXPECT_EQ(tool.calls(), 4);
}

/// Makes of each module of the application one that counts its blocks.
class Counter : public Tool {
  public:
    ze_module_handle_t counted(ze_module_handle_t module) {
        std::string failure;
        const auto program = instrumentation::Program::read(nativeOf(module), failure);
        EXPECT_TRUE(program) << failure;
        for (instrumentation::Section& section : program->sections()) count(section);
        const auto binary = program->write(failure);
        EXPECT_FALSE(binary.empty()) << failure;
        return moduleOf(gpu, {ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, binary.size(),
                              binary.data(), "", nullptr});
    }

    /// How often threads came to the first instruction of a kernel.
    std::uint64_t entries(const std::string& kernel) const {
        const auto found = entries_.find(kernel);
        return found == entries_.end() ? 0 : *found->second;
    }
    /// And to blocks of functions.
    std::uint64_t inFunctions() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t* each : functions_) sum += *each;
        return sum;
    }

  private:
    static std::vector<std::uint8_t> nativeOf(ze_module_handle_t module) {
        std::size_t size = 0;
        EXPECT_OK(zeModuleGetNativeBinary(module, &size, nullptr));
        std::vector<std::uint8_t> binary(size);
        EXPECT_OK(zeModuleGetNativeBinary(module, &size, binary.data()));
        return binary;
    }

    void count(instrumentation::Section& section) {
        for (const instrumentation::Block& block : section.blocks()) {
            auto* const counter = gpu.shared<std::uint64_t>(1);
            *counter = 0;
            const auto address = reinterpret_cast<std::uint64_t>(counter);
            const auto code = instrumentation::countingCode(section, block.begin, address);
            ASSERT_TRUE(code && section.insertBefore(block.begin, *code)) << section.name() << ' ' << block.begin;
            if (!section.isKernel()) functions_.push_back(counter);
            if (section.isKernel() && block.begin == 0) entries_[section.name()] = counter;
        }
    }

    std::map<std::string, const std::uint64_t*> entries_;
    std::vector<const std::uint64_t*> functions_;
};

/// The tool asks the compiler for what instrumentation needs, by a flag that the application did not give.
SCENARIO(modulesAreSwapped) {
    struct Swapper : Counter {
        std::string flags;
        ze_module_desc_t description{};
        std::vector<ze_module_handle_t> originals;
    } tool;
    zelTracerModuleCreateRegisterCallback(
        tool.tracer, ZEL_REGISTER_PROLOGUE, [](ze_module_create_params_t* call, ze_result_t, void* user, void**) {
            auto& swapper = *static_cast<Swapper*>(user);
            swapper.description = **call->pdesc;
            swapper.flags = std::string(swapper.description.pBuildFlags) + " -zet-profile-flags 2";
            swapper.description.pBuildFlags = swapper.flags.c_str();
            *call->pdesc = &swapper.description;
        });
    zelTracerModuleCreateRegisterCallback(tool.tracer, ZEL_REGISTER_EPILOGUE,
                                          [](ze_module_create_params_t* call, ze_result_t, void* user, void**) {
                                              auto& swapper = *static_cast<Swapper*>(user);
                                              ze_module_handle_t& module = **call->pphModule;
                                              swapper.originals.push_back(module);
                                              module = swapper.counted(module);
                                          });
    tool.enable();
    const Application application;
    EXPECT_EQ(application.callsByPointer(), kRight);
    EXPECT_EQ(tool.entries("apply"), 1u) << "four work-items are one thread";
    const auto byPointer = tool.inFunctions();
    EXPECT_GT(byPointer, 0u) << "the function that was called is the instrumented one";
    EXPECT_EQ(application.callsByName(), kRight);
    EXPECT_EQ(tool.entries("call"), 1u);
    EXPECT_GT(tool.inFunctions(), byPointer);
    ASSERT_EQ(tool.originals.size(), 3u);
    const ze_kernel_desc_t wanted{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "apply"};
    ze_kernel_handle_t kernel = nullptr;
    ASSERT_OK(zeKernelCreate(tool.originals[1], &wanted, &kernel));
    zet_profile_properties_t profile{};
    profile.stype = ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES;
    EXPECT_OK(zetKernelGetProfileInfo(kernel, &profile));
    EXPECT_EQ(profile.flags, ZET_PROFILE_FLAG_FREE_REGISTER_INFO) << "what the prologue asked for";
}

/// The application keeps its module and its kernel; what it does with the kernel is done with the tool's.
SCENARIO(kernelsAreSwapped) {
    struct Swapper : Counter {
        std::map<ze_kernel_handle_t, ze_kernel_handle_t> twins;
        ze_kernel_handle_t operator()(ze_kernel_handle_t kernel) const {
            const auto twin = twins.find(kernel);
            return twin == twins.end() ? kernel : twin->second;
        }
    } tool;
    zelTracerKernelCreateRegisterCallback(
        tool.tracer, ZEL_REGISTER_EPILOGUE, [](ze_kernel_create_params_t* call, ze_result_t, void* user, void**) {
            auto& swapper = *static_cast<Swapper*>(user);
            ze_kernel_handle_t twin = nullptr;
            EXPECT_OK(zeKernelCreate(swapper.counted(*call->phModule), *call->pdesc, &twin));
            swapper.twins[**call->pphKernel] = twin;
        });
    zelTracerKernelSetGroupSizeRegisterCallback(
        tool.tracer, ZEL_REGISTER_PROLOGUE,
        [](ze_kernel_set_group_size_params_t* call, ze_result_t, void* user, void**) {
            *call->phKernel = (*static_cast<Swapper*>(user))(*call->phKernel);
        });
    zelTracerKernelSetArgumentValueRegisterCallback(
        tool.tracer, ZEL_REGISTER_PROLOGUE,
        [](ze_kernel_set_argument_value_params_t* call, ze_result_t, void* user, void**) {
            *call->phKernel = (*static_cast<Swapper*>(user))(*call->phKernel);
        });
    zelTracerCommandListAppendLaunchKernelRegisterCallback(
        tool.tracer, ZEL_REGISTER_PROLOGUE,
        [](ze_command_list_append_launch_kernel_params_t* call, ze_result_t, void* user, void**) {
            *call->phKernel = (*static_cast<Swapper*>(user))(*call->phKernel);
        });
    tool.enable();
    EXPECT_EQ(Application().callsByPointer(), kRight);
    EXPECT_EQ(tool.twins.size(), 1u);
    EXPECT_EQ(tool.entries("apply"), 1u);
    EXPECT_EQ(tool.inFunctions(), 0u) << "functions are the application's own";
}

class InterFunction : public testing::TestWithParam<const char*> {};
TEST_P(InterFunction, IsServed) { EXPECT_RUNS(layered(emulated(GetParam()), Slots::tracing)); }
INSTANTIATE_TEST_SUITE_P(Ways, InterFunction,
                         testing::Values("functionPointersAreRedirected", "linkedFunctionsAreRedirected",
                                         "modulesAreSwapped", "kernelsAreSwapped"));

}  // namespace
}  // namespace zetl::test

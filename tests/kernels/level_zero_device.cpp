#include <fmt/format.h>
#include <level_zero/ze_api.h>

#include <cstring>
#include <stdexcept>
#include <string_view>

#include "binary/native_binary.h"
#include "device_under_test.h"
#include "emulator/module/compiler.h"
#include "isa/xe/architecture.h"
#include "output_capture.h"

namespace zetl::kernels {
namespace {

namespace module = emulator::module;

void check(ze_result_t code, const char* call) {
    if (code != ZE_RESULT_SUCCESS)
        throw std::runtime_error(fmt::format("{} gave {:#x}", call, static_cast<unsigned>(code)));
}

/// The process's one context on the emulated GPU. The test sets the loader's environment.
struct Emulated {
    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;
    ze_command_list_handle_t list = nullptr;
    const isa::xe::Product* product = nullptr;  ///< what is compiled for it

    Emulated() {
        check(zeInit(0), "zeInit");
        std::uint32_t count = 0;
        check(zeDriverGet(&count, nullptr), "zeDriverGet");
        std::vector<ze_driver_handle_t> drivers(count);
        check(zeDriverGet(&count, drivers.data()), "zeDriverGet");
        for (ze_driver_handle_t driver : drivers)
            if (device == nullptr) choose(driver);
        if (device == nullptr) throw std::runtime_error("the loader offers no emulated GPU");
        const ze_command_queue_desc_t queue{.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                            .pNext = nullptr,
                                            .ordinal = 0,
                                            .index = 0,
                                            .flags = 0,
                                            .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
                                            .priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL};
        check(zeCommandListCreateImmediate(context, device, &queue, &list), "zeCommandListCreateImmediate");
    }
    static Emulated& get() {
        static Emulated* const instance = new Emulated;  // the driver is torn down with the process, after destructors
        return *instance;
    }

  private:
    static const isa::xe::Product* productOf(std::uint32_t version) {
        for (const isa::xe::Architecture* architecture : isa::xe::allArchitectures())
            for (const isa::xe::Product* each : architecture->products)
                if (each->ip.packed() == version) return each;
        throw std::runtime_error(fmt::format("the emulated GPU is of version {:#x}, which is none of ours", version));
    }
    /// Takes the driver's first device if it says that it is emulated: Intel's may be installed beside it.
    void choose(ze_driver_handle_t driver) {
        std::uint32_t one = 1;
        ze_device_handle_t first = nullptr;
        if (zeDeviceGet(driver, &one, &first) != ZE_RESULT_SUCCESS || one == 0) return;
        ze_device_ip_version_ext_t version{};
        version.stype = ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT;
        ze_device_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        properties.pNext = &version;
        check(zeDeviceGetProperties(first, &properties), "zeDeviceGetProperties");
        if (std::string_view(properties.name).find("mulated") == std::string_view::npos) return;
        const ze_context_desc_t description{.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC, .pNext = nullptr, .flags = 0};
        check(zeContextCreate(driver, &description, &context), "zeContextCreate");
        device = first;
        product = productOf(version.ipVersion);
    }
};

class LevelZeroProgram : public BuiltProgram {
  public:
    LevelZeroProgram(const std::string& source, const std::string& options, Form form) {
        const isa::xe::Product& product = *Emulated::get().product;
        const auto* text = reinterpret_cast<const std::uint8_t*>(source.data());
        const module::CompileResult built = module::compile({.language = module::CompileRequest::Language::openclC,
                                                             .source = {text, source.size()},
                                                             .buildFlags = options,
                                                             .constants = {},
                                                             .device = product.name,
                                                             .zebin = form != Form::patchTokens});
        if (!built) throw std::runtime_error("ocloc: " + built.log);
        const bool spirv = form == Form::spirv;
        Bytes bytes = built.binary;
        if (spirv) bytes = (*binary::readNative(built.binary, product))->spirv;
        const ze_module_desc_t description{.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                           .pNext = nullptr,
                                           .format = spirv ? ZE_MODULE_FORMAT_IL_SPIRV : ZE_MODULE_FORMAT_NATIVE,
                                           .inputSize = bytes.size(),
                                           .pInputModule = bytes.data(),
                                           .pBuildFlags = spirv ? options.c_str() : "",
                                           .pConstants = nullptr};
        check(zeModuleCreate(Emulated::get().context, Emulated::get().device, &description, &module_, nullptr),
              "zeModuleCreate");
    }
    ~LevelZeroProgram() override { zeModuleDestroy(module_); }

    std::string run(const std::string& name, const CaseLaunch& launch, std::vector<CaseArgument>& arguments) override {
        ze_kernel_handle_t kernel = created(name);
        check(zeKernelSetGroupSize(kernel, launch.local[0], launch.local[1], launch.local[2]), "zeKernelSetGroupSize");
        if (launch.offset != std::array<std::uint32_t, 3>{})
            check(zeKernelSetGlobalOffsetExp(kernel, launch.offset[0], launch.offset[1], launch.offset[2]),
                  "zeKernelSetGlobalOffsetExp");
        std::vector<void*> buffers(arguments.size());
        for (std::uint32_t i = 0; i < arguments.size(); ++i) setArgument(kernel, i, arguments[i], buffers[i]);
        const ze_group_count_t groups{launch.global[0] / launch.local[0], launch.global[1] / launch.local[1],
                                      launch.global[2] / launch.local[2]};
        OutputCapture capture;
        ze_command_list_handle_t list = Emulated::get().list;
        check(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr),
              "zeCommandListAppendLaunchKernel");
        check(zeKernelDestroy(kernel), "zeKernelDestroy");
        std::string output = capture.text();
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (buffers[i] == nullptr) continue;
            Bytes& bytes = arguments[i].bytes;
            check(zeCommandListAppendMemoryCopy(list, bytes.data(), buffers[i], bytes.size(), nullptr, 0, nullptr),
                  "zeCommandListAppendMemoryCopy");
            check(zeMemFree(Emulated::get().context, buffers[i]), "zeMemFree");
        }
        return output;
    }

    std::uint32_t spilledBytes(const std::string& name) override {
        ze_kernel_handle_t kernel = created(name);
        ze_kernel_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
        check(zeKernelGetProperties(kernel, &properties), "zeKernelGetProperties");
        check(zeKernelDestroy(kernel), "zeKernelDestroy");
        return properties.spillMemSize;
    }

  private:
    ze_module_handle_t module_ = nullptr;

    ze_kernel_handle_t created(const std::string& name) const {
        const ze_kernel_desc_t description{
            .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pNext = nullptr, .flags = 0, .pKernelName = name.c_str()};
        ze_kernel_handle_t kernel = nullptr;
        check(zeKernelCreate(module_, &description, &kernel), "zeKernelCreate");
        return kernel;
    }

    static void setArgument(ze_kernel_handle_t kernel, std::uint32_t index, CaseArgument& argument, void*& buffer) {
        if (argument.kind == CaseArgument::Kind::local)
            return check(zeKernelSetArgumentValue(kernel, index, argument.localBytes, nullptr),
                         "zeKernelSetArgumentValue");
        if (argument.kind == CaseArgument::Kind::scalar)
            return check(zeKernelSetArgumentValue(kernel, index, argument.bytes.size(), argument.bytes.data()),
                         "zeKernelSetArgumentValue");
        const Emulated& emulated = Emulated::get();
        const ze_device_mem_alloc_desc_t description{
            .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, .pNext = nullptr, .flags = 0, .ordinal = 0};
        check(zeMemAllocDevice(emulated.context, &description, argument.bytes.size(), 64, emulated.device, &buffer),
              "zeMemAllocDevice");
        check(zeCommandListAppendMemoryCopy(emulated.list, buffer, argument.bytes.data(), argument.bytes.size(),
                                            nullptr, 0, nullptr),
              "zeCommandListAppendMemoryCopy");
        check(zeKernelSetArgumentValue(kernel, index, sizeof buffer, &buffer), "zeKernelSetArgumentValue");
    }
};

std::uint32_t askFrontEnd() {
    CaseArgument version;
    version.type = &ElementType::named("uint");
    version.bytes.resize(sizeof(std::uint32_t));
    std::vector<CaseArgument> arguments{version};
    CaseLaunch launch;
    launch.global = launch.local = {1, 1, 1};
    LevelZeroProgram("kernel void version(global uint* o) { *o = __clang_major__; }", "", Form::zebin)
        .run("version", launch, arguments);
    std::uint32_t major = 0;
    std::memcpy(&major, arguments[0].bytes.data(), sizeof major);
    return major;
}

}  // namespace

std::uint32_t frontEndVersion() {
    static const std::uint32_t version = askFrontEnd();
    return version;
}

bool compilerIsOlder() try {
    static_cast<void>(frontEndVersion());
    return false;
} catch (const std::runtime_error& error) {
    const bool older = std::string_view(error.what()).find("Cannot get HW Info for device") != std::string_view::npos;
    if (older) fmt::print("skipped: {}", error.what());
    return older;
}

std::unique_ptr<BuiltProgram> buildForLevelZero(const std::string& source, const std::string& options, Form form) {
    return std::make_unique<LevelZeroProgram>(source, options, form);
}

}  // namespace zetl::kernels

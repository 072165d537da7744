// Launches the kernel of a file beside this one and says what came out: `debugged_program KERNEL OPTIONS [OFFSET
// [GROUPS]]`. The offset goes to the address of y, in bytes. In place of options, `native:FILE` takes the kernel from a
// native binary.
#include <elf.h>
#include <ze_tools_layer/level_zero.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Kernels of one buffer of integers.
constexpr std::string_view kOfIntegers[] = {"called", "reused",   "chosen", "neighbours",
                                            "merged", "unrolled", "probed", "turns"};

void require(ze_result_t result, const char* what) {
    if (result == ZE_RESULT_SUCCESS) return;
    std::fprintf(stderr, "%s: %#x\n", what, static_cast<unsigned>(result));
    std::exit(3);
}
#define REQUIRE(call) require(call, #call)

struct Gpu {
    ze_driver_handle_t driver = nullptr;
    ze_device_handle_t device = nullptr;
    ze_context_handle_t context = nullptr;

    explicit Gpu(std::uint32_t number = 0) {
        std::uint32_t one = 1;
        const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
        REQUIRE(zeInit(0));
        REQUIRE(zeDriverGet(&one, &driver));
        std::uint32_t count = number + 1;
        std::vector<ze_device_handle_t> devices(count);
        REQUIRE(zeDeviceGet(driver, &count, devices.data()));
        device = devices.at(number);
        REQUIRE(zeContextCreate(driver, &description, &context));
    }
    template <class T>
    T* shared(std::size_t count) const {
        const ze_device_mem_alloc_desc_t onDevice{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
        const ze_host_mem_alloc_desc_t onHost{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
        void* pointer = nullptr;
        REQUIRE(zeMemAllocShared(context, &onDevice, &onHost, count * sizeof(T), 64, device, &pointer));
        return static_cast<T*>(pointer);
    }
    using Bytes = std::vector<std::uint8_t>;

    ze_module_handle_t module(ze_module_format_t format, const Bytes& code, const char* options) const {
        ze_module_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
        description.format = format;
        description.inputSize = code.size();
        description.pInputModule = code.data();
        description.pBuildFlags = options;
        ze_module_handle_t module = nullptr;
        REQUIRE(zeModuleCreate(context, device, &description, &module, nullptr));
        return module;
    }
    static Bytes read(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        return Bytes((std::istreambuf_iterator<char>(file)), {});
    }
    ze_module_handle_t built(const char* name, const char* options) const {
        constexpr std::string_view kNative = "native:";
        if (std::string_view(options).starts_with(kNative))
            return module(ZE_MODULE_FORMAT_NATIVE, read(options + kNative.size()), "");
        // Its build may come from another machine.
        const char* const moved = std::getenv("DEBUGGED_PROGRAM_KERNELS");
        const std::string kernels = moved ? moved : ZETL_TEST_KERNELS;
        return module(ZE_MODULE_FORMAT_IL_SPIRV, read(kernels + "/" + name + ".spv"), options);
    }
    Bytes binary(const char* name, const char* options) const {
        auto* const module = built(name, options);
        std::size_t size = 0;
        REQUIRE(zeModuleGetNativeBinary(module, &size, nullptr));
        Bytes bytes(size);
        REQUIRE(zeModuleGetNativeBinary(module, &size, bytes.data()));
        REQUIRE(zeModuleDestroy(module));
        return bytes;
    }
    static ze_kernel_handle_t kernel(const char* name, ze_module_handle_t module) {
        const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, name};
        ze_kernel_handle_t kernel = nullptr;
        REQUIRE(zeKernelCreate(module, &description, &kernel));
        return kernel;
    }
    ze_kernel_handle_t kernel(const char* name, const char* options) const {
        return kernel(name, built(name, options));
    }
    void launch(ze_kernel_handle_t kernel, std::uint32_t groups, std::uint32_t items) const {
        ze_command_queue_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        description.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
        ze_command_list_handle_t list = nullptr;
        REQUIRE(zeCommandListCreateImmediate(context, device, &description, &list));
        REQUIRE(zeKernelSetGroupSize(kernel, items, 1, 1));
        const ze_group_count_t count{groups, 1, 1};
        append(list, kernel, count);
        REQUIRE(zeCommandListDestroy(list));
    }

  private:
    /// The driver's own function, since the loader may be older.
    template <class F>
    F* function(const char* name) const {
        void* found = nullptr;
        REQUIRE(zeDriverGetExtensionFunctionAddress(driver, name, &found));
        return reinterpret_cast<F*>(found);
    }
#define NEWER(name) function<decltype(::name)>(#name)

    /// Launches the kernel twice in each of three executions, the last two of which begin before the first has ended.
    void executeGraph(ze_kernel_handle_t kernel, const ze_group_count_t& count) const {
        ze_command_queue_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
        ze_command_list_handle_t list = nullptr;
        REQUIRE(zeCommandListCreateImmediate(context, device, &description, &list));
        REQUIRE(NEWER(zeCommandListBeginGraphCaptureExt)(list, nullptr));
        for (int i = 0; i < 2; ++i) {
            REQUIRE(zeCommandListAppendLaunchKernel(list, kernel, &count, nullptr, 0, nullptr));
            REQUIRE(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
        }
        ze_graph_handle_t graph = nullptr;
        REQUIRE(NEWER(zeCommandListEndGraphCaptureExt)(list, nullptr, &graph));
        ze_executable_graph_handle_t executable = nullptr;
        REQUIRE(NEWER(zeGraphInstantiateExt)(graph, nullptr, &executable));
        for (int i = 0; i < 3; ++i)
            REQUIRE(NEWER(zeCommandListAppendGraphExt)(list, executable, nullptr, nullptr, 0, nullptr));
        REQUIRE(NEWER(zeCommandListHostSynchronize)(list, UINT64_MAX));
        REQUIRE(NEWER(zeExecutableGraphDestroyExt)(executable));
        REQUIRE(NEWER(zeGraphDestroyExt)(graph));
        REQUIRE(zeCommandListDestroy(list));
    }
#undef NEWER

    /// By the function that ZETL_TEST_LAUNCH asks for.
    void append(ze_command_list_handle_t list, ze_kernel_handle_t kernel, const ze_group_count_t& count) const {
        const char* const asked = std::getenv("ZETL_TEST_LAUNCH");
        const std::string_view way = asked ? asked : "";
        auto* const groups = shared<ze_group_count_t>(1);
        *groups = count;
        if (way == "cooperative") {
            REQUIRE(zeCommandListAppendLaunchCooperativeKernel(list, kernel, &count, nullptr, 0, nullptr));
        } else if (way == "indirect") {
            REQUIRE(zeCommandListAppendLaunchKernelIndirect(list, kernel, groups, nullptr, 0, nullptr));
        } else if (way == "several indirect") {
            auto* const kernels = shared<std::uint32_t>(1);
            *kernels = 1;
            REQUIRE(zeCommandListAppendLaunchMultipleKernelsIndirect(list, 1, &kernel, kernels, groups, nullptr, 0,
                                                                     nullptr));
        } else if (way == "graph") {
            executeGraph(kernel, count);
        } else {
            REQUIRE(zeCommandListAppendLaunchKernel(list, kernel, &count, nullptr, 0, nullptr));
        }
    }
};

constexpr std::uint32_t kItems = 128;
constexpr std::uint32_t kGroupItems = 32;

void saxpy(const Gpu& gpu, const char* options, std::ptrdiff_t offset, std::uint32_t groups = kItems / kGroupItems) {
    const std::uint32_t items = groups * kGroupItems;
    auto* x = gpu.shared<float>(items);
    auto* y = gpu.shared<float>(items);
    for (std::uint32_t i = 0; i < items; ++i) {
        x[i] = static_cast<float>(i);
        y[i] = 1;
    }
    const auto* target = reinterpret_cast<char*>(y) + offset;
    const float a = 0.5f;
    const int n = 100;
    auto* const kernel = gpu.kernel("saxpy", options);
    REQUIRE(zeKernelSetArgumentValue(kernel, 0, sizeof x, &x));
    REQUIRE(zeKernelSetArgumentValue(kernel, 1, sizeof target, &target));
    REQUIRE(zeKernelSetArgumentValue(kernel, 2, sizeof a, &a));
    REQUIRE(zeKernelSetArgumentValue(kernel, 3, sizeof n, &n));
    REQUIRE(zeKernelSetArgumentValue(kernel, 4, kGroupItems * sizeof(float), nullptr));
    gpu.launch(kernel, groups, kGroupItems);
    std::printf("y[5] = %g, y[37] = %g\n", static_cast<double>(y[5]), static_cast<double>(y[37]));
}

void spin(const Gpu& gpu, const char* options) {
    auto* const stop = gpu.shared<int>(1);
    *stop = 0;
    auto* const kernel = gpu.kernel("spin", options);
    REQUIRE(zeKernelSetArgumentValue(kernel, 0, sizeof stop, &stop));
    gpu.launch(kernel, 1, kGroupItems);
    std::printf("stopped\n");
}

/// The kernel `spin` with no instruction at its beginning, but zeros.
void illegal(const Gpu& gpu, const char* options) {
    std::vector<std::uint8_t> binary = gpu.binary("spin", options);
    Elf64_Ehdr header;
    std::memcpy(&header, binary.data(), sizeof header);
    std::vector<Elf64_Shdr> sections(header.e_shnum);  // they lie at any address
    std::memcpy(sections.data(), binary.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
    const auto* const names = reinterpret_cast<const char*>(binary.data() + sections[header.e_shstrndx].sh_offset);
    for (const Elf64_Shdr& section : sections)
        if (std::strcmp(names + section.sh_name, ".text.spin") == 0)
            std::memset(binary.data() + section.sh_offset, 0, 16);
    gpu.launch(Gpu::kernel("spin", gpu.module(ZE_MODULE_FORMAT_NATIVE, binary, "")), 1, kGroupItems);
}

/// The kernel `inlined`, or `passed`.
void inlined(const Gpu& gpu, const char* name, const char* options) {
    auto* const squares = gpu.shared<int>(kItems);
    auto* const kernel = gpu.kernel(name, options);
    REQUIRE(zeKernelSetArgumentValue(kernel, 0, sizeof squares, &squares));
    gpu.launch(kernel, kItems / kGroupItems, kGroupItems);
    std::printf("squares[37] = %d\n", squares[37]);
}

void shapes(const Gpu& gpu, const char* options) {
    auto* const out = gpu.shared<float>(kItems);
    auto* const text = gpu.shared<char>(kItems);
    std::memset(out, 0, kItems * sizeof *out);
    std::snprintf(text, kItems, "seven %c words", 7);
    std::snprintf(text + kItems / 2, kItems / 2, "second");
    auto* const kernel = gpu.kernel("shapes", options);
    REQUIRE(zeKernelSetArgumentValue(kernel, 0, sizeof out, &out));
    REQUIRE(zeKernelSetArgumentValue(kernel, 1, kGroupItems * sizeof(float), nullptr));
    REQUIRE(zeKernelSetArgumentValue(kernel, 2, sizeof text, &text));
    gpu.launch(kernel, kItems / kGroupItems, kGroupItems);
    std::printf("out[37] = %g\n", static_cast<double>(out[37]));
}

/// `data` begins as 0, 10, 20, ...
void called(const Gpu& gpu, const char* name, const char* options) {
    auto* const data = gpu.shared<int>(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) data[i] = static_cast<int>(10 * i);
    auto* const kernel = gpu.kernel(name, options);
    REQUIRE(zeKernelSetArgumentValue(kernel, 0, sizeof data, &data));
    gpu.launch(kernel, 2, kGroupItems);
    std::printf("data[36] = %d, data[37] = %d, data[38] = %d, data[64] = %d\n", data[36], data[37], data[38], data[64]);
}

void ordered(const Gpu& gpu, const char* options) {
    constexpr std::uint32_t kGroups = kItems / kGroupItems;
    auto* const order = gpu.shared<int>(kGroups);
    auto* const count = gpu.shared<int>(1);
    *count = 0;
    auto* const kernel = gpu.kernel("ordered", options);
    REQUIRE(zeKernelSetArgumentValue(kernel, 0, sizeof order, &order));
    REQUIRE(zeKernelSetArgumentValue(kernel, 1, sizeof count, &count));
    gpu.launch(kernel, kGroups, kGroupItems);
    std::printf("order: %d %d %d %d\n", order[0], order[1], order[2], order[3]);
}

/// An image of 8 x 4 texels, whose bytes count, and one of floats that are halves.
void picture(const Gpu& gpu, const char* options) {
    constexpr std::uint32_t kTexels = 32;
    std::uint8_t bytes[4 * kTexels];
    float numbers[kTexels];
    for (std::uint32_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::uint8_t>(i);
    for (std::uint32_t i = 0; i < kTexels; ++i) numbers[i] = static_cast<float>(i) / 2;
    const auto image = [&](ze_image_type_t type, std::uint32_t height, std::uint32_t depth,
                           const ze_image_format_t& format, const void* content) {
        ze_image_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
        description.type = type;
        description.format = format;
        description.width = 8;
        description.height = height;
        description.depth = depth;
        ze_image_handle_t made = nullptr;
        REQUIRE(zeImageCreate(gpu.context, gpu.device, &description, &made));
        ze_command_queue_desc_t queue{};
        queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
        queue.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
        ze_command_list_handle_t list = nullptr;
        REQUIRE(zeCommandListCreateImmediate(gpu.context, gpu.device, &queue, &list));
        REQUIRE(zeCommandListAppendImageCopyFromMemory(list, made, content, nullptr, nullptr, 0, nullptr));
        REQUIRE(zeCommandListDestroy(list));
        return made;
    };
    constexpr ze_image_format_t kBytes{ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM,
                                       ZE_IMAGE_FORMAT_SWIZZLE_R,      ZE_IMAGE_FORMAT_SWIZZLE_G,
                                       ZE_IMAGE_FORMAT_SWIZZLE_B,      ZE_IMAGE_FORMAT_SWIZZLE_A};
    constexpr ze_image_format_t kFloats{ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT,
                                        ZE_IMAGE_FORMAT_SWIZZLE_R, ZE_IMAGE_FORMAT_SWIZZLE_0,
                                        ZE_IMAGE_FORMAT_SWIZZLE_0, ZE_IMAGE_FORMAT_SWIZZLE_1};
    auto* const from = image(ZE_IMAGE_TYPE_2D, 4, 1, kBytes, bytes);
    auto* const to = image(ZE_IMAGE_TYPE_2D, 4, 1, kBytes, bytes);
    auto* const deep = image(ZE_IMAGE_TYPE_3D, 2, 2, kFloats, numbers);
    auto* const seen = gpu.shared<float>(4 * kTexels);
    auto* const kernel = gpu.kernel("picture", options);
    REQUIRE(zeKernelSetArgumentValue(kernel, 0, sizeof from, &from));
    REQUIRE(zeKernelSetArgumentValue(kernel, 1, sizeof to, &to));
    REQUIRE(zeKernelSetArgumentValue(kernel, 2, sizeof deep, &deep));
    REQUIRE(zeKernelSetArgumentValue(kernel, 3, sizeof seen, &seen));
    gpu.launch(kernel, 1, kTexels);
    std::printf("seen[4] = %g\n", static_cast<double>(seen[4]));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const Gpu gpu;
    if (std::string(argv[1]) == "spin")
        spin(gpu, argv[2]);
    else if (std::string(argv[1]) == "shapes")
        shapes(gpu, argv[2]);
    else if (std::ranges::find(kOfIntegers, std::string_view(argv[1])) != std::end(kOfIntegers))
        called(gpu, argv[1], argv[2]);
    else if (std::string(argv[1]) == "ordered")
        ordered(gpu, argv[2]);
    else if (std::string(argv[1]) == "picture")
        picture(gpu, argv[2]);
    else if (std::string(argv[1]) == "illegal")
        illegal(gpu, argv[2]);
    else if (std::string(argv[1]) == "inlined" || std::string(argv[1]) == "passed")
        inlined(gpu, argv[1], argv[2]);
    else if (std::string(argv[1]) == "both")
        for (const std::uint32_t device : {0, 1}) saxpy(Gpu(device), argv[2], 0);
    else
        saxpy(gpu, argv[2], argc > 3 ? std::atol(argv[3]) : 0,
              argc > 4 ? static_cast<std::uint32_t>(std::atol(argv[4])) : kItems / kGroupItems);
    return 0;
}

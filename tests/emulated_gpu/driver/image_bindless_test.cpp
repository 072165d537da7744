// Kernels that have an image's number instead of an image argument (ZE_experimental_bindless_image,
// SPV_INTEL_bindless_images).
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "image_bench.h"
#include "support/scenario.h"

namespace zetl::test::images {
namespace {

/// A SPIR-V module, as far as it is written.
class Assembly {
  public:
    static constexpr std::uint32_t kIds = 64;
    Assembly() : words_{0x07230203, 0x00010200, 0, kIds, 0} {}

    void add(std::uint32_t opcode, std::initializer_list<std::uint32_t> operands, std::string_view text = {}) {
        const std::size_t first = words_.size();
        words_.push_back(opcode);
        words_.insert(words_.end(), operands);
        if (!text.empty()) {
            const std::size_t at = words_.size();
            words_.resize(at + text.size() / 4 + 1);
            std::memcpy(&words_[at], text.data(), text.size());
        }
        words_[first] |= static_cast<std::uint32_t>(words_.size() - first) << 16;
    }
    const std::vector<std::uint32_t>& words() const { return words_; }

  private:
    std::vector<std::uint32_t> words_;
};

// Of the module below.
enum Id : std::uint32_t {
    kId0,
    kKernel,
    kItem,
    kVoid,
    kUint,
    kUlong,
    kFloat,
    kUint2,
    kFloat2,
    kFloat4,
    kUlong3,
    kInput,
    kPointer,
    kImage,
    kSampled,
    kFunction,
    kOne,
    kOneLong,
    kZero,
    kTwo,
    kHandle,
    kPlainHandle,
    kOut,
    kEntry,
    kItemValue,
    kX,
    kXWhole,
    kXReal,
    kAt,
    kWholeAt,
    kSampledImage,
    kMean,
    kPlainImage,
    kTexel,
    kTwice,
    kMeanTo,
    kTexelTo
};

/// kernel void fetch(ulong sampled, ulong plain, global float4* out): for x = get_global_id(0), what the sampled image
/// gives at (x, 2) goes to out[2 * x], and the texel (x, 1) of the other to out[2 * x + 1].
std::vector<std::uint32_t> bindlessModule() {
    Assembly a;
    constexpr std::uint32_t kCapability = 17;
    for (const std::uint32_t capability : {6u, 4u, 11u, 5u, 13u, 6528u}) a.add(kCapability, {capability});
    a.add(10, {}, "SPV_INTEL_bindless_images");
    a.add(14, {2, 2});                                // OpMemoryModel Physical64 OpenCL
    a.add(15, {6, kKernel, 0x63746566, 'h', kItem});  // OpEntryPoint Kernel "fetch"
    a.add(71, {kItem, 11, 28});                       // BuiltIn GlobalInvocationId
    a.add(71, {kItem, 22});                           // Constant
    a.add(19, {kVoid});
    a.add(21, {kUint, 32, 0});
    a.add(21, {kUlong, 64, 0});
    a.add(22, {kFloat, 32});
    a.add(23, {kUint2, kUint, 2});
    a.add(23, {kFloat2, kFloat, 2});
    a.add(23, {kFloat4, kFloat, 4});
    a.add(23, {kUlong3, kUlong, 3});
    a.add(32, {kInput, 1, kUlong3});
    a.add(32, {kPointer, 5, kFloat4});
    a.add(25, {kImage, kVoid, 1, 0, 0, 0, 0, 0, 0});  // 2D, read only
    a.add(27, {kSampled, kImage});
    a.add(33, {kFunction, kVoid, kUlong, kUlong, kPointer});
    a.add(43, {kUint, kOne, 1});
    a.add(43, {kUlong, kOneLong, 1, 0});
    a.add(43, {kFloat, kZero, 0});
    a.add(43, {kFloat, kTwo, 0x40000000});
    a.add(59, {kInput, kItem, 1});
    a.add(54, {kVoid, kKernel, 0, kFunction});
    a.add(55, {kUlong, kHandle});
    a.add(55, {kUlong, kPlainHandle});
    a.add(55, {kPointer, kOut});
    a.add(248, {kEntry});
    a.add(61, {kUlong3, kItemValue, kItem, 2, 32});  // OpLoad, aligned
    a.add(81, {kUlong, kX, kItemValue, 0});
    a.add(113, {kUint, kXWhole, kX});
    a.add(112, {kFloat, kXReal, kXWhole});
    a.add(80, {kFloat2, kAt, kXReal, kTwo});
    a.add(80, {kUint2, kWholeAt, kXWhole, kOne});
    a.add(6531, {kSampled, kSampledImage, kHandle});            // OpConvertHandleToSampledImageINTEL
    a.add(88, {kFloat4, kMean, kSampledImage, kAt, 2, kZero});  // OpImageSampleExplicitLod
    a.add(6529, {kImage, kPlainImage, kPlainHandle});           // OpConvertHandleToImageINTEL
    a.add(98, {kFloat4, kTexel, kPlainImage, kWholeAt});        // OpImageRead
    a.add(128, {kUlong, kTwice, kX, kX});
    a.add(70, {kPointer, kMeanTo, kOut, kTwice});
    a.add(62, {kMeanTo, kMean, 2, 16});
    a.add(70, {kPointer, kTexelTo, kMeanTo, kOneLong});
    a.add(62, {kTexelTo, kTexel, 2, 16});
    a.add(253, {});
    a.add(56, {});
    return a.words();
}

ze_module_handle_t moduleOf(const Gpu& gpu, const std::vector<std::uint32_t>& words) {
    const ze_module_desc_t description{ZE_STRUCTURE_TYPE_MODULE_DESC,
                                       nullptr,
                                       ZE_MODULE_FORMAT_IL_SPIRV,
                                       words.size() * sizeof words[0],
                                       reinterpret_cast<const std::uint8_t*>(words.data()),
                                       "",
                                       nullptr};
    ze_module_handle_t module = nullptr;
    EXPECT_OK(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr));
    return module;
}

SCENARIO(kernelsReadImagesByNumber) {
    const Gpu gpu;
    constexpr int kItemsOfRow = 32;
    constexpr std::size_t kRows = 4;
    std::vector<float> texels(kItemsOfRow * kRows * 4);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i) * 0.25f;
    const auto texel = [&](int x, int y, int channel) {
        return texels[static_cast<std::size_t>((y * kItemsOfRow + std::max(x, 0)) * 4 + channel)];
    };
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const auto numberOf = [&](ze_image_bindless_exp_flags_t flags, const void* chained) {
        const ze_image_bindless_exp_desc_t bindless{ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC, chained, flags};
        ze_image_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
        description.pNext = &bindless;
        description.type = ZE_IMAGE_TYPE_2D;
        description.format = {ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, ZE_IMAGE_FORMAT_TYPE_FLOAT,
                              ZE_IMAGE_FORMAT_SWIZZLE_R,          ZE_IMAGE_FORMAT_SWIZZLE_G,
                              ZE_IMAGE_FORMAT_SWIZZLE_B,          ZE_IMAGE_FORMAT_SWIZZLE_A};
        description.width = kItemsOfRow;
        description.height = kRows;
        description.depth = 1;
        ze_image_handle_t image = nullptr;
        EXPECT_OK(zeImageCreate(gpu.context(), gpu.device(), &description, &image));
        EXPECT_OK(zeCommandListAppendImageCopyFromMemory(list, image, texels.data(), nullptr, nullptr, 0, nullptr));
        std::uint64_t number = 0;
        EXPECT_OK(DRIVER_CALL(gpu, zeImageGetDeviceOffsetExp)(image, &number));
        return number;
    };
    const ze_sampler_desc_t linear{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                   ZE_SAMPLER_FILTER_MODE_LINEAR, false};
    const auto sampled =
        numberOf(ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS | ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE, &linear);
    const auto plain = numberOf(ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS, nullptr);
    auto* const out = gpu.shared<float>(kItemsOfRow * 8);
    const auto kernel = Gpu::kernelOf(moduleOf(gpu, bindlessModule()), "fetch", kItemsOfRow);
    Gpu::arguments(kernel, sampled, plain, out);
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
    for (int x = 0; x < kItemsOfRow; ++x)
        for (int c = 0; c < 4; ++c) {
            // Between the centres of four texels.
            const float mean = (texel(x - 1, 1, c) + texel(x, 1, c) + texel(x - 1, 2, c) + texel(x, 2, c)) / 4;
            EXPECT_NEAR(out[x * 8 + c], mean, 1e-4f) << x << ' ' << c;
            EXPECT_EQ(out[x * 8 + 4 + c], texel(x, 1, c)) << x << ' ' << c;
        }
}

TEST(Image, IsReadByNumber) {
    if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
        GTEST_SKIP() << "run scripts/compiler newest";
    EXPECT_RUNS(emulated("kernelsReadImagesByNumber", "b580-small").with("ZETL_COMPILER", "newest"));
}

}  // namespace
}  // namespace zetl::test::images

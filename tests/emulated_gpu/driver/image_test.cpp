// Images and samplers as objects, and copies of images, through the stock loader.
#include <cstring>
#include <numeric>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

constexpr const char* kDevice = "b580-small";

/// A struct of that type, otherwise empty.
template <class T>
T typed(ze_structure_type_t type) {
    T value{};
    value.stype = type;
    return value;
}

ze_image_desc_t describe(ze_image_type_t type, ze_image_format_layout_t layout, ze_image_format_type_t format,
                         std::uint64_t width, std::uint32_t height = 1, std::uint32_t depth = 1,
                         std::uint32_t layers = 0) {
    ze_image_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
    description.type = type;
    description.format = {layout,
                          format,
                          ZE_IMAGE_FORMAT_SWIZZLE_R,
                          ZE_IMAGE_FORMAT_SWIZZLE_G,
                          ZE_IMAGE_FORMAT_SWIZZLE_B,
                          ZE_IMAGE_FORMAT_SWIZZLE_A};
    description.width = width;
    description.height = height;
    description.depth = depth;
    description.arraylevels = layers;
    return description;
}

ze_result_t tryImage(const Gpu& gpu, const ze_image_desc_t& description, ze_image_handle_t* image = nullptr) {
    ze_image_handle_t made = nullptr;
    const ze_result_t result = zeImageCreate(gpu.context(), gpu.device(), &description, &made);
    EXPECT_EQ(made != nullptr, result == ZE_RESULT_SUCCESS);
    if (image) {
        *image = made;
    } else if (made) {
        EXPECT_OK(zeImageDestroy(made));
    }
    return result;
}

ze_image_handle_t imageOf(const Gpu& gpu, const ze_image_desc_t& description) {
    ze_image_handle_t image = nullptr;
    EXPECT_OK(tryImage(gpu, description, &image));
    return image;
}

std::vector<std::uint8_t> counting(std::size_t bytes, int from = 1) {
    std::vector<std::uint8_t> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(from + i * 7 + i / 251);
    return data;
}

SCENARIO(imagesAreMade) {
    const Gpu gpu;
    constexpr ze_image_type_t kTypes[] = {ZE_IMAGE_TYPE_1D, ZE_IMAGE_TYPE_1DARRAY, ZE_IMAGE_TYPE_2D,
                                          ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_TYPE_3D};
    // By layout, whether the specification's release of Intel's driver has it: '-' no, 'u' another code.
    constexpr char kLayouts[] = "++++++++++++++++++++++++-++--+---++++----++++u";
    for (int layout = 0; layout <= ZE_IMAGE_FORMAT_LAYOUT_32_32_32; ++layout)
        for (int format = 0; format <= ZE_IMAGE_FORMAT_TYPE_FLOAT; ++format)
            for (const ze_image_type_t type : kTypes) {
                const char known = kLayouts[layout];
                const auto description = describe(type, static_cast<ze_image_format_layout_t>(layout),
                                                  static_cast<ze_image_format_type_t>(format), 5, 3, 2, 2);
                EXPECT_EQ(tryImage(gpu, description), known == '+'   ? ZE_RESULT_SUCCESS
                                                      : known == 'u' ? ZE_RESULT_ERROR_UNSUPPORTED_FEATURE
                                                                     : ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT)
                    << layout << ' ' << format << ' ' << type;
            }
    // Sizes of zero count as one.
    EXPECT_OK(tryImage(gpu, describe(ZE_IMAGE_TYPE_3D, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, 0, 0, 0)));

    auto description =
        describe(ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_FORMAT_LAYOUT_16_16, ZE_IMAGE_FORMAT_TYPE_SNORM, 33, 5, 1, 3);
    auto properties = typed<ze_image_properties_t>(ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES);
    ASSERT_OK(zeImageGetProperties(gpu.device(), &description, &properties));
    EXPECT_EQ(properties.samplerFilterFlags, ze_image_sampler_filter_flags_t{ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR});
    const auto image = imageOf(gpu, description);
    auto memory = typed<ze_image_memory_properties_exp_t>(ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES);
    ASSERT_OK(DRIVER_CALL(gpu, zeImageGetMemoryPropertiesExp)(image, &memory));
    EXPECT_EQ(memory.rowPitch, 192u);
    EXPECT_EQ(memory.slicePitch, 8 * 192u);
    EXPECT_EQ(memory.size, 2 * 8 * 192u + 5 * 192u);
    ze_image_allocation_ext_properties_t allocation{ZE_STRUCTURE_TYPE_IMAGE_ALLOCATION_EXT_PROPERTIES, nullptr, 7};
    ASSERT_OK(DRIVER_CALL(gpu, zeImageGetAllocPropertiesExt)(gpu.context(), image, &allocation));
    EXPECT_EQ(allocation.id, 0u);
    EXPECT_OK(zeContextMakeImageResident(gpu.context(), gpu.device(), image));
    EXPECT_OK(zeContextEvictImage(gpu.context(), gpu.device(), image));
    std::uint64_t offset = 0;
    EXPECT_EQ(DRIVER_CALL(gpu, zeImageGetDeviceOffsetExp)(image, &offset), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_OK(zeImageDestroy(image));
    EXPECT_EQ(zeImageDestroy(image), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zeImageCreate(gpu.context(), gpu.device(), nullptr, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);

    auto limits = typed<ze_device_image_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES);
    ASSERT_OK(zeDeviceGetImageProperties(gpu.device(), &limits));
    EXPECT_EQ(limits.maxImageDims2D, 16384u);
    EXPECT_EQ(limits.maxImageDims3D, 2048u);
    EXPECT_EQ(limits.maxSamplers, 16u);
    EXPECT_EQ(limits.maxReadImageArgs, 128u);
    std::size_t pitch = 0;
    EXPECT_OK(DRIVER_CALL(gpu, zeMemGetPitchFor2dImage)(gpu.context(), gpu.device(), 33, 5, 4, &pitch));
    EXPECT_EQ(pitch, 192u);
    EXPECT_EQ(DRIVER_CALL(gpu, zeMemGetPitchFor2dImage)(gpu.context(), gpu.device(), 33, 5, 5, &pitch),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(Image, IsMadeOfAllTypesAndFormats) { EXPECT_RUNS(emulated("imagesAreMade", kDevice)); }

SCENARIO(badImagesAreRefused) {
    const Gpu gpu;
    const auto good = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, 4, 4);
    const auto answers = [&](auto&& change) {
        auto description = good;
        change(description);
        ze_image_handle_t image = nullptr;
        return zeImageCreate(gpu.context(), gpu.device(), &description, &image);
    };
    using D = ze_image_desc_t;
    EXPECT_EQ(answers([](D& d) { d.flags = 4; }), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    EXPECT_EQ(answers([](D& d) { d.format.x = static_cast<ze_image_format_swizzle_t>(8); }),
              ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    EXPECT_EQ(answers([](D& d) { d.format.type = static_cast<ze_image_format_type_t>(5); }),
              ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    EXPECT_EQ(answers([](D& d) { d.format.layout = static_cast<ze_image_format_layout_t>(46); }),
              ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    EXPECT_EQ(answers([](D& d) { d.type = static_cast<ze_image_type_t>(6); }), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(answers([](D& d) { d.type = ZE_IMAGE_TYPE_BUFFER; }), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(answers([](D& d) { d.width = 16385; }), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(answers([](D& d) { d.width = UINT64_MAX; }), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(answers([](D& d) {
                  d.type = ZE_IMAGE_TYPE_2DARRAY;
                  d.format.layout = ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32;
                  d.width = d.height = 16384;
                  d.arraylevels = 2048;
              }),
              ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    const ze_srgb_ext_desc_t srgb{ZE_STRUCTURE_TYPE_SRGB_EXT_DESC, nullptr, true};
    EXPECT_EQ(answers([&](D& d) { d.pNext = &srgb; }), ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    EXPECT_OK(answers([&](D& d) {
        d.pNext = &srgb;
        d.format.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8;
        d.format.type = ZE_IMAGE_FORMAT_TYPE_UNORM;
    }));
    const ze_external_memory_export_desc_t exported{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC, nullptr,
                                                    ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF};
    EXPECT_EQ(answers([&](D& d) { d.pNext = &exported; }), ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    int local[64];
    ze_image_pitched_exp_desc_t pitched{ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC, nullptr, local};
    EXPECT_EQ(answers([&](D& d) { d.pNext = &pitched; }), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    pitched.ptr = gpu.device(64);
    EXPECT_OK(answers([&](D& d) { d.pNext = &pitched; }));
    EXPECT_EQ(answers([&](D& d) {
                  d.pNext = &pitched;
                  d.type = ZE_IMAGE_TYPE_3D;
              }),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(answers([&](D& d) {
        d.pNext = &pitched;
        d.type = ZE_IMAGE_TYPE_BUFFER;
        d.width = 64;
    }));
    ze_image_bindless_exp_desc_t bindless{
        ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC, nullptr,
        ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS | ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE};
    EXPECT_EQ(answers([&](D& d) { d.pNext = &bindless; }), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const ze_sampler_desc_t sampler{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                    ZE_SAMPLER_FILTER_MODE_LINEAR, true};
    bindless.pNext = &sampler;
    auto description = good;
    description.pNext = &bindless;
    std::uint64_t offset = 0;
    EXPECT_OK(DRIVER_CALL(gpu, zeImageGetDeviceOffsetExp)(imageOf(gpu, description), &offset));
    EXPECT_NE(offset, 0u);
    EXPECT_EQ(offset % 64, 0u);
}
TEST(Image, BadOnesAreRefused) { EXPECT_RUNS(emulated("badImagesAreRefused", kDevice)); }

SCENARIO(samplersAreMade) {
    const Gpu gpu;
    for (int address = 0; address <= 5; ++address)
        for (int filter = 0; filter <= 2; ++filter)
            for (const ze_bool_t normalized : {ze_bool_t{0}, ze_bool_t{1}}) {
                const ze_sampler_desc_t description{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr,
                                                    static_cast<ze_sampler_address_mode_t>(address),
                                                    static_cast<ze_sampler_filter_mode_t>(filter), normalized};
                ze_sampler_handle_t sampler = nullptr;
                const bool good = address <= ZE_SAMPLER_ADDRESS_MODE_MIRROR && filter <= ZE_SAMPLER_FILTER_MODE_LINEAR;
                ASSERT_EQ(zeSamplerCreate(gpu.context(), gpu.device(), &description, &sampler),
                          good ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED);
                if (!good) continue;
                EXPECT_OK(zeSamplerDestroy(sampler));
                EXPECT_EQ(zeSamplerDestroy(sampler), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
            }
}
TEST(Image, SamplersAreMade) { EXPECT_RUNS(emulated("samplersAreMade", kDevice)); }

SCENARIO(deviceWithoutImages) {
    const Gpu gpu;
    const auto description = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, 4, 4);
    ze_image_handle_t image = nullptr;
    EXPECT_EQ(zeImageCreate(gpu.context(), gpu.device(), &description, &image), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    const auto sampler = typed<ze_sampler_desc_t>(ZE_STRUCTURE_TYPE_SAMPLER_DESC);
    ze_sampler_handle_t made = nullptr;
    EXPECT_EQ(zeSamplerCreate(gpu.context(), gpu.device(), &sampler, &made), ZE_RESULT_ERROR_UNINITIALIZED);
    auto limits = typed<ze_device_image_properties_t>(ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES);
    ASSERT_OK(zeDeviceGetImageProperties(gpu.device(), &limits));
    EXPECT_EQ(limits.maxImageDims2D + limits.maxSamplers + limits.maxReadImageArgs, 0u);
    auto properties = typed<ze_image_properties_t>(ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES);
    ASSERT_OK(zeImageGetProperties(gpu.device(), &description, &properties));
    EXPECT_EQ(properties.samplerFilterFlags, 0u);
}
TEST(Image, DevicesMayHaveNone) {
    EXPECT_RUNS(emulated("deviceWithoutImages"));
    EXPECT_RUNS(emulated("deviceWithoutImages", "cri-small"));
}

SCENARIO(imagesAreCopied) {
    const Gpu gpu;
    constexpr std::uint32_t kWidth = 13;
    constexpr std::uint32_t kHeight = 6;
    constexpr std::uint32_t kDepth = 3;
    struct Case {
        ze_image_type_t type;
        std::uint32_t height;
        std::uint32_t depth;
    };
    // Of arrays of lines, the layers are rows.
    constexpr Case kCases[] = {{ZE_IMAGE_TYPE_1D, 1, 1},
                               {ZE_IMAGE_TYPE_1DARRAY, kDepth, 1},
                               {ZE_IMAGE_TYPE_2D, kHeight, 1},
                               {ZE_IMAGE_TYPE_2DARRAY, kHeight, kDepth},
                               {ZE_IMAGE_TYPE_3D, kHeight, kDepth}};
    struct Format {
        ze_image_format_layout_t layout;
        std::uint32_t bytes;
    };
    constexpr Format kFormats[] = {
        {ZE_IMAGE_FORMAT_LAYOUT_8, 1},     {ZE_IMAGE_FORMAT_LAYOUT_16, 2},           {ZE_IMAGE_FORMAT_LAYOUT_8_8_8, 3},
        {ZE_IMAGE_FORMAT_LAYOUT_32, 4},    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16, 6},     {ZE_IMAGE_FORMAT_LAYOUT_32_32, 8},
        {ZE_IMAGE_FORMAT_LAYOUT_5_6_5, 2}, {ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, 16},
    };
    for (const Case& each : kCases)
        for (const Format& format : kFormats) {
            const auto description =
                describe(each.type, format.layout, ZE_IMAGE_FORMAT_TYPE_UINT, kWidth, kHeight, kDepth, kDepth);
            const auto first = imageOf(gpu, description);
            const auto second = imageOf(gpu, description);
            const std::size_t bytes = std::size_t{kWidth} * each.height * each.depth * format.bytes;
            const auto source = counting(bytes);
            std::vector<std::uint8_t> target(bytes);
            const auto list = gpu.list();
            ASSERT_OK(zeCommandListAppendImageCopyFromMemory(list, first, source.data(), nullptr, nullptr, 0, nullptr));
            ASSERT_OK(zeCommandListAppendImageCopy(list, second, first, nullptr, 0, nullptr));
            ASSERT_OK(zeCommandListAppendImageCopyToMemory(list, target.data(), second, nullptr, nullptr, 0, nullptr));
            ASSERT_OK(gpu.run(list));
            EXPECT_EQ(target, source) << each.type << ' ' << format.bytes;

            // A part of it, to other pixels of the other image, and back with pitches of its own.
            const std::uint32_t rows = std::min(each.height, 2u);
            const std::uint32_t slices = std::min(each.depth, 2u);
            const ze_image_region_t from{3, each.height - rows, each.depth - slices, 4, rows, slices};
            const ze_image_region_t to{9, 0, 0, 4, rows, slices};
            const std::uint32_t rowPitch = 5 * format.bytes;
            const std::uint32_t slicePitch = each.type == ZE_IMAGE_TYPE_1DARRAY ? rowPitch : 3 * rowPitch;
            std::vector<std::uint8_t> part(std::size_t{slices} * 3 * rowPitch, 0xee);
            const auto again = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
            ASSERT_OK(zeCommandListAppendImageCopyRegion(again, second, first, &to, &from, nullptr, 0, nullptr));
            ASSERT_OK(DRIVER_CALL(gpu, zeCommandListAppendImageCopyToMemoryExt)(
                again, part.data(), second, &to, rowPitch, slicePitch, nullptr, 0, nullptr));
            for (std::uint32_t z = 0; z < slices; ++z)
                for (std::uint32_t y = 0; y < rows; ++y) {
                    const std::size_t inSource =
                        (((from.originZ + z) * each.height + from.originY + y) * kWidth + from.originX) * format.bytes;
                    const std::size_t inPart = z * slicePitch + y * rowPitch;
                    EXPECT_EQ(std::memcmp(&part[inPart], &source[inSource], 4 * format.bytes), 0)
                        << each.type << ' ' << format.bytes << ' ' << y << ' ' << z;
                    EXPECT_EQ(part[inPart + 4 * format.bytes], 0xee);
                }
            ASSERT_OK(DRIVER_CALL(gpu, zeCommandListAppendImageCopyFromMemoryExt)(
                again, first, part.data(), &to, rowPitch, slicePitch, nullptr, 0, nullptr));
            std::vector<std::uint8_t> both[2] = {std::vector<std::uint8_t>(bytes), std::vector<std::uint8_t>(bytes)};
            ASSERT_OK(zeCommandListAppendImageCopyRegion(again, second, first, nullptr, nullptr, nullptr, 0, nullptr));
            ASSERT_OK(zeCommandListAppendImageCopyToMemory(again, both[0].data(), first, nullptr, nullptr, 0, nullptr));
            ASSERT_OK(
                zeCommandListAppendImageCopyToMemory(again, both[1].data(), second, nullptr, nullptr, 0, nullptr));
            EXPECT_EQ(both[0], both[1]);
            EXPECT_NE(both[0], source);
            ASSERT_OK(zeImageDestroy(first));
            ASSERT_OK(zeImageDestroy(second));
            ASSERT_OK(zeCommandListDestroy(list));
            ASSERT_OK(zeCommandListDestroy(again));
        }
}
TEST(Image, IsCopied) { EXPECT_RUNS(emulated("imagesAreCopied", kDevice)); }

// Memory that holds a part of an image begins with the first pixel of that part, without the pixels before it.
SCENARIO(partsAreTightInMemory) {
    const Gpu gpu;
    constexpr std::uint32_t kWidth = 10;
    constexpr std::size_t kPixel = 4;
    const auto description = [](ze_image_type_t type) {
        return describe(type, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, kWidth);
    };
    ze_image_pitched_exp_desc_t pitched{ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC, nullptr,
                                        gpu.shared<std::uint8_t>(kWidth * kPixel)};
    auto inMemory = description(ZE_IMAGE_TYPE_BUFFER);
    inMemory.pNext = &pitched;
    ze_image_handle_t images[] = {imageOf(gpu, description(ZE_IMAGE_TYPE_1D)), imageOf(gpu, inMemory)};
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const auto source = counting(kWidth * kPixel);
    constexpr ze_image_region_t kFrom{1, 0, 0, 8, 1, 1};
    constexpr ze_image_region_t kTo{2, 0, 0, 8, 1, 1};
    for (const int first : {0, 1}) {
        const auto from = images[first];
        const auto to = images[1 - first];
        std::vector<std::uint8_t> part(9 * kPixel, 0xee);
        std::vector<std::uint8_t> expected(source.begin() + kPixel, source.begin() + 9 * kPixel);
        expected.resize(part.size(), 0xee);
        ASSERT_OK(zeCommandListAppendImageCopyFromMemory(list, from, source.data(), nullptr, nullptr, 0, nullptr));
        ASSERT_OK(zeCommandListAppendImageCopyToMemory(list, part.data(), from, &kFrom, nullptr, 0, nullptr));
        EXPECT_EQ(part, expected) << first;

        std::vector<std::uint8_t> shifted(source.begin(), source.begin() + 2 * kPixel);
        shifted.insert(shifted.end(), source.begin() + kPixel, source.begin() + 9 * kPixel);
        const auto expectShifted = [&] {
            std::vector<std::uint8_t> whole(source.size());
            ASSERT_OK(zeCommandListAppendImageCopyToMemory(list, whole.data(), to, nullptr, nullptr, 0, nullptr));
            EXPECT_EQ(whole, shifted) << first;
        };
        ASSERT_OK(zeCommandListAppendImageCopyFromMemory(list, to, source.data(), nullptr, nullptr, 0, nullptr));
        ASSERT_OK(zeCommandListAppendImageCopyFromMemory(list, to, part.data(), &kTo, nullptr, 0, nullptr));
        expectShifted();
        ASSERT_OK(zeCommandListAppendImageCopyFromMemory(list, to, source.data(), nullptr, nullptr, 0, nullptr));
        ASSERT_OK(zeCommandListAppendImageCopyRegion(list, to, from, &kTo, &kFrom, nullptr, 0, nullptr));
        expectShifted();
    }
}
TEST(Image, PartsAreTightInMemory) { EXPECT_RUNS(emulated("partsAreTightInMemory", kDevice)); }

SCENARIO(imageCopiesHaveEvents) {
    const Gpu gpu;
    const auto description = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_UINT, 8, 8);
    const auto image = imageOf(gpu, description);
    std::vector<std::uint32_t> source(64);
    std::iota(source.begin(), source.end(), 5u);
    std::vector<std::uint32_t> target(64);
    const auto pool = gpu.pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    auto copied = Gpu::event(pool, 0);
    const auto read = Gpu::event(pool, 1);
    const auto first = gpu.immediate();
    const auto second = gpu.immediate();
    ASSERT_OK(zeCommandListAppendImageCopyToMemory(second, target.data(), image, nullptr, read, 1, &copied));
    EXPECT_EQ(zeEventQueryStatus(read), ZE_RESULT_NOT_READY);
    ASSERT_OK(zeCommandListAppendImageCopyFromMemory(first, image, source.data(), nullptr, copied, 0, nullptr));
    // The command keeps the image that the program gives up.
    ASSERT_OK(zeImageDestroy(image));
    ASSERT_OK(zeEventHostSynchronize(read, UINT64_MAX));
    EXPECT_EQ(target, source);
    ze_kernel_timestamp_result_t times{};
    ASSERT_OK(zeEventQueryKernelTimestamp(read, &times));
    EXPECT_LE(times.global.kernelStart, times.global.kernelEnd);

    const auto small =
        imageOf(gpu, describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_UINT, 4, 4));
    const auto large = imageOf(gpu, description);
    const ze_image_region_t beyond{5, 0, 0, 4, 1, 1};
    EXPECT_EQ(zeCommandListAppendImageCopy(first, large, small, nullptr, 0, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zeCommandListAppendImageCopyToMemory(first, target.data(), large, &beyond, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zeCommandListAppendImageCopyToMemory(first, nullptr, large, nullptr, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zeCommandListAppendImageCopy(first, large, nullptr, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zeCommandListAppendImageCopy(first, large, large, nullptr, 1, nullptr), ZE_RESULT_ERROR_INVALID_SIZE);
}
TEST(Image, CopiesWaitAndSignal) { EXPECT_RUNS(emulated("imageCopiesHaveEvents", kDevice)); }

SCENARIO(viewsShareMemory) {
    const Gpu gpu;
    auto description = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_NV12, ZE_IMAGE_FORMAT_TYPE_UNORM, 8, 4);
    const auto whole = imageOf(gpu, description);
    ze_image_view_planar_ext_desc_t plane{ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC, nullptr, 0};
    description.pNext = &plane;
    description.format.layout = ZE_IMAGE_FORMAT_LAYOUT_8;
    const auto view = [&] {
        ze_image_handle_t made = nullptr;
        EXPECT_OK(DRIVER_CALL(gpu, zeImageViewCreateExt)(gpu.context(), gpu.device(), &description, whole, &made));
        return made;
    };
    const auto luma = view();
    plane.planeIndex = 1;
    description.format.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8;
    const auto chroma = view();
    plane.planeIndex = 3;
    ze_image_handle_t none = nullptr;
    EXPECT_EQ(DRIVER_CALL(gpu, zeImageViewCreateExt)(gpu.context(), gpu.device(), &description, whole, &none),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    // Views keep the memory, and do not share bytes of different planes.
    EXPECT_OK(zeImageDestroy(whole));
    const auto bright = counting(8 * 4, 3);
    const auto colours = counting(4 * 2 * 2, 100);
    std::vector<std::uint8_t> brightBack(bright.size());
    std::vector<std::uint8_t> coloursBack(colours.size());
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendImageCopyFromMemory(list, luma, bright.data(), nullptr, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendImageCopyFromMemory(list, chroma, colours.data(), nullptr, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendImageCopyToMemory(list, brightBack.data(), luma, nullptr, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendImageCopyToMemory(list, coloursBack.data(), chroma, nullptr, nullptr, 0, nullptr));
    EXPECT_EQ(brightBack, bright);
    EXPECT_EQ(coloursBack, colours);

    // An image over an allocation shows its bytes.
    auto* const memory = gpu.shared<std::uint8_t>(64 * 4);
    ze_image_pitched_exp_desc_t pitched{ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC, nullptr, memory};
    auto inMemory = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, 8, 4);
    inMemory.pNext = &pitched;
    const auto over = imageOf(gpu, inMemory);
    ASSERT_OK(zeCommandListAppendImageCopyFromMemory(list, over, bright.data(), nullptr, nullptr, 0, nullptr));
    for (std::size_t y = 0; y < 4; ++y) EXPECT_EQ(std::memcmp(memory + 64 * y, &bright[8 * y], 8), 0);
}
TEST(Image, ViewsShareMemory) { EXPECT_RUNS(emulated("viewsShareMemory", kDevice)); }

SCENARIO(imagesShareMemoryByDescriptor) {
    const Gpu gpu;
    constexpr std::size_t kBytes = 64 * 4;
    const auto description = describe(ZE_IMAGE_TYPE_2D, ZE_IMAGE_FORMAT_LAYOUT_8, ZE_IMAGE_FORMAT_TYPE_UINT, 8, 4);
    const ze_external_memory_export_desc_t exported{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC, nullptr,
                                                    ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF};
    const ze_device_mem_alloc_desc_t memory{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, &exported, 0, 0};
    void* allocation = nullptr;
    ASSERT_OK(zeMemAllocDevice(gpu.context(), &memory, kBytes, 64, gpu.device(), &allocation));
    ze_external_memory_export_fd_t descriptor{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, nullptr,
                                              ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, -1};
    auto properties = typed<ze_memory_allocation_properties_t>(ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
    properties.pNext = &descriptor;
    ASSERT_OK(zeMemGetAllocProperties(gpu.context(), allocation, &properties, nullptr));
    ASSERT_GE(descriptor.fd, 0);

    ze_external_memory_import_fd_t import{ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD, nullptr,
                                          ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF, descriptor.fd};
    auto imported = description;
    imported.pNext = &import;
    const auto image = imageOf(gpu, imported);
    const auto pixels = counting(8 * 4);
    std::vector<std::uint8_t> bytes(kBytes);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendImageCopyFromMemory(list, image, pixels.data(), nullptr, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, bytes.data(), allocation, kBytes, nullptr, 0, nullptr));
    for (std::size_t y = 0; y < 4; ++y) EXPECT_EQ(std::memcmp(&bytes[64 * y], &pixels[8 * y], 8), 0) << y;
    // What is no descriptor of memory is no memory of an image.
    ASSERT_OK(zeImageDestroy(image));
    import.fd = -1;
    ze_image_handle_t none = nullptr;
    EXPECT_NE(tryImage(gpu, imported, &none), ZE_RESULT_SUCCESS);
}
TEST(Image, SharesMemoryByDescriptor) { EXPECT_RUNS(emulated("imagesShareMemoryByDescriptor", kDevice)); }

}  // namespace
}  // namespace zetl::test

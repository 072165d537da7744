// What kernels read and write of images, against a plain reference: formats, types, samplers, coordinates.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "emulated_gpu/gpu.h"
#include "image_reference.h"
#include "support/effort.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

using Place = std::array<float, 4>;
using Values = std::array<double, 4>;

constexpr ze_image_type_t kTypes[] = {ZE_IMAGE_TYPE_1D, ZE_IMAGE_TYPE_1DARRAY, ZE_IMAGE_TYPE_2D, ZE_IMAGE_TYPE_2DARRAY,
                                      ZE_IMAGE_TYPE_3D};
constexpr int kWidth = 5;
constexpr int kHeight = 4;
constexpr int kDepth = 3;
constexpr std::uint32_t kItems = 64;

std::string nameOf(ze_image_type_t type) {
    constexpr const char* kNames[] = {"1d", "1da", "2d", "2da", "3d", "buffer"};
    return kNames[type];
}

/// The device, and the kernels on it.
class Images {
  public:
    Images() : module_(gpu.moduleOf("image_kernels")), list_(gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS)) {
        places_ = gpu.shared<Place>(kItems);
        values_ = gpu.shared<std::array<std::uint32_t, 4>>(kItems);
    }

    const Gpu gpu;

    ze_command_list_handle_t list() const { return list_; }
    std::array<std::uint32_t, 4>* values() const { return values_; }

    ze_kernel_handle_t kernel(const std::string& name, std::uint32_t groupSize = 32) {
        auto& known = kernels_[name];
        if (!known) known = Gpu::kernelOf(module_, name.c_str(), groupSize);
        return known;
    }
    /// "sample_f_2d", say.
    ze_kernel_handle_t kernel(const char* what, const ReferenceImage& image) {
        const char* const kinds[] = {"u", "i", "f", "f", "f"};
        return kernel(std::string(what) + "_" + kinds[image.format->type] + "_" + nameOf(image.type));
    }

    ze_image_handle_t make(const ReferenceImage& image) const {
        ze_image_desc_t description{};
        description.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
        description.type = image.type;
        const auto& bits = image.format->bits;
        description.format = {image.format->layout,
                              image.format->type,
                              ZE_IMAGE_FORMAT_SWIZZLE_R,
                              bits[1] ? ZE_IMAGE_FORMAT_SWIZZLE_G : ZE_IMAGE_FORMAT_SWIZZLE_0,
                              bits[2] ? ZE_IMAGE_FORMAT_SWIZZLE_B : ZE_IMAGE_FORMAT_SWIZZLE_0,
                              bits[3] ? ZE_IMAGE_FORMAT_SWIZZLE_A : ZE_IMAGE_FORMAT_SWIZZLE_1};
        description.width = static_cast<std::uint64_t>(image.sizes[0]);
        description.height = static_cast<std::uint32_t>(image.sizes[1]);
        description.depth = description.arraylevels = static_cast<std::uint32_t>(image.sizes[2]);
        ze_image_handle_t made = nullptr;
        EXPECT_OK(zeImageCreate(gpu.context(), gpu.device(), &description, &made));
        EXPECT_OK(
            zeCommandListAppendImageCopyFromMemory(list_, made, image.bytes.data(), nullptr, nullptr, 0, nullptr));
        return made;
    }
    ze_sampler_handle_t make(const ze_sampler_desc_t& description) const {
        ze_sampler_handle_t made = nullptr;
        EXPECT_OK(zeSamplerCreate(gpu.context(), gpu.device(), &description, &made));
        return made;
    }

    /// Launches a kernel whose last two arguments are the places and the values.
    template <class... A>
    void launch(ze_kernel_handle_t kernel, const std::vector<Place>& places, const A&... arguments) {
        std::copy(places.begin(), places.end(), places_);
        Gpu::arguments(kernel, arguments..., places_, values_);
        const ze_group_count_t groups{kItems / 32, 1, 1};
        ASSERT_OK(zeCommandListAppendLaunchKernel(list_, kernel, &groups, nullptr, 0, nullptr));
    }

  private:
    ze_module_handle_t module_;
    ze_command_list_handle_t list_;
    Place* places_ = nullptr;
    std::array<std::uint32_t, 4>* values_ = nullptr;
    std::map<std::string, ze_kernel_handle_t> kernels_;
};

ReferenceImage imageOf(const ReferenceFormat& format, ze_image_type_t type) {
    ReferenceImage image{&format, type, {kWidth, 1, 1}, {}};
    if (image.dimensions() > 1) image.sizes[1] = kHeight;
    if (image.isArray() || type == ZE_IMAGE_TYPE_3D) image.sizes[2] = kDepth;
    const int texels = image.sizes[0] * image.sizes[1] * image.sizes[2];
    image.bytes.resize(static_cast<std::size_t>(texels) * format.bytes);
    std::uint32_t state = 12345;
    for (std::uint8_t& byte : image.bytes)
        byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    if (format.type != ZE_IMAGE_FORMAT_TYPE_FLOAT) return image;
    // Floats that are neither huge nor NaN.
    for (int i = 0; i < texels; ++i) {
        const double v = i * 0.75 - 9;
        format.encode({v, v * 3, -v, v + 0.5}, &image.bytes[static_cast<std::size_t>(i) * format.bytes]);
    }
    return image;
}

/// Coordinates in texels, inside and outside, none of them where two texels are equally near.
std::vector<Place> placesFor(const ReferenceImage& image, bool normalized) {
    constexpr float kFractions[] = {0.5f, 0.3f, 0.7f, 0.9f};
    std::vector<Place> places(kItems);
    std::uint32_t state = 7;
    for (Place& place : places) {
        const unsigned count = image.dimensions();
        for (unsigned d = 0; d < 4; ++d) {
            state = state * 1664525 + 1013904223;
            const int size = d < count ? image.sizes[d] : image.sizes[2];
            const int whole = static_cast<int>((state >> 16) % static_cast<unsigned>(size + 4)) - 2;
            place[d] = static_cast<float>(whole);
            if (d < count) place[d] += kFractions[state >> 8 & 3];
            if (d < count && normalized) place[d] /= static_cast<float>(size);
        }
    }
    return places;
}

double valueOf(const ReferenceFormat& format, std::uint32_t bits) {
    if (format.type == ZE_IMAGE_FORMAT_TYPE_UINT) return bits;
    if (format.type == ZE_IMAGE_FORMAT_TYPE_SINT) return static_cast<std::int32_t>(bits);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
}

/// How far a value may be from the reference: the rounding of a float, and of coordinates where texels are mixed.
double allowed(const ReferenceImage& image, double expected, bool linear) {
    if (image.format->isInteger()) return 0;
    const double step = std::fabs(expected) * 1.2e-7;
    return linear ? step + 5e-5 * (image.format->type == ZE_IMAGE_FORMAT_TYPE_FLOAT ? 40 : 1) : step;
}

void expectValues(Images& images, const ReferenceImage& image, std::uint32_t item, const Values& expected, bool linear,
                  const std::string& what) {
    for (unsigned c = 0; c < 4; ++c) {
        const double value = valueOf(*image.format, images.values()[item][c]);
        if (std::fabs(value - expected[c]) <= allowed(image, expected[c], linear)) continue;
        FAIL() << what << ", item " << item << ", channel " << c << ": " << value << ", expected " << expected[c];
    }
}

SCENARIO(kernelsSampleImages) {
    Images images;
    int compared = 0;
    for (const ReferenceFormat& format : referenceFormats())
        for (const ze_image_type_t type : kTypes) {
            ReferenceImage image = imageOf(format, type);
            const auto handle = images.make(image);
            const auto kernel = images.kernel("sample", image);
            for (int mode = ZE_SAMPLER_ADDRESS_MODE_REPEAT; mode <= ZE_SAMPLER_ADDRESS_MODE_MIRROR; ++mode)
                for (int how = 0; how < 4; ++how) {
                    const bool linear = (how & 1) != 0;
                    const bool normalized = (how & 2) != 0;
                    const auto address = static_cast<ze_sampler_address_mode_t>(mode);
                    const bool repeats =
                        address == ZE_SAMPLER_ADDRESS_MODE_REPEAT || address == ZE_SAMPLER_ADDRESS_MODE_MIRROR;
                    if ((repeats && !normalized) || (linear && format.isInteger())) continue;
                    const ze_sampler_desc_t sampler{
                        ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, address,
                        linear ? ZE_SAMPLER_FILTER_MODE_LINEAR : ZE_SAMPLER_FILTER_MODE_NEAREST, normalized};
                    const auto made = images.make(sampler);
                    const auto places = placesFor(image, normalized);
                    images.launch(kernel, places, handle, made);
                    const std::string what = nameOf(type) + " of layout " + std::to_string(format.layout) + " type " +
                                             std::to_string(format.type) + " mode " + std::to_string(mode) +
                                             (linear ? " linear" : " nearest") + (normalized ? " normalized" : "");
                    for (std::uint32_t i = 0; i < kItems; ++i)
                        expectValues(images, image, i, image.sample(sampler, places[i]), linear, what);
                    ASSERT_OK(zeSamplerDestroy(made));
                    ++compared;
                }
            ASSERT_OK(zeImageDestroy(handle));
        }
    EXPECT_GT(compared, 1000);
}

SCENARIO(kernelsLoadImages) {
    Images images;
    for (const ReferenceFormat& format : referenceFormats())
        for (const ze_image_type_t type : kTypes) {
            ReferenceImage image = imageOf(format, type);
            const auto handle = images.make(image);
            std::vector<Place> places = placesFor(image, false);
            for (Place& place : places)  // inside: what lies outside is undefined without a sampler
                for (unsigned d = 0; d < 4; ++d) {
                    const int size = d < image.dimensions() ? image.sizes[d] : image.sizes[2];
                    place[d] = std::min(std::max(std::floor(place[d]), 0.0f), static_cast<float>(size - 1));
                }
            images.launch(images.kernel("load", image), places, handle);
            for (std::uint32_t i = 0; i < kItems; ++i)
                expectValues(images, image, i, image.load(places[i]), false,
                             "load of " + nameOf(type) + " layout " + std::to_string(format.layout));
            ASSERT_OK(zeImageDestroy(handle));
        }
    // A buffer as an image.
    const ReferenceFormat& format = referenceFormats().front();
    ReferenceImage image{&format, ZE_IMAGE_TYPE_BUFFER, {64, 1, 1}, {}};
    auto* const memory = images.gpu.shared<std::uint8_t>(64);
    for (int i = 0; i < 64; ++i) memory[i] = static_cast<std::uint8_t>(3 * i);
    const ze_image_pitched_exp_desc_t pitched{ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC, nullptr, memory};
    ze_image_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
    description.pNext = &pitched;
    description.type = ZE_IMAGE_TYPE_BUFFER;
    description.width = 64;
    ze_image_handle_t handle = nullptr;
    ASSERT_OK(zeImageCreate(images.gpu.context(), images.gpu.device(), &description, &handle));
    std::vector<Place> places(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) places[i] = {static_cast<float>(63 - i), 0, 0, 0};
    images.launch(images.kernel("load", image), places, handle);
    for (std::uint32_t i = 0; i < kItems; ++i) EXPECT_EQ(images.values()[i][0], 3 * (63 - i));
}

SCENARIO(kernelsWriteImages) {
    Images images;
    for (const ReferenceFormat& format : referenceFormats())
        for (const ze_image_type_t type : kTypes) {
            ReferenceImage image = imageOf(format, type);
            const auto handle = images.make(image);
            // Each texel once, and others outside of the image.
            std::vector<Place> places;
            for (int z = 0; z < image.sizes[2]; ++z)
                for (int y = 0; y < image.sizes[1]; ++y)
                    for (int x = 0; x < image.sizes[0]; ++x) {
                        const auto fx = static_cast<float>(x);
                        const auto fy = static_cast<float>(y);
                        const auto fz = static_cast<float>(z);
                        places.push_back(image.dimensions() == 1 ? Place{fx, fz, 0, 0} : Place{fx, fy, fz, 0});
                    }
            while (places.size() < kItems) {
                constexpr Place kOutside[] = {{-1, 0, 0, 0}, {kWidth, 0, 0, 0}, {1e9f, 1, 1, 0}, {-1e9f, 0, 0, 0}};
                places.push_back(kOutside[places.size() % 4]);
            }
            for (std::uint32_t i = 0; i < kItems; ++i) {
                const int n = static_cast<int>(i) - 25;
                Values values{n / 40.0, n / 20.0, -n / 30.0, n * 0.013};
                if (format.isInteger()) values = {n * 1000.0, n * 9.0, n * -3.0, n * 100000.0};
                if (format.type == ZE_IMAGE_FORMAT_TYPE_UINT)
                    for (double& v : values) v = std::fabs(v);
                for (unsigned c = 0; c < 4; ++c) {
                    const auto real = static_cast<float>(values[c]);
                    if (format.isInteger())
                        images.values()[i][c] = static_cast<std::uint32_t>(static_cast<std::int64_t>(values[c]));
                    else
                        std::memcpy(&images.values()[i][c], &real, sizeof real);
                    if (!format.isInteger()) values[c] = static_cast<double>(real);
                }
                const Place& place = places[i];
                const bool inside = place[0] >= 0 && place[0] < kWidth;
                if (!inside) continue;
                const auto x = static_cast<int>(place[0]);
                const auto second = static_cast<int>(place[1]);
                const auto third = static_cast<int>(place[2]);
                format.encode(values, image.dimensions() == 1 ? image.at(x, 0, second) : image.at(x, second, third));
            }
            images.launch(images.kernel("write", image), places, handle);
            std::vector<std::uint8_t> written(image.bytes.size());
            ASSERT_OK(zeCommandListAppendImageCopyToMemory(images.list(), written.data(), handle, nullptr, nullptr, 0,
                                                           nullptr));
            EXPECT_EQ(written, image.bytes) << nameOf(type) << " layout " << format.layout << " type " << format.type;
            ASSERT_OK(zeImageDestroy(handle));
        }
}

SCENARIO(kernelsKnowTheirImages) {
    Images images;
    const ReferenceFormat* format = &referenceFormats().front();  // 8, UINT
    const auto a = images.make(imageOf(*format, ZE_IMAGE_TYPE_1D));
    const auto b = images.make(imageOf(*format, ZE_IMAGE_TYPE_1DARRAY));
    const auto c = images.make(imageOf(*format, ZE_IMAGE_TYPE_2D));
    const auto d = images.make(imageOf(*format, ZE_IMAGE_TYPE_2DARRAY));
    const auto e = images.make(imageOf(referenceFormats().back(), ZE_IMAGE_TYPE_3D));  // 5_5_5_1
    auto* const out = images.gpu.shared<int>(16);
    const auto kernel = images.kernel("sizes", 1);
    Gpu::arguments(kernel, a, b, c, d, e, out);
    ASSERT_OK(zeCommandListAppendLaunchKernel(images.list(), kernel, &kOneGroup, nullptr, 0, nullptr));
    const int expected[] = {5, 5, 3, 5, 4, 5, 4, 3, 5, 4, 3, 0x10da, 0x10b0, 0x10d5};
    for (std::size_t i = 0; i < std::size(expected); ++i) EXPECT_EQ(out[i], expected[i]) << i;

    // In place.
    const ReferenceFormat& bytes = *std::ranges::find_if(referenceFormats(), [](const ReferenceFormat& each) {
        return each.layout == ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8 && each.type == ZE_IMAGE_FORMAT_TYPE_UINT;
    });
    const ReferenceImage image = imageOf(bytes, ZE_IMAGE_TYPE_2D);
    const auto handle = images.make(image);
    const auto increment = images.kernel("increment", 1);
    Gpu::arguments(increment, handle);
    const ze_group_count_t groups{kWidth, kHeight, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(images.list(), increment, &groups, nullptr, 0, nullptr));
    std::vector<std::uint8_t> written(image.bytes.size());
    ASSERT_OK(
        zeCommandListAppendImageCopyToMemory(images.list(), written.data(), handle, nullptr, nullptr, 0, nullptr));
    for (std::size_t i = 0; i < written.size(); ++i)
        EXPECT_EQ(written[i], std::min<std::size_t>(image.bytes[i] + i % 4 + 1, 255)) << i;

    // Samplers of the program.
    const auto declared = images.kernel("declared");
    ReferenceImage first = imageOf(bytes, ZE_IMAGE_TYPE_2D);
    const ReferenceFormat& norm = *std::ranges::find_if(referenceFormats(), [](const ReferenceFormat& each) {
        return each.layout == ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8 && each.type == ZE_IMAGE_FORMAT_TYPE_UNORM;
    });
    first.format = &norm;
    ReferenceImage second = first;
    std::ranges::reverse(second.bytes);
    const auto places = placesFor(first, true);
    images.launch(declared, places, images.make(first), images.make(second));
    const ze_sampler_desc_t edge{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_CLAMP,
                                 ZE_SAMPLER_FILTER_MODE_LINEAR, false};
    const ze_sampler_desc_t around{ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, ZE_SAMPLER_ADDRESS_MODE_REPEAT,
                                   ZE_SAMPLER_FILTER_MODE_NEAREST, true};
    for (std::uint32_t i = 0; i < kItems; ++i) {
        Values values = i % 3 == 0 ? first.sample(edge, places[i]) : second.sample(around, places[i]);
        if (i % 3 != 0) values = {values[1], values[0], values[3], values[2]};
        expectValues(images, first, i, values, true, "declared");
    }

    // Nothing behind a handle, and no image at all.
    ze_image_handle_t gone = images.make(first);
    ASSERT_OK(zeImageDestroy(gone));
    EXPECT_EQ(zeKernelSetArgumentValue(declared, 0, sizeof(void*), &gone), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zeKernelSetArgumentValue(declared, 0, 4, &gone), ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    ASSERT_OK(zeKernelSetArgumentValue(declared, 0, sizeof(void*), nullptr));
    EXPECT_EQ(zeCommandListAppendLaunchKernel(images.list(), declared, &kOneGroup, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_DEVICE_LOST);
}

/// Xe2 and Xe3 have no other compiler than Intel's newest.
class ImageKernels : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
            GTEST_SKIP() << "run scripts/compiler newest";
    }
    static Process run(const char* scenario) { return emulated(scenario, GetParam()).with("ZETL_COMPILER", "newest"); }
};
TEST_P(ImageKernels, Sample) { EXPECT_RUNS(run("kernelsSampleImages")); }
TEST_P(ImageKernels, Load) { EXPECT_RUNS(run("kernelsLoadImages")); }
TEST_P(ImageKernels, Write) { EXPECT_RUNS(run("kernelsWriteImages")); }
TEST_P(ImageKernels, KnowTheirImages) {
    const Outcome outcome = run("kernelsKnowTheirImages").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.times("no image or sampler"), 0u) << outcome;
}
constexpr std::array kDevices{"b580-small", "ptl-small"};
INSTANTIATE_TEST_SUITE_P(Devices, ImageKernels, testing::ValuesIn(kDevices.begin(), kDevices.begin() + effort(2, 1)));

}  // namespace
}  // namespace zetl::test

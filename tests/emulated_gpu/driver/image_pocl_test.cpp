// What kernels read of images, against PoCL's CPU device: the same source, texels, samplers and coordinates.
//
// PoCL reads them first, in a process of its own, as two builds of LLVM do not bear each other. It leaves what it read
// in a file, in the order of forEachRead().
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "image_bench.h"
#include "support/scenario.h"

namespace zetl::test::images {
namespace {

constexpr const char* kFile = "ZETL_IMAGE_VALUES";

struct Read {
    const ReferenceImage& image;
    const ze_sampler_desc_t& sampler;
    const std::vector<Place>& places;
    std::string kernel;
    std::string text;
};

struct ChannelType {
    ze_image_format_type_t type;
    unsigned bits;
    cl_channel_type number;
};
constexpr ChannelType kChannelTypes[] = {
    {ZE_IMAGE_FORMAT_TYPE_UINT, 8, CL_UNSIGNED_INT8},   {ZE_IMAGE_FORMAT_TYPE_UINT, 16, CL_UNSIGNED_INT16},
    {ZE_IMAGE_FORMAT_TYPE_UINT, 32, CL_UNSIGNED_INT32}, {ZE_IMAGE_FORMAT_TYPE_SINT, 8, CL_SIGNED_INT8},
    {ZE_IMAGE_FORMAT_TYPE_SINT, 16, CL_SIGNED_INT16},   {ZE_IMAGE_FORMAT_TYPE_SINT, 32, CL_SIGNED_INT32},
    {ZE_IMAGE_FORMAT_TYPE_UNORM, 8, CL_UNORM_INT8},     {ZE_IMAGE_FORMAT_TYPE_UNORM, 16, CL_UNORM_INT16},
    {ZE_IMAGE_FORMAT_TYPE_SNORM, 8, CL_SNORM_INT8},     {ZE_IMAGE_FORMAT_TYPE_SNORM, 16, CL_SNORM_INT16},
    {ZE_IMAGE_FORMAT_TYPE_FLOAT, 16, CL_HALF_FLOAT},    {ZE_IMAGE_FORMAT_TYPE_FLOAT, 32, CL_FLOAT}};

/// Nothing for a format that PoCL 3.1 does not have, or reads wrong: halves of one channel.
std::optional<cl_image_format> poclFormat(const ReferenceFormat& format) {
    const unsigned bits = format.bits[0];
    std::size_t channels = 0;
    while (channels < 4 && format.bits[channels] == bits) ++channels;
    const bool even = channels * bits == std::size_t{format.bytes} * 8;
    const auto* const found = std::ranges::find_if(
        kChannelTypes, [&](const ChannelType& known) { return known.type == format.type && known.bits == bits; });
    if (!even || found == std::end(kChannelTypes)) return {};
    constexpr cl_channel_order kOrders[] = {0, CL_R, 0, 0, CL_RGBA};
    if (kOrders[channels] == 0 || (channels == 1 && found->number == CL_HALF_FLOAT)) return {};
    return cl_image_format{kOrders[channels], found->number};
}

/// PoCL 3.1 multiplies the numbers of layers by the size of the array if coordinates are normalized, so that only the
/// first layer is where it ought to be.
std::vector<Place> placesOnBoth(const ReferenceImage& image, bool normalized) {
    std::vector<Place> places = placesFor(image, normalized);
    if (normalized && image.isArray())
        for (Place& place : places) place[image.dimensions()] = 0;
    return places;
}

void forEachRead(const std::function<void(const Read&)>& visit) {
    for (const ReferenceFormat& format : referenceFormats())
        for (const ze_image_type_t type : kTypes) {
            if (!poclFormat(format)) continue;
            const ReferenceImage image = imageOf(format, type);
            const char* const kinds[] = {"u", "i", "f", "f", "f"};
            const std::string kernel = std::string("sample_") + kinds[format.type] + "_" + nameOf(type);
            for (int mode = ZE_SAMPLER_ADDRESS_MODE_REPEAT; mode <= ZE_SAMPLER_ADDRESS_MODE_MIRROR; ++mode)
                for (int how = 0; how < 4; ++how) {
                    const bool linear = (how & 1) != 0;
                    const bool normalized = (how & 2) != 0;
                    const bool repeats =
                        mode == ZE_SAMPLER_ADDRESS_MODE_REPEAT || mode == ZE_SAMPLER_ADDRESS_MODE_MIRROR;
                    if ((repeats && !normalized) || (linear && format.isInteger())) continue;
                    const ze_sampler_desc_t sampler{
                        ZE_STRUCTURE_TYPE_SAMPLER_DESC, nullptr, static_cast<ze_sampler_address_mode_t>(mode),
                        linear ? ZE_SAMPLER_FILTER_MODE_LINEAR : ZE_SAMPLER_FILTER_MODE_NEAREST, normalized};
                    visit({image, sampler, placesOnBoth(image, normalized), kernel,
                           kernel + " of layout " + std::to_string(format.layout) + " type " +
                               std::to_string(format.type) + " mode " + std::to_string(mode) +
                               (linear ? " linear" : " nearest") + (normalized ? " normalized" : "")});
                }
        }
}

// ---- PoCL ----

class Pocl {
  public:
    Pocl() {
        cl_platform_id platform = nullptr;
        EXPECT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
        EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device_, nullptr), CL_SUCCESS);
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
        queue_ = clCreateCommandQueue(context_, device_, 0, nullptr);
        std::ifstream file(ZETL_IMAGE_KERNELS);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const char* source = text.c_str();
        program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, nullptr);
        EXPECT_EQ(clBuildProgram(program_, 1, &device_, "-cl-std=CL3.0", nullptr, nullptr), CL_SUCCESS);
    }

    std::vector<Bits> values(const Read& read) {
        std::vector<Bits> values(kItems);
        const std::size_t bytes = kItems * sizeof(Bits);
        const cl_mem image = imageOf(read.image);
        const cl_sampler sampler = samplerOf(read.sampler);
        const cl_mem places =
            clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, bytes, const_cast<Place*>(read.places.data()), nullptr);
        const cl_mem to = clCreateBuffer(context_, CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
        const cl_kernel kernel = kernelOf(read.kernel);
        clSetKernelArg(kernel, 0, sizeof image, &image);
        clSetKernelArg(kernel, 1, sizeof sampler, &sampler);
        clSetKernelArg(kernel, 2, sizeof places, &places);
        clSetKernelArg(kernel, 3, sizeof to, &to);
        const std::size_t items = kItems;
        const std::size_t group = 32;
        EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &items, &group, 0, nullptr, nullptr), CL_SUCCESS)
            << read.text;
        EXPECT_EQ(clEnqueueReadBuffer(queue_, to, CL_TRUE, 0, bytes, values.data(), 0, nullptr, nullptr), CL_SUCCESS);
        for (const cl_mem memory : {image, places, to}) clReleaseMemObject(memory);
        clReleaseSampler(sampler);
        return values;
    }

  private:
    cl_device_id device_ = nullptr;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
    cl_program program_ = nullptr;
    std::map<std::string, cl_kernel> kernels_;

    cl_kernel kernelOf(const std::string& name) {
        cl_kernel& known = kernels_[name];
        if (!known) known = clCreateKernel(program_, name.c_str(), nullptr);
        EXPECT_NE(known, nullptr) << name;
        return known;
    }
    cl_mem imageOf(const ReferenceImage& image) {
        constexpr cl_mem_object_type kTypesThere[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                                      CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                                      CL_MEM_OBJECT_IMAGE3D};
        const auto size = [&](unsigned d) { return static_cast<std::size_t>(image.sizes[d]); };
        cl_image_desc description{};
        description.image_type = kTypesThere[image.type];
        description.image_width = size(0);
        description.image_height = size(1);
        description.image_depth = description.image_array_size = size(2);
        const cl_image_format format = *poclFormat(*image.format);
        cl_int code = 0;
        const cl_mem made = clCreateImage(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &description,
                                          const_cast<std::uint8_t*>(image.bytes.data()), &code);
        EXPECT_EQ(code, CL_SUCCESS) << image.format->layout << ' ' << image.format->type << ' ' << image.type;
        return made;
    }
    cl_sampler samplerOf(const ze_sampler_desc_t& sampler) {
        constexpr cl_addressing_mode kModes[] = {CL_ADDRESS_NONE, CL_ADDRESS_REPEAT, CL_ADDRESS_CLAMP_TO_EDGE,
                                                 CL_ADDRESS_CLAMP, CL_ADDRESS_MIRRORED_REPEAT};
        const bool linear = sampler.filterMode == ZE_SAMPLER_FILTER_MODE_LINEAR;
        return clCreateSampler(context_, sampler.isNormalized ? CL_TRUE : CL_FALSE, kModes[sampler.addressMode],
                               linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, nullptr);
    }
};

SCENARIO(poclReadsImages) {
    Pocl pocl;
    std::ofstream file(std::getenv(kFile), std::ios::binary);
    forEachRead([&](const Read& read) {
        const auto values = pocl.values(read);
        file.write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(Bits)));
    });
    EXPECT_TRUE(file.good());
}

// ---- the emulated device ----

/// As numbers; channels that the format lacks are left as the device has them, since PoCL's border has no alpha of 1.
Values expectedOf(const Images& images, const ReferenceFormat& format, std::uint32_t item, const Bits& theirs) {
    Values values{};
    for (unsigned c = 0; c < 4; ++c)
        values[c] = valueOf(format, format.bits[c] != 0 ? theirs[c] : images.values()[item][c]);
    return values;
}

SCENARIO(imagesReadAsOnPocl) {
    Images images;
    std::ifstream file(std::getenv(kFile), std::ios::binary);
    std::size_t compared = 0;
    forEachRead([&](const Read& read) {
        std::vector<Bits> theirs(kItems);
        file.read(reinterpret_cast<char*>(theirs.data()), static_cast<std::streamsize>(kItems * sizeof(Bits)));
        ASSERT_TRUE(file.good()) << read.text;
        const auto handle = images.make(read.image);
        const auto sampler = images.make(read.sampler);
        images.launch(images.kernel(read.kernel), read.places, handle, sampler);
        const bool linear = read.sampler.filterMode == ZE_SAMPLER_FILTER_MODE_LINEAR;
        for (std::uint32_t i = 0; i < kItems; ++i)
            expectValues(images, read.image, i, expectedOf(images, *read.image.format, i, theirs[i]), linear,
                         read.text);
        ASSERT_OK(zeSamplerDestroy(sampler));
        ASSERT_OK(zeImageDestroy(handle));
        ++compared;
    });
    EXPECT_GT(compared, 1000u);
    std::printf("%zu reads of %u work-items are alike\n", compared, kItems);
}

TEST(ImageReads, AreThoseOfPocl) {
    constexpr const char* kIcd = "/etc/OpenCL/vendors/pocl.icd";
    if (!std::filesystem::exists(kIcd)) GTEST_SKIP() << "PoCL is not installed (package pocl-opencl-icd)";
    if (!std::filesystem::exists(inBuildTree("lib/ze-tools-layer/compiler/libocloc.so")))
        GTEST_SKIP() << "run scripts/compiler newest";
    const auto file = std::filesystem::temp_directory_path() / ("image_values_" + std::to_string(::getpid()));
    const Process pocl =
        Process({thisProgram(), "--scenario=poclReadsImages"}).with("OCL_ICD_VENDORS", kIcd).with(kFile, file.string());
    EXPECT_RUNS(pocl);
    EXPECT_RUNS(
        emulated("imagesReadAsOnPocl", "b580-small").with("ZETL_COMPILER", "newest").with(kFile, file.string()));
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace zetl::test::images

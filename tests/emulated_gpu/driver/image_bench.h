// Images on the device beside what they are in the reference, the kernels that access them, and comparisons of both.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "image_reference.h"

namespace zetl::test::images {

using Place = std::array<float, 4>;
using Bits = std::array<std::uint32_t, 4>;  ///< of what a kernel read
using Values = std::array<double, 4>;

inline constexpr ze_image_type_t kTypes[] = {ZE_IMAGE_TYPE_1D, ZE_IMAGE_TYPE_1DARRAY, ZE_IMAGE_TYPE_2D,
                                             ZE_IMAGE_TYPE_2DARRAY, ZE_IMAGE_TYPE_3D};
inline constexpr int kWidth = 5;
inline constexpr int kHeight = 4;
inline constexpr int kDepth = 3;
inline constexpr std::uint32_t kItems = 64;

std::string nameOf(ze_image_type_t type);

/// The device, and the kernels on it.
class Images {
  public:
    explicit Images(const std::string& source = "image_kernels")
        : module_(gpu.moduleOf(source)), list_(gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS)) {
        places_ = gpu.shared<Place>(kItems);
        values_ = gpu.shared<Bits>(kItems);
    }

    const Gpu gpu;

    ze_module_handle_t module() const { return module_; }
    ze_command_list_handle_t list() const { return list_; }
    Bits* values() const { return values_; }

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

    /// With the bytes of the reference.
    ze_image_handle_t make(const ReferenceImage& image) const;
    ze_sampler_handle_t make(const ze_sampler_desc_t& description) const;

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
    Bits* values_ = nullptr;
    std::map<std::string, ze_kernel_handle_t> kernels_;
};

/// An image of a few texels.
ReferenceImage imageOf(const ReferenceFormat& format, ze_image_type_t type);
/// The first format of that layout and type.
const ReferenceFormat& formatOf(ze_image_format_layout_t layout, ze_image_format_type_t type);

/// Coordinates in texels, inside and outside, none of them where two texels are equally near.
std::vector<Place> placesFor(const ReferenceImage& image, bool normalized);
/// The same, brought to whole ones inside.
std::vector<Place> wholePlacesFor(const ReferenceImage& image);

/// What a kernel read of a channel, as a number.
double valueOf(const ReferenceFormat& format, std::uint32_t bits);

/// Fails the test if what an item read is further from the reference than the rounding of a float, and that of
/// coordinates where texels are mixed.
void expectValues(const Images& images, const ReferenceImage& image, std::uint32_t item, const Values& expected,
                  bool linear, const std::string& what);

}  // namespace zetl::test::images

// Images as OpenCL C describes them (3.0, section 8), in plain double precision: what kernels ought to read and write.
// It shares nothing with the emulator.
#pragma once

#include <level_zero/ze_api.h>

#include <array>
#include <cstdint>
#include <vector>

namespace zetl::test {

/// A format whose channels all have one size, red lowest, or one of the packed ones.
struct ReferenceFormat {
    ze_image_format_layout_t layout;
    ze_image_format_type_t type;
    unsigned bytes;                    ///< of a texel
    std::array<unsigned, 4> shifts{};  ///< of red, green, blue, alpha
    std::array<unsigned, 4> bits{};    ///< 0: no such channel

    bool isInteger() const { return type == ZE_IMAGE_FORMAT_TYPE_UINT || type == ZE_IMAGE_FORMAT_TYPE_SINT; }
    double decode(const std::uint8_t* texel, unsigned channel) const;
    void encode(const std::array<double, 4>& values, std::uint8_t* texel) const;
};

/// Every format whose reads and writes OpenCL defines.
const std::vector<ReferenceFormat>& referenceFormats();

struct ReferenceImage {
    const ReferenceFormat* format = nullptr;
    ze_image_type_t type = ZE_IMAGE_TYPE_2D;
    std::array<int, 3> sizes{1, 1, 1};  ///< width, height, depth or layers; those of arrays of lines in the last one
    std::vector<std::uint8_t> bytes;    ///< side by side

    bool isArray() const { return type == ZE_IMAGE_TYPE_1DARRAY || type == ZE_IMAGE_TYPE_2DARRAY; }
    unsigned dimensions() const;
    std::uint8_t* at(int x, int y, int z);
    /// Zero outside, where alpha is 1 unless the format has one.
    std::array<double, 4> texel(int x, int y, int z);
    /// The texel at whole coordinates, in the order of a kernel's arguments.
    std::array<double, 4> load(const std::array<float, 4>& place);
    std::array<double, 4> sample(const ze_sampler_desc_t& sampler, const std::array<float, 4>& place);
};

}  // namespace zetl::test

// Commands that copy images.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/driver/execution/operation.h"
#include "emulator/driver/memory/image.h"

namespace zetl::emulator::driver {

/// One side of a copy: a region of an image, or memory that holds one.
struct ImageSide {
    std::shared_ptr<const Image> image;  ///< null: memory
    std::uint64_t first = 0;             ///< address of the first pixel
    std::uint64_t rowPitch = 0;
    std::uint64_t slicePitch = 0;
    std::uint32_t pixelBytes = 0;

    std::uint64_t row(std::uint32_t y, std::uint32_t z) const noexcept { return first + y * rowPitch + z * slicePitch; }
};

/// In pixels. The layers of one-dimensional arrays count as rows.
struct ImageExtent {
    std::uint32_t width = 1;
    std::uint32_t height = 1;
    std::uint32_t depth = 1;
    bool operator==(const ImageExtent&) const = default;
};

/// Moves bytes: formats are not converted. Pixels that become larger end with zeros, or with the 1 of the fourth
/// channel that an image of three has.
class ImageCopyOperation final : public Operation {
  public:
    ImageCopyOperation(ImageSide to, ImageSide from, const ImageExtent& extent);
    bool run(Execution& execution) const override;
    CommandKind kind() const noexcept override { return CommandKind::copy; }
    const char* name() const noexcept override { return "image copy"; }
    CommandDetails details() const override;
    void addTo(Footprint& footprint) const override;

  private:
    bool copyRow(Execution& execution, std::uint64_t to, std::uint64_t from, std::vector<std::byte>& source,
                 std::vector<std::byte>& target) const;

    const ImageSide to_;
    const ImageSide from_;
    const ImageExtent extent_;
    std::vector<std::byte> filling_;  // of larger pixels, behind what they get
};

}  // namespace zetl::emulator::driver

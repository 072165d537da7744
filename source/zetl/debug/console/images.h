// Images that kernels were given, as numbers.
#pragma once

#include <optional>
#include <string>

namespace zetl::debugger {

class Console;

/// "2D image of 8 x 4 texels, R8G8B8A8 UNORM, at 0x7f0000": the image behind an argument of that name. Nothing if it is
/// none.
std::optional<std::string> imageText(Console& console, const std::string& name);

/// The texels of a part of an image, as kernels read them.
void printTexels(Console& console, const std::string& arguments);

}  // namespace zetl::debugger

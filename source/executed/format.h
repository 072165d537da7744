// How often the instructions of a process's kernels were executed, as the emulated GPU writes it and `zetl coverage`
// reads it.
//
// A process writes two kinds of files into a directory. KEY.image has the code of a module, with its debug data: an
// ImageHeader, then the debug image. The key follows from the module, so that processes with the same module write the
// same image. KEY.PID.N.counts has a word for each kCountedBytes of the module's code: how often the instruction that
// starts there was executed. The file is mapped by the process that counts, so that a killed one loses no finished
// launch.
#pragma once

#include <array>
#include <cstdint>

namespace zetl::executed {

inline constexpr const char* kImageSuffix = ".image";
inline constexpr const char* kCountsSuffix = ".counts";
/// Instructions start at multiples of it.
inline constexpr std::uint64_t kCountedBytes = 8;

struct ImageHeader {
    std::array<char, 8> magic = kMagic;
    std::uint64_t codeBase = 0;  ///< the address, in the image, of the code to which the first word belongs
    static constexpr std::array<char, 8> kMagic{'z', 'e', 't', 'l', 'c', 'o', 'v', '1'};
};
static_assert(sizeof(ImageHeader) == 16);

}  // namespace zetl::executed

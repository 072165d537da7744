// Calls of other libraries, which libzetl_mpi.so reports from its place in front of them.
#include <cstdint>

#include "recorder/ranges.h"
#include "recorder/recording.h"

namespace zetl::recorder {

extern "C" [[gnu::visibility("default")]] void zetlBeginCall(const char* name, const char* library) noexcept;
extern "C" [[gnu::visibility("default")]] void zetlEndCall() noexcept;
/// The ranks of the program have met (recording/format.h).
extern "C" [[gnu::visibility("default")]] void zetlMeeting(std::uint64_t number, std::uint64_t entered,
                                                           std::uint64_t left) noexcept;

extern "C" void zetlBeginCall(const char* name, const char* library) noexcept { openRange(name, library); }

extern "C" void zetlEndCall() noexcept { closeRange(); }

extern "C" void zetlMeeting(std::uint64_t number, std::uint64_t entered, std::uint64_t left) noexcept {
    Recording::addMeeting(number, entered, left);
}

}  // namespace zetl::recorder

// Sequences of tracer API calls, read from arbitrary bytes and compared with a model of what must happen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zetl::test {

/// Runs the sequence on the layer; aborts, after saying what differs, if a result code or a callback is not the
/// model's. All tracers are gone afterwards. Returns how many callbacks ran. Not for two threads at once.
long runSequence(const std::uint8_t* bytes, std::size_t size);

}  // namespace zetl::test

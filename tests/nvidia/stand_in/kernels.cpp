#include <ctime>
#include <map>

#include "stand_in.h"

namespace stand_in {
namespace {

constexpr std::uint64_t kReserved = 1024;  // at the beginning of local memory, as on Hopper

void add(const Launch& launch) {
    auto* data = reinterpret_cast<std::uint32_t*>(launch.arguments[0]);
    for (unsigned i = 0; i < launch.groups * launch.threads; ++i)
        data[i] += static_cast<std::uint32_t>(launch.arguments[1]);
}

void spin(const Launch& launch) {
    for (const std::uint64_t began = now(); now() - began < launch.arguments[0];) {
    }
}

void fault(const Launch&) { lost = CUDA_ERROR_ILLEGAL_ADDRESS; }

/// Local memory begins where the driver says only if it counted as the hardware does.
void reverse(const Launch& launch) {
    auto* out = reinterpret_cast<std::uint32_t*>(launch.arguments[0]);
    const std::uint64_t place = launch.arguments[1];
    if (place < kReserved || place + launch.threads * 4 > kReserved + launch.sharedBytes) return fault(launch);
    for (unsigned i = 0; i < launch.threads; ++i) out[i] = launch.threads - 1 - i;
}

/// out = function(value), of the two functions in the order of their pointers.
void apply(const Launch& launch) {
    const auto value = static_cast<std::uint32_t>(launch.arguments[1]);
    *reinterpret_cast<std::uint32_t*>(launch.arguments[2]) = launch.arguments[0] == 8 ? 3 * value : 2 * value;
}

/// data[0] = scaled(data[0]) + added; both are of kScaling, which the module was linked with.
void callScaled(const Launch& launch) {
    auto& data = *reinterpret_cast<std::uint32_t*>(launch.arguments[0]);
    data = 3 * data + *reinterpret_cast<const std::uint32_t*>(placeOf(launch.module, "added"));
}

/// A kernel of SPIR-V: the offset comes behind its own argument.
void offsetIds(const Launch& launch) {
    auto* out = reinterpret_cast<std::uint32_t*>(launch.arguments[0]);
    const auto offset = [&](std::size_t axis) { return static_cast<std::uint32_t>(launch.arguments[1 + axis]); };
    for (unsigned i = 0; i < launch.groups * launch.threads; ++i)
        out[i] = offset(0) + i + 100 * offset(1) + 10000 * offset(2);
}

/// A kernel of SPIR-V, which returns the variable and counts it up.
void countUp(const Launch& launch) {
    auto& counter = *reinterpret_cast<std::uint32_t*>(placeOf(launch.module, "counter"));
    *reinterpret_cast<std::uint32_t*>(launch.arguments[0]) = counter++;
}

void readClock(const Launch& launch) {
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(launch.arguments[0]), now(), __ATOMIC_RELEASE);
}

}  // namespace

std::uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

KernelBody kernelNamed(const std::string& name) {
    static const std::map<std::string, KernelBody> all{
        {"add", add},         {"apply", apply},         {"callScaled", callScaled},
        {"countUp", countUp}, {"offsetIds", offsetIds}, {"spin", spin},
        {"fault", fault},     {"reverse", reverse},     {"zetl_read_clock", readClock}};
    const auto known = all.find(name);
    return known == all.end() ? nullptr : known->second;
}

}  // namespace stand_in

#include "thread_difference.h"

#include <fmt/format.h>

#include <cstring>

#include "emulator/isa/code.h"

namespace zetl::test {

namespace isa = emulator::isa;
namespace layout = isa::layout;

namespace {

std::string stateDifference(const isa::Thread& steps, const isa::Thread& host) {
    std::string list;
    int left = 8;
    for (std::uint32_t at = 0; at < layout::kArchitectureEnd && left > 0; at += 4) {
        // Only mach and its kin read these, and what they leave elsewhere is compared.
        if (at >= layout::kWideAccumulator && at < layout::kMme) continue;
        const auto a = steps.at<std::uint32_t>(at);
        const auto b = host.at<std::uint32_t>(at);
        if (a == b) continue;
        list += at < layout::kGrfBytes ? fmt::format(" r{}.{}", at / 64, at % 64 / 4) : fmt::format(" state+{:#x}", at);
        list += fmt::format(": {:#x} by steps, {:#x} translated;", a, b);
        --left;
    }
    return list;
}
template <class T>
void compare(std::string& list, const char* what, const T& steps, const T& host) {
    if (steps != host) list += fmt::format(" {}: {:#x} by steps, {:#x} translated;", what, steps, host);
}

}  // namespace

std::string difference(const isa::Thread& s, const isa::Thread& h) {
    std::string list = stateDifference(s, h);
    compare(list, "active", s.active, h.active);
    compare(list, "call mask", s.callMask, h.callMask);
    compare(list, "fuel", s.fuel, h.fuel);
    compare(list, "charged", s.charged, h.charged);
    compare(list, "executed", s.executed, h.executed);
    compare(list, "entered", s.entered, h.entered);
    compare(list, "ip", s.ip(), h.ip());
    compare(list, "status", static_cast<int>(s.status), static_cast<int>(h.status));
    compare(list, "signalled", s.signalled, h.signalled);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        compare(list, fmt::format("waiting lane {}", lane).c_str(), s.waiting[lane], h.waiting[lane]);
    for (const std::uint32_t lanes : h.parked) compare(list, "lanes parked by host code", 0u, lanes);
    constexpr std::size_t kCells = sizeof(isa::Traffic) / sizeof(std::uint64_t);
    std::uint64_t traffic[2][kCells];
    std::memcpy(traffic[0], &s.traffic, sizeof s.traffic);
    std::memcpy(traffic[1], &h.traffic, sizeof h.traffic);
    for (std::size_t k = 0; k < kCells; ++k)
        compare(list, fmt::format("traffic {}", k).c_str(), traffic[0][k], traffic[1][k]);
    if (describe(s.fault) != describe(h.fault))
        list += fmt::format(" fault: {} by steps, {} translated;", describe(s.fault), describe(h.fault));
    return list;
}

const isa::Step* sameStep(const isa::Step* step, const isa::Program& from, const isa::Program& to) {
    for (int b = 0; b < isa::kVersions; ++b) {
        const auto& steps = from.code().body[b].steps;
        if (step >= steps.data() && step < steps.data() + steps.size())
            return to.code().body[b].steps.data() + (step - steps.data());
    }
    return step;  // of a message that is lowered when it runs, or of another program
}

}  // namespace zetl::test

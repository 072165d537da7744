#include "metrics/stall_flame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "page/html.h"
#include "text/demangled.h"

namespace zetl::command {
namespace {

constexpr double kLeastShare = 0.001;       // of all samples
constexpr std::size_t kMostFrames = 3'000;  // one more for each level and the rest
constexpr std::size_t kMostOfAName = 200;   // characters
constexpr std::size_t kMostCallers = 24;
constexpr std::uint32_t kHues = 360;

struct Frame {
    std::uint64_t samples = 0;
    std::map<std::string, Frame, std::less<>> inner;
};

Frame& within(Frame& outer, const std::string& name, std::uint64_t samples) {
    auto& frame = outer.inner[name.substr(0, kMostOfAName)];
    frame.samples += samples;
    return frame;
}

std::string lineName(const correlation::Place& place) {
    if (place.line == 0) return "no source line";
    const auto file = place.file.substr(place.file.rfind('/') + 1);
    return place.function.empty() ? fmt::format("{}:{}", file, place.line)
                                  : fmt::format("{}:{} {}", file, place.line, demangled(place.function));
}

void add(const StallProfile& profile, const StalledInstruction& instruction, Frame& kernel) {
    Frame* frame = &kernel;
    const auto samples = sumOf(instruction.samples);
    const auto callers = std::min(instruction.places.size(), kMostCallers);
    for (std::size_t i = callers; i-- > 0;) frame = &within(*frame, lineName(instruction.places[i]), samples);
    if (callers == 0) frame = &within(*frame, lineName({}), samples);
    for (std::size_t reason = 0; reason < instruction.samples.size(); ++reason)
        if (const auto own = instruction.samples[reason]) within(*frame, profile.reasons()[reason], own);
}

std::uint32_t hueOf(std::string_view name) {
    std::uint32_t sum = 7;
    for (const char each : name) sum = (sum * 31 + static_cast<unsigned char>(each)) % kHues;
    return sum;
}

class FlameWriter {
  public:
    explicit FlameWriter(std::uint64_t all) : all_(static_cast<double>(std::max<std::uint64_t>(all, 1))) {}

    std::string written(std::string_view name, const Frame& frame, std::uint64_t outer) {
        ++frames_;
        const auto share = static_cast<double>(frame.samples) / all_;
        const auto width = static_cast<double>(frame.samples) / static_cast<double>(std::max<std::uint64_t>(outer, 1));
        const auto shown = escaped(name);
        auto text = fmt::format(
            "<div class=node style=\"--w:{:.3f}%;--h:{}\"><button type=button class=frame tabindex={} title=\"{}: "
            "{:.1f} %, {} "
            "samples\">{}</button>",
            width * 100, hueOf(name), frames_ == 1 ? 0 : -1, shown, share * 100, frame.samples, shown);
        if (!frame.inner.empty()) text += "<div class=inner>" + innerOf(frame) + "</div>";
        return text + "</div>\n";
    }

  private:
    std::string innerOf(const Frame& frame) {
        std::vector<const std::pair<const std::string, Frame>*> order;
        order.reserve(frame.inner.size());
        for (const auto& each : frame.inner) order.push_back(&each);
        std::ranges::stable_sort(order, std::ranges::greater(), [](const auto* each) { return each->second.samples; });
        std::string text;
        Frame rest;
        std::size_t joined = 0;
        for (const auto* each : order) {
            const bool small = static_cast<double>(each->second.samples) < kLeastShare * all_;
            if (small || frames_ >= kMostFrames) {
                rest.samples += each->second.samples;
                ++joined;
                continue;
            }
            text += written(each->first, each->second, frame.samples);
        }
        if (joined != 0) text += written(fmt::format("{} smaller ones", joined), rest, frame.samples);
        return text;
    }

    double all_;
    std::size_t frames_ = 0;
};

}  // namespace

std::string stallFlame(const StallProfile& profile, const std::vector<const StalledKernel*>& kernels, bool mangled) {
    Frame all;
    for (const auto* kernel : kernels) {
        const auto samples = sumOf(kernel->samples);
        all.samples += samples;
        auto& frame = within(all, mangled ? kernel->name : demangled(kernel->name), samples);
        for (const auto& each : kernel->code)
            if (sumOf(each.samples) != 0) add(profile, each, frame);
    }
    if (all.samples == 0) return {};
    return "<div class=flame>" + FlameWriter(all.samples).written("all samples", all, all.samples) +
           "<p class=picked aria-live=polite>Click a frame, or press Enter, to enlarge it; arrow keys move between "
           "frames. The outermost frame shows all.</p></div>\n";
}

}  // namespace zetl::command

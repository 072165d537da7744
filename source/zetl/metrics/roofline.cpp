#include "metrics/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "page/html.h"

namespace zetl::command {
namespace {

constexpr std::size_t kMostPoints = 200;
// of the drawing
constexpr double kWidth = 720;
constexpr double kHeight = 380;
constexpr double kLeft = 64;
constexpr double kRight = 16;
constexpr double kTop = 28;
constexpr double kBottom = 44;

struct Point {
    double intensity;  ///< operations per byte
    double rate;       ///< in 1e9 operations per second
};

std::optional<Point> pointOf(const KernelFacts& kernel) {
    constexpr std::string_view kRates[] = {"FP16[GFLOP/s]", "FP32[GFLOP/s]", "FP64[GFLOP/s]", "XMX float[GFLOP/s]"};
    double rate = 0;
    for (const auto heading : kRates) rate += kernel.number(heading).value_or(0);
    const double bytes = kernel.number("memory[GB/s]").value_or(0);
    if (!(rate > 0) || !(bytes > 0)) return std::nullopt;
    return Point{rate / bytes, rate};
}

/// What lies between two powers of ten, on a logarithmic axis.
struct Axis {
    int lowest;
    int highest;
    double begin;  // of the drawing
    double end;

    double at(double value) const {
        const double share = (std::log10(value) - lowest) / (highest - lowest);
        return begin + (end - begin) * std::clamp(share, 0.0, 1.0);
    }
};

int floorOf(double value) { return static_cast<int>(std::floor(std::log10(value))); }
int ceilingOf(double value) { return static_cast<int>(std::ceil(std::log10(value))); }

class Drawing {
  public:
    Drawing(const ModelledDevice& device, const std::vector<Point>& points) : device_(device) {
        double least = ridge() / 10;
        double most = ridge() * 10;
        double slowest = peak(kLanesOfSingle) / 100;
        for (const auto& point : points) {
            least = std::min(least, point.intensity);
            most = std::max(most, point.intensity);
            slowest = std::min(slowest, point.rate);
        }
        across_ = {floorOf(least), ceilingOf(most), kLeft, kWidth - kRight};
        up_ = {floorOf(slowest), ceilingOf(peak(kLanesOfHalf)), kHeight - kBottom, kTop};
    }

    void addRoofs() {
        addGrid();
        addRoof("FP16", peak(kLanesOfHalf));
        addRoof("FP32", peak(kLanesOfSingle));
        addRoof("FP64", peak(device_[doubleLanes]));
        const double bytes = device_[memoryBytesPerNanosecond];
        const double first = std::max(std::pow(10, across_.lowest), std::pow(10, up_.lowest) / bytes);
        const double last = peak(kLanesOfHalf) / bytes;
        text_ += fmt::format("<path class=roof d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>\n", across_.at(first),
                             up_.at(first * bytes), across_.at(last), up_.at(last * bytes));
        text_ += fmt::format("<text x={:.1f} y={:.1f}>device memory: {:.0f} GB/s</text>\n", across_.at(first) + 10,
                             up_.at(first * bytes) + 18, bytes);
    }

    void addPoint(std::size_t number, const std::string& name, const Point& point) {
        const double x = across_.at(point.intensity);
        const double y = up_.at(point.rate);
        text_ += fmt::format(
            "<g class=point><circle cx={0:.1f} cy={1:.1f} r=5><title>{2}: {3:.3g} operations per byte, {4:.3g} "
            "GFLOP/s</title></circle><text x={5:.1f} y={6:.1f}>{7}</text></g>\n",
            x, y, escaped(name), point.intensity, point.rate, x + 7, y - 5, number);
    }

    std::string svg() const {
        return fmt::format(
            "<svg class=roofline viewBox=\"0 0 {} {}\" role=img aria-label=\"Roofline: rates of kernels below the "
            "roofs of "
            "memory and arithmetic\">\n{}</svg>\n",
            kWidth, kHeight, text_);
    }

  private:
    // An engine takes 64 bytes of each operand per cycle.
    static constexpr double kLanesOfHalf = 32;
    static constexpr double kLanesOfSingle = 16;

    /// A multiplication with an addition is two operations.
    double peak(double lanes) const { return std::max(device_.engines() * lanes * 2 * device_.gigahertz(), 1e-3); }
    double ridge() const { return peak(kLanesOfSingle) / std::max(device_[memoryBytesPerNanosecond], 1e-3); }

    void addGrid() {
        for (int power = across_.lowest; power <= across_.highest; ++power) {
            const double x = across_.at(std::pow(10, power));
            text_ += fmt::format(
                "<path class=grid d=\"M{0:.1f} {1}V{2}\"/><text class=middle x={0:.1f} y={3}>{4:g}</text>\n", x, kTop,
                kHeight - kBottom, kHeight - kBottom + 16, std::pow(10, power));
        }
        for (int power = up_.lowest; power <= up_.highest; ++power) {
            const double y = up_.at(std::pow(10, power));
            text_ +=
                fmt::format("<path class=grid d=\"M{0} {1:.1f}H{2}\"/><text class=end x={3} y={4:.1f}>{5:g}</text>\n",
                            kLeft, y, kWidth - kRight, kLeft - 6, y + 4, std::pow(10, power));
        }
        text_ += fmt::format(
            "<text class=middle x={} y={}>operations per byte of device memory</text>\n<text x=4 y=11>GFLOP/s</text>\n",
            (kLeft + kWidth) / 2, kHeight - 8);
    }

    void addRoof(const char* name, double rate) {
        const double first = rate / std::max(device_[memoryBytesPerNanosecond], 1e-3);
        text_ += fmt::format(
            "<path class=roof d=\"M{0:.1f} {1:.1f}H{2}\"/><text class=end x={2} y={3:.1f}>{4}: {5:.0f} "
            "GFLOP/s</text>\n",
            across_.at(first), up_.at(rate), kWidth - kRight, up_.at(rate) - 4, name, rate);
    }

    const ModelledDevice& device_;
    Axis across_{};
    Axis up_{};
    std::string text_;
};

}  // namespace

std::string roofline(std::span<const KernelFacts> kernels, std::span<const std::string> names) {
    std::vector<Point> points;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < kernels.size() && points.size() < kMostPoints; ++i)
        if (const auto point = pointOf(kernels[i])) {
            points.push_back(*point);
            numbers.push_back(i);
        }
    if (points.empty()) return {};
    Drawing drawing(kernels.front().device(), points);
    drawing.addRoofs();
    for (std::size_t i = 0; i < points.size(); ++i) drawing.addPoint(numbers[i] + 1, names[numbers[i]], points[i]);
    return drawing.svg();
}

}  // namespace zetl::command

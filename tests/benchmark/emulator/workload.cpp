#include "workload.h"

#include <algorithm>
#include <bit>
#include <ctime>

namespace zetl::benchmark::emulator {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const std::size_t half = values.size() / 2;
    std::ranges::sort(values);
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Time Time::now() {
    const auto read = [](clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    };
    return {read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID)};
}

void Time::improve(const Time& other, bool first) {
    seconds = first ? other.seconds : std::min(seconds, other.seconds);
    processor = first ? other.processor : std::min(processor, other.processor);
}

std::span<const Workload> workloads() {
    static const std::vector<Workload> all = [] {
        std::vector<Workload> list;
        for (const auto some :
             {memoryWorkloads(), integerWorkloads(), realWorkloads(), shapeWorkloads(), imageWorkloads()})
            list.insert(list.end(), some.begin(), some.end());
        return list;
    }();
    return all;
}

double mean(const std::vector<std::uint32_t>& words, Result result) {
    double sum = 0;
    if (result == Result::floats) {
        for (const std::uint32_t word : words) sum += static_cast<double>(std::bit_cast<float>(word));
        return sum / static_cast<double>(words.size());
    }
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
        sum += std::bit_cast<double>(words[i] | std::uint64_t{words[i + 1]} << 32);
    return sum / static_cast<double>(words.size() / 2);
}

}  // namespace zetl::benchmark::emulator

// A collector of device activity beside an application, and the spans that it reported.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <ze_tools_layer/device_activity.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {

using activity::Span;
using activity::Work;

class Spans final : public activity::Sink {
  public:
    std::uint64_t call() noexcept override { return current; }
    bool wanted() noexcept override { return isWanted; }
    void opened(const activity::Stream& stream) noexcept override { streams[stream.id] = stream; }
    void named(std::uint32_t kernel, std::string_view name) noexcept override { names[kernel] = name; }
    void took(const Span& span) noexcept override { all.push_back(span); }

    std::vector<Span> of(Work work) const {
        std::vector<Span> found;
        std::ranges::copy_if(all, std::back_inserter(found), [&](const Span& each) { return each.work == work; });
        return found;
    }

    std::vector<Span> all;
    std::map<std::uint32_t, activity::Stream> streams;
    std::map<std::uint32_t, std::string> names;
    std::uint64_t current = 0;
    bool isWanted = true;
};

/// A collector that was there before the application's first object.
struct Watched {
    Watched() {
        zeInit(0);  // the loader brings the layer
        std::string failure;
        collector =
            activity::Collector::start(dlopen("libze_tools_layer.so.1", RTLD_NOW | RTLD_NOLOAD), spans, failure);
        EXPECT_NE(collector, nullptr) << failure;
    }
    Spans spans;
    std::unique_ptr<activity::Collector> collector;
};

inline Process watched(const std::string& scenario, const std::string& profile = "tiny") {
    return layered(emulated(scenario, profile), Slots::tracing);
}

inline constexpr ze_event_pool_flags_t kTimed = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;

/// A kernel that takes 64 numbers to write.
inline ze_kernel_handle_t writingKernel(const Gpu& gpu, std::uint32_t* out) {
    const auto kernel = gpu.kernel("writeIds", 64);
    Gpu::arguments(kernel, out, std::uint32_t{1});
    return kernel;
}

}  // namespace zetl::test

#include "emulator/module/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/service_thread.h"
#include "base/usable_cores.h"

namespace zetl::emulator::module {

bool sideBySide(std::size_t count, const std::function<bool(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    std::atomic<bool> failed{false};
    const auto takeAll = [&] {
        for (std::size_t i = next++; i < count && !failed; i = next++) work(i) ? void(++done) : void(failed = true);
    };
    std::vector<ServiceThread> helpers;
    const std::size_t wanted = std::min<std::size_t>(count, usableCores());
    helpers.reserve(wanted);
    while (helpers.size() + 1 < wanted) {
        auto thread = ServiceThread::start(log::Channel::emulator, "zetl-build", [&]() noexcept { takeAll(); });
        if (!thread) break;
        helpers.push_back(*std::move(thread));
    }
    takeAll();
    for (ServiceThread& helper : helpers) helper.join();
    return done == count;
}

}  // namespace zetl::emulator::module

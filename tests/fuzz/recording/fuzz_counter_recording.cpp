// Any bytes as the file of counters that `zetl metrics stream` reads back, whole or behind a proper description: it is
// none, or its rows are shown and drawn.
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "metrics/counter_tables.h"
#include "recording/counters.h"
#include "timeline/timeline.h"

namespace {

using namespace zetl::command;

constexpr const char* kDescription =
    R"([{"device":"a","tile":0,"columns":[{"name":"x","units":"bytes","plotted":true}]},)"
    R"({"device":"a","tile":1,"columns":[{"name":"x","units":"","plotted":false},{"name":"y","units":"","plotted":true}]}])";

void readAll(const std::string& path) {
    const CounterRecording counters(path);
    const auto ignore = [](const std::string&) {};
    (void)counterSummary(counters);
    (void)totalsOf(counters);
    writeCounterCsv(counters, ignore);
    writeCounterJson(counters, ignore);
    TimelineFile perfetto("/dev/null");
    TimelineFile json("/dev/null");
    writePerfetto({}, &counters, perfetto);
    writeJson({}, &counters, json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    const bool described = size % 2 != 0;
    if (described) bytes = std::string(kDescription) + '\n' + bytes;
    const int file = memfd_create("counters", MFD_CLOEXEC);
    if (write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size())) {
        try {
            readAll("/proc/self/fd/" + std::to_string(file));
        } catch (const std::runtime_error&) {
            if (described) throw;  // what is described has rows, if few
        }
    }
    return close(file);
}

// Any bytes as the records of a recording, behind a header of this version: tables and both kinds of timeline.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "timeline/summary.h"
#include "timeline/timeline.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace zetl::command;
    if (size > kChunkBytes) return 0;
    const int file = memfd_create("recording", MFD_CLOEXEC);
    std::string bytes(kHeaderBytes + kChunkBytes, '\0');
    auto* header = reinterpret_cast<FileHeader*>(bytes.data());
    std::memcpy(header->magic, kMagic, sizeof kMagic);
    header->functions = kFunctions;
    header->chunks = 1;
    std::memcpy(bytes.data() + kHeaderBytes, data, size);
    if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return close(file);
    std::vector<RecordingFile> recordings;
    recordings.emplace_back("/proc/self/fd/" + std::to_string(file));
    close(file);
    const Summary summary(recordings);
    (void)(summary.table(Terminal(), false) + summary.asTable().csv() + summary.json());
    TimelineFile perfetto("/dev/null");
    TimelineFile json("/dev/null");
    writePerfetto(recordings, nullptr, perfetto);
    writeJson(recordings, nullptr, json);
    return 0;
}

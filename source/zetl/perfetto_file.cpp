#include "perfetto_file.h"

#include <zlib.h>

#include <stdexcept>

namespace zetl::command {

void PerfettoFile::flush() {
    const auto packets = packets_.view();
    if (packets.empty()) return;
    auto bytes = compressBound(packets.size());
    compressed_.resize(bytes);
    if (compress2(reinterpret_cast<Bytef*>(compressed_.data()), &bytes, reinterpret_cast<const Bytef*>(packets.data()),
                  packets.size(), Z_BEST_SPEED) != Z_OK)
        throw std::runtime_error("the timeline cannot be compressed: no memory");
    {
        protozero::pbf_writer trace(block_);
        protozero::pbf_writer packet(trace, perfetto::Trace::packet);
        packet.add_bytes(perfetto::compressedPackets, compressed_.data(), bytes);
    }
    file_.write(block_);
    block_.clear();
    packets_.clear();
}

void PerfettoFile::finish() {
    flush();
    file_.finish();
}

}  // namespace zetl::command

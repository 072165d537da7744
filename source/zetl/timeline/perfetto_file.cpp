#include "timeline/perfetto_file.h"

#include <libdeflate.h>

#include <new>
#include <stdexcept>

namespace zetl::command {
namespace {

constexpr int kFastest = 1;

}  // namespace

PerfettoFile::PerfettoFile(TimelineFile& file)
    : file_(file), compressor_(libdeflate_alloc_compressor(kFastest), libdeflate_free_compressor) {
    if (!compressor_) throw std::bad_alloc();
}

void PerfettoFile::flush() {
    const auto packets = packets_.view();
    if (packets.empty()) return;
    compressed_.resize(libdeflate_zlib_compress_bound(compressor_.get(), packets.size()));
    const auto bytes = libdeflate_zlib_compress(compressor_.get(), packets.data(), packets.size(), compressed_.data(),
                                                compressed_.size());
    if (bytes == 0)
        throw std::logic_error("a compressed block of the timeline is larger than the compressor's own bound");
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

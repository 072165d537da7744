#include "recording/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace zetl::command {

namespace fs = std::filesystem;

namespace {

class Descriptor {
  public:
    explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
    ~Descriptor() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const noexcept { return descriptor_; }

  private:
    int descriptor_;
};

[[noreturn]] void refuse(const fs::path& path, const char* why) {
    throw std::runtime_error(fmt::format("{}: {}", path.native(), why));
}

/// The size of a regular file; of nothing else: a pipe or a device may keep a reader waiting for ever.
std::uint64_t sizeOf(int file, const fs::path& path) {
    struct stat facts {};
    if (file < 0 || fstat(file, &facts) != 0) refuse(path, std::strerror(errno));
    if (!S_ISREG(facts.st_mode)) refuse(path, "not a regular file");
    return static_cast<std::uint64_t>(facts.st_size);
}

/// The chunks that hold data. A file may claim millions of chunks and be a hole.
std::vector<ChunkRange> chunksWithData(int file, std::uint64_t chunks) {
    std::vector<ChunkRange> ranges;
    const auto end = static_cast<off_t>(kHeaderBytes + chunks * kChunkBytes);
    const auto chunkOf = [](off_t offset) { return (static_cast<std::uint64_t>(offset) - kHeaderBytes) / kChunkBytes; };
    for (off_t at = kHeaderBytes; at < end;) {
        const auto data = lseek(file, at, SEEK_DATA);
        if (data < 0 || data >= end) break;
        const auto hole = std::min(lseek(file, data, SEEK_HOLE), end);
        if (hole <= data) break;
        const auto last = chunkOf(hole - 1);
        if (!ranges.empty() && chunkOf(data) <= ranges.back().last)
            ranges.back().last = last;
        else
            ranges.push_back({chunkOf(data), last});
        at = hole;
    }
    return ranges;
}

}  // namespace

RecordingFile::RecordingFile(const fs::path& path) : path_(path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    bytes_ = sizeOf(file.get(), path);
    if (bytes_ < kHeaderBytes) refuse(path, "too short to be a recording");
    void* memory = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (memory == MAP_FAILED) refuse(path, std::strerror(errno));
    header_ = static_cast<const FileHeader*>(memory);
    if (std::memcmp(header_->magic, kMagic, sizeof kMagic) != 0 || header_->functions != kFunctions) {
        munmap(memory, bytes_);
        refuse(path, "not recorded by this version of zetl");
    }
    data_ = chunksWithData(file.get(), chunks());
    place_ = {{}, header_->process, command()};
}

bool RecordingFile::setPaused(const fs::path& path, bool paused) {
    const RecordingFile known(path);
    const Descriptor file(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0) return false;
    const std::uint32_t value = paused ? 1 : 0;
    return pwrite(file.get(), &value, sizeof value, offsetof(FileHeader, paused)) == sizeof value;
}

RecordingFile::~RecordingFile() {
    if (header_) munmap(const_cast<FileHeader*>(header_), bytes_);
}

RecordingFile::RecordingFile(RecordingFile&& other) noexcept
    : path_(std::move(other.path_)),
      header_(std::exchange(other.header_, nullptr)),
      bytes_(other.bytes_),
      data_(std::move(other.data_)),
      place_(std::move(other.place_)) {}

std::string RecordingFile::command() const {
    return {header_->command, strnlen(header_->command, sizeof header_->command)};
}

std::string RecordingFile::host() const {
    const std::string whole(header_->host, strnlen(header_->host, sizeof header_->host));
    return whole.substr(0, whole.find('.'));
}

std::string RecordingFile::boot() const { return {header_->boot, strnlen(header_->boot, sizeof header_->boot)}; }

namespace {

/// The number of words after a record of this function; nothing if there is no such function.
bool isSound(const Record& record) {
    switch (record.function) {
        case kThreadName:
            return record.words == kThreadNameWords;
        case kSpan:
            return record.words == kSpanWords;
        case kStream:
            return record.words == kStreamWords;
        case kRange:
            return record.words >= 2 && record.words <= kMostNameWords + 1;
        case kKernelName:
            return record.words != 0 && record.words <= kMostNameWords;
        default:
            return record.function < kFunctions && record.words == functions()[record.function].words;
    }
}

}  // namespace

std::uint64_t RecordingFile::chunks() const {
    return std::min(header_->chunks.load(), (bytes_ - kHeaderBytes) / kChunkBytes);
}

void RecordingFile::letGo(std::uint64_t chunk) const {
    auto* begin = const_cast<char*>(reinterpret_cast<const char*>(header_)) + kHeaderBytes + chunk * kChunkBytes;
    madvise(begin, kChunkBytes, MADV_DONTNEED);
}

const Record* RecordingFile::checked(std::uint64_t chunk, const char* place) const {
    const auto* end = reinterpret_cast<const char*>(header_) + kHeaderBytes + (chunk + 1) * kChunkBytes;
    if (end - place < static_cast<std::ptrdiff_t>(sizeof(Record))) return nullptr;
    const auto* record = reinterpret_cast<const Record*>(place);
    if (record->begin.load(std::memory_order_acquire) == 0 || !isSound(*record)) return nullptr;
    return end - place < static_cast<std::ptrdiff_t>(record->bytes()) ? nullptr : record;
}

const Record* RecordingFile::first(std::uint64_t chunk) const {
    return checked(chunk, reinterpret_cast<const char*>(header_) + kHeaderBytes + chunk * kChunkBytes);
}

const Record* RecordingFile::next(std::uint64_t chunk, const Record* record) const {
    return checked(chunk, reinterpret_cast<const char*>(record) + record->bytes());
}

std::uint64_t RecordingFile::placeOf(const Record& record) const {
    return static_cast<std::uint64_t>(reinterpret_cast<const char*>(&record) - reinterpret_cast<const char*>(header_));
}

const Record* RecordingFile::callAt(std::uint64_t place) const {
    if (place < kHeaderBytes || place % alignof(Record) != 0) return nullptr;
    const auto chunk = (place - kHeaderBytes) / kChunkBytes;
    const auto* record = chunk < chunks() ? checked(chunk, reinterpret_cast<const char*>(header_) + place) : nullptr;
    return record && record->isCall() ? record : nullptr;
}

namespace {

std::vector<fs::path> filesIn(const fs::path& directory, const char* suffix) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(directory)) {
        if (entry.path().extension() == suffix) paths.push_back(entry.path());
        if (!entry.path().filename().native().starts_with("rank") || !entry.is_directory()) continue;
        for (const auto& inner : fs::directory_iterator(entry.path()))
            if (inner.path().extension() == suffix) paths.push_back(inner.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace

std::vector<fs::path> recordingsIn(const fs::path& directory) { return filesIn(directory, kFileSuffix); }

std::vector<fs::path> rankSummariesIn(const fs::path& directory) { return filesIn(directory, kSummarySuffix); }

}  // namespace zetl::command

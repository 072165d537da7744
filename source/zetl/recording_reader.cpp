#include "recording_reader.h"

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

RecordingFile::RecordingFile(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts {};
    if (file < 0 || fstat(file, &facts) != 0)
        throw std::runtime_error(fmt::format("{}: {}", path.native(), std::strerror(errno)));
    bytes_ = static_cast<std::uint64_t>(facts.st_size);
    void* memory = bytes_ < kHeaderBytes ? MAP_FAILED : mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (memory == MAP_FAILED) throw std::runtime_error(fmt::format("{}: too short to be a recording", path.native()));
    header_ = static_cast<const FileHeader*>(memory);
    if (std::memcmp(header_->magic, kMagic, sizeof kMagic) != 0 || header_->functions != kFunctions) {
        munmap(memory, bytes_);
        throw std::runtime_error(fmt::format("{}: not recorded by this version of zetl", path.native()));
    }
}

bool RecordingFile::setPaused(const fs::path& path, bool paused) {
    const RecordingFile known(path);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return false;
    const std::uint32_t value = paused ? 1 : 0;
    const auto written = pwrite(file, &value, sizeof value, offsetof(FileHeader, paused));
    close(file);
    return written == sizeof value;
}

RecordingFile::~RecordingFile() {
    if (header_) munmap(const_cast<FileHeader*>(header_), bytes_);
}

RecordingFile::RecordingFile(RecordingFile&& other) noexcept
    : header_(std::exchange(other.header_, nullptr)), bytes_(other.bytes_) {}

std::string RecordingFile::command() const {
    return {header_->command, strnlen(header_->command, sizeof header_->command)};
}

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

std::vector<RecordingFile> openRecordings(const fs::path& directory) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(directory))
        if (entry.path().extension() == kFileSuffix) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<RecordingFile> files;
    for (const auto& path : paths) try {
            files.emplace_back(path);
        } catch (const std::exception& failure) {
            std::fprintf(stderr, "zetl: %s\n", failure.what());
        }
    return files;
}

}  // namespace zetl::command

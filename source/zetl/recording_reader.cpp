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
    if (memory == MAP_FAILED) throw std::runtime_error(fmt::format("{}: too short for a recording", path.native()));
    header_ = static_cast<const FileHeader*>(memory);
    if (std::memcmp(header_->magic, kMagic, sizeof kMagic) != 0 || header_->functions != kFunctions) {
        munmap(memory, bytes_);
        throw std::runtime_error(fmt::format("{}: not a recording of this version of zetl", path.native()));
    }
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

/// What a record of this function must have behind it, or no number at all for a function that does not exist.
bool isSound(const Record& record) {
    if (record.function == kThreadName) return record.words == kThreadNameWords;
    return record.function < kFunctions && record.words == functions()[record.function].words;
}

void visitChunk(const char* next, const char* end, const std::function<void(const Record&)>& visit) {
    while (end - next >= static_cast<std::ptrdiff_t>(sizeof(Record))) {
        const auto& record = *reinterpret_cast<const Record*>(next);
        if (record.begin.load(std::memory_order_acquire) == 0 || !isSound(record)) return;
        if (end - next < static_cast<std::ptrdiff_t>(record.bytes())) return;
        visit(record);
        next += record.bytes();
    }
}

}  // namespace

void RecordingFile::forEach(const std::function<void(const Record&)>& visit) const {
    const auto* base = reinterpret_cast<const char*>(header_);
    const auto chunks = std::min(header_->chunks.load(), (bytes_ - kHeaderBytes) / kChunkBytes);
    for (std::uint64_t i = 0; i < chunks; ++i) {
        const auto* chunk = base + kHeaderBytes + i * kChunkBytes;
        visitChunk(chunk, chunk + kChunkBytes, visit);
    }
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

#include "query/stall_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "injected/stalls_format.h"

namespace zetl::queries {
namespace {

using namespace std::chrono_literals;

constexpr auto kSoonest = 20ms;
constexpr int kShare = 100;
constexpr int kMostPrograms = 1000;  // that follow each other in one process

/// A name that no earlier program of this process used; the process may have called exec.
std::string freeStem(const std::string& directory) {
    for (int i = 0; i < kMostPrograms; ++i) {
        auto stem = directory + "/" + std::to_string(getpid()) + "-" + std::to_string(i);
        const auto path = stem + command::kStallsSuffix;
        const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0 && errno == EEXIST) continue;
        if (file >= 0) close(file);
        return stem;
    }
    return directory + "/" + std::to_string(getpid());
}

/// Zero, or the errno of the failure. Checks the limit first, because a write beyond it would send the application a
/// signal.
int append(int file, const void* bytes, std::size_t size) {
    struct stat status {};
    rlimit limit{};
    const bool known = fstat(file, &status) == 0 && getrlimit(RLIMIT_FSIZE, &limit) == 0;
    if (known && limit.rlim_cur - std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(status.st_size)) < size)
        return EFBIG;
    const auto* const text = static_cast<const char*>(bytes);
    for (std::size_t done = 0; done < size;) {
        const auto step = ::write(file, text + done, size - done);
        if (step < 0 && errno != EINTR) return errno;
        done += step > 0 ? static_cast<std::size_t>(step) : 0;
    }
    return 0;
}

}  // namespace

StallFile::StallFile(const std::string& directory) : stem_(freeStem(directory)) {}

std::string StallFile::pathOf(const char* suffix) const { return stem_ + suffix; }

void StallFile::write(const std::string& path, const void* bytes, std::size_t size) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const int failure = file < 0 ? errno : append(file, bytes, size);
    if (file >= 0) close(file);
    if (failure == 0 || failed_) return;
    failed_ = true;
    std::fprintf(stderr, "zetl: samples are missing: %s: %s\n", path.c_str(), std::strerror(failure));
}

void StallFile::writeLine(const std::string& line) { write(pathOf(command::kStallsSuffix), line.data(), line.size()); }

void StallFile::head(std::uint32_t period, const std::vector<std::string>& reasons) {
    reasons_ = reasons.size();
    std::string line = command::kStallsHead + ("\t" + std::to_string(period));
    for (const auto& each : reasons) line += "\t" + each;
    writeLine(line + "\n");
}

void StallFile::moduleMade(std::uint32_t number, std::span<const std::uint8_t> image) {
    flush();
    const auto name = std::to_string(number);
    write(stem_ + "-" + name + command::kImageSuffix, image.data(), image.size());
    writeLine(command::kModuleMade + ("\t" + name + "\n"));
}

void StallFile::moduleGone(std::uint32_t number) {
    flush();
    writeLine(command::kModuleGone + ("\t" + std::to_string(number) + "\n"));
}

void StallFile::add(std::uint64_t address, std::size_t reason, std::uint64_t samples) {
    auto& sums = sums_[address];
    sums.resize(reasons_);
    if (reason < reasons_) sums[reason] += samples;
}

void StallFile::lost(std::uint64_t samples) {
    writeLine(command::kSamplesLost + ("\t" + std::to_string(samples) + "\n"));
}

void StallFile::periodChanged(std::uint32_t period) {
    writeLine(command::kPeriodChanged + ("\t" + std::to_string(period) + "\n"));
}

void StallFile::flushIfDue() {
    const auto now = Clock::now();
    if (now - flushed_ >= std::max<Clock::duration>(kSoonest, (now - started_) / kShare)) flush();
}

void StallFile::flush() {
    flushed_ = Clock::now();
    std::string text;
    for (const auto& [address, sums] : sums_) {
        text += command::kSamples + ("\t" + std::to_string(address));
        for (const auto each : sums) text += "\t" + std::to_string(each);
        text += "\n";
    }
    sums_.clear();
    if (!text.empty()) writeLine(text);
}

}  // namespace zetl::queries

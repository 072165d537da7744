#include "findings/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>

#include "findings/finding_text.h"

namespace zetl::command {

namespace fs = std::filesystem;

std::string progressText(const fs::path& directory, std::chrono::seconds since) {
    std::size_t processes = 0;
    std::ptrdiff_t findings = 0;
    std::error_code none;  // of a file that is not there any more
    for (auto entry = fs::directory_iterator(directory, none); entry != fs::directory_iterator();
         entry.increment(none)) {
        if (entry->path().extension() != ".jsonl") continue;
        ++processes;
        std::ifstream file(entry->path());
        findings += std::count(std::istreambuf_iterator<char>(file), {}, '\n');
    }
    return fmt::format("{} s: {} process{} checked, {} finding{} so far", since.count(), processes,
                       processes == 1 ? " is" : "es are", findings, findings == 1 ? "" : "s");
}

Progress::Progress(fs::path directory, std::chrono::seconds interval)
    : directory_(std::move(directory)), interval_(interval) {
    if (interval_.count() > 0) thread_ = std::thread([this] { tell(); });
}

Progress::~Progress() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard guard(mutex_);
        isOver_ = true;
    }
    over_.notify_all();
    thread_.join();
}

void Progress::tell() {
    std::unique_lock lock(mutex_);
    for (std::chrono::seconds since = interval_; !over_.wait_for(lock, interval_, [this] { return isOver_; });
         since += interval_)
        fmt::print(stderr, "{}{}\n", kPrefix, progressText(directory_, since));
}

}  // namespace zetl::command

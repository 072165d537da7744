// Tells how far a checked program has come, while it runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

namespace zetl::command {

/// "90 s: 2 processes are checked, 3 findings so far". A line of a process's file counts as one.
std::string progressText(const std::filesystem::path& directory, std::chrono::seconds since);

/// Prints that to standard error after each interval, until it is destroyed. Nothing if the interval is 0.
class Progress {
  public:
    Progress(std::filesystem::path directory, std::chrono::seconds interval);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

  private:
    void tell();

    const std::filesystem::path directory_;
    const std::chrono::seconds interval_;
    std::mutex mutex_;
    std::condition_variable over_;
    bool isOver_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace zetl::command

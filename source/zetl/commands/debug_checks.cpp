#include "commands/debug_checks.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "debug/core/failure.h"
#include "findings/check_program.h"
#include "findings/finding_text.h"
#include "findings/gathered.h"
#include "recording/directory.h"

namespace zetl::command {
namespace {

/// Each start of the program writes a file of its own; a mistake is printed once for all of them.
class DebugChecks : public debugger::Checks {
  public:
    std::vector<std::pair<std::string, std::string>> on(const std::string& kinds) override {
        const std::string groups = kinds.empty() ? CheckOptions().groups : kinds;
        if (!check::Groups::named(groups))
            debugger::fail("check on {}: not a list of checks; there are {}", kinds, check::groupNames());
        if (!directory_) directory_ = std::make_unique<RecordingDirectory>("");
        return {{"ZETL_CHECK", groups}, {"ZETL_CHECK_OUTPUT", directory_->path().native()}};
    }

    std::vector<std::pair<std::string, std::string>> off() override { return {{"ZETL_CHECK", ""}}; }

    std::string news() override {
        if (!directory_ || std::exchange(bytes_, bytes()) == bytes_) return {};
        std::string text;
        for (const check::Finding& finding : gather({{directory_->path(), ""}}).findings)
            if (check::levelOf(finding) >= CheckOptions().level && told_.insert(keyOf(finding)).second)
                text += blockOf(finding);
        return text;
    }

  private:
    /// What was written so far: every stop asks, and most find nothing new.
    std::uintmax_t bytes() const {
        std::uintmax_t all = 0;
        for (const auto& entry : std::filesystem::directory_iterator(directory_->path()))
            if (entry.is_regular_file()) all += entry.file_size();
        return all;
    }

    std::uintmax_t bytes_ = 0;
    std::unique_ptr<RecordingDirectory> directory_;
    std::set<std::string> told_;
};

}  // namespace

std::shared_ptr<debugger::Checks> makeDebugChecks() { return std::make_shared<DebugChecks>(); }

}  // namespace zetl::command

#include "endpoint/published_name.h"

#include <unistd.h>

#include <cstdlib>
#include <set>
#include <utility>

#include "base/never_destroyed.h"
#include "base/synchronized.h"

namespace zetl::endpoint {
namespace {

using Names = Synchronized<std::set<const PublishedName*>>;

Names& names() {
    static NeverDestroyed<Names> all;
    return *all;
}

/// Agents live as long as their process and are never destroyed, so their names are removed here.
void withdrawAll() {
    names().read([](const auto& all) {
        for (const auto* each : all) each->withdraw();
    });
}
[[maybe_unused]] const bool withdrawnAtExit = std::atexit(withdrawAll) == 0;

}  // namespace

PublishedName::PublishedName(FileDescriptor directory, std::string name, std::string directoryToRemove)
    : directory_(std::move(directory)),
      name_(std::move(name)),
      directoryToRemove_(std::move(directoryToRemove)),
      process_(getpid()) {
    names().write([this](auto& all) { all.insert(this); });
}

PublishedName::~PublishedName() {
    names().write([this](auto& all) { all.erase(this); });
    withdraw();
}

void PublishedName::withdraw() const noexcept {
    if (getpid() != process_) return;
    unlinkat(directory_.get(), name_.c_str(), 0);
    if (!directoryToRemove_.empty()) rmdir(directoryToRemove_.c_str());
}

}  // namespace zetl::endpoint

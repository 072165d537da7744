#include "nvidia/driver/execution/submission.h"

#include <atomic>

namespace zetl::nvidia::submissions {
namespace {

std::atomic<Observer*> observer{nullptr};  // set before the first tag is
constinit thread_local std::uint64_t tagOfThread = 0;

}  // namespace

void observe(Observer& given) noexcept { observer.store(&given); }

std::uint64_t tag() noexcept { return tagOfThread; }
void setTag(std::uint64_t tag) noexcept { tagOfThread = tag; }

Submission::Submission(std::uint64_t tag) noexcept {
    if (auto* const told = observer.load()) told->begins(tag);
}

Submission::~Submission() {
    if (auto* const told = observer.load()) told->ends(good_);
}

}  // namespace zetl::nvidia::submissions

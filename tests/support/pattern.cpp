#include "support/pattern.h"

#include <mutex>
#include <regex>

namespace zetl::test {

std::vector<Match> matchesOf(const std::string& expression, const std::string& text) {
    // libstdc++'s locale fills a table of its own as expressions are compiled, without a lock.
    static std::mutex mutex;
    const std::lock_guard guard(mutex);
    const std::regex compiled(expression);
    std::vector<Match> found;
    for (std::sregex_iterator each(text.begin(), text.end(), compiled), end; each != end; ++each)
        found.push_back({static_cast<std::size_t>(each->position()), {each->begin(), each->end()}});
    return found;
}

}  // namespace zetl::test

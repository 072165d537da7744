// A report to look at: one HTML file that needs nothing else, and no network.
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zetl::command {

/// "2026-11-28 18:52:25 UTC"; empty if there is no such time.
std::string utcText(std::time_t time);

/// The two style and script texts that every page contains.
std::string_view pageStyle() noexcept;
std::string_view pageScript() noexcept;

class Page {
  public:
    /// How much a finding matters.
    enum class Level { good, note, warning, error };

    /// What the page is about: "zetl trace", and the program.
    Page(std::string what, std::string subject) : what_(std::move(what)), subject_(std::move(subject)) {}

    /// A sentence at the top of the page. Errors come first.
    void addFinding(Level level, const std::string& text);
    /// A number that the overview shows large.
    void addFigure(const std::string& label, const std::string& value);
    /// `html` is markup, with texts escaped.
    void addSection(const std::string& id, const std::string& title, const std::string& html);
    /// Where and how the page was made: the command line of this process, and the variables that matter.
    void addEnvironment(const std::vector<std::pair<std::string, std::string>>& facts);

    std::string html() const;

  private:
    struct Finding {
        Level level;
        std::string text;
    };
    struct Section {
        std::string id;
        std::string title;
        std::string html;
    };
    std::string what_;
    std::string subject_;
    std::vector<Finding> findings_;
    std::string figures_;
    std::vector<Section> sections_;
};

}  // namespace zetl::command

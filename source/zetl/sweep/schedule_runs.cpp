#include "sweep/schedule_runs.h"

#include <fmt/format.h>
#include <sys/personality.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "files/file_content.h"
#include "recording/directory.h"
#include "run/launch.h"
#include "sweep/run_end.h"
#include "text/json.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

struct ScheduleRun {
    std::string schedule;
    int code = 0;
    std::string difference{};  ///< from the first run: for a person; empty: none
};

class Runner {
  public:
    Runner(const Installation& installation, const Choice& choice, const std::vector<std::string>& program)
        : program_(program), variables_(variablesFor(installation, choice)), directory_("") {}

    RunEnd run(const std::string& schedule) const {
        const fs::path file = directory_.path() / "output";
        const int code = runToEnd(program_, [&] {
            // Addresses that are the same in each run make fewer differences that mean nothing. It may be forbidden.
            personality(ADDR_NO_RANDOMIZE);
            apply(variables_);
            apply({{"ZETL_EMULATOR_ORDER", schedule}});
            capture(file.native());
        });
        return {code, contentOf(file).value_or("")};
    }

  private:
    const std::vector<std::string>& program_;
    Variables variables_;
    RecordingDirectory directory_;
};

std::string blockOf(const ScheduleRun& run) {
    return fmt::format("schedule {}: {}\n  again: zetl run --schedule {}", run.schedule,
                       run.difference.empty() ? fmt::format("the program ended with {}", run.code) : run.difference,
                       run.schedule);
}

bool isWrong(const ScheduleRun& run) { return run.code != 0 || !run.difference.empty(); }

std::string reportOf(const std::vector<ScheduleRun>& runs, std::size_t planned, bool unsteady) {
    std::string text;
    const auto wrong = std::ranges::count_if(runs, isWrong);
    if (const auto first = std::ranges::find_if(runs, isWrong); first != runs.end()) text += blockOf(*first) + '\n';
    text += fmt::format("zetl run: {} runs under the schedules {} to {}: ", runs.size(), runs.front().schedule,
                        runs.back().schedule);
    text += wrong == 0 ? "all printed the same\n" : fmt::format("{} failed or differ from the first\n", wrong);
    if (unsteady)
        text += fmt::format(
            "zetl run: schedule {} differs from itself when it runs again: the output depends on time, on addresses "
            "or on the program's own threads\n",
            runs.front().schedule);
    if (runs.size() < planned) text += fmt::format("zetl run: cancelled; {} were asked for\n", planned);
    return text;
}

Report scheduleReport(const std::vector<ScheduleRun>& runs, const std::string& program) {
    Report report{"zetl run --schedules",
                  program,
                  {{"schedule/failed", "the program fails under a schedule"},
                   {"schedule/output", "the program prints something else under a schedule"}}};
    for (const ScheduleRun& run : runs) {
        TestCase test{"schedule", fmt::format("schedule {}", run.schedule)};
        if (isWrong(run)) {
            Problem problem;
            problem.rule = run.code != 0 ? 0 : 1;
            problem.text = blockOf(run);
            problem.key = fmt::format("{} {}", report.rules[problem.rule].name, run.schedule);
            test.failure = Failure{report.rules[problem.rule].name, report.rules[problem.rule].summary, problem.text};
            report.problems.push_back(std::move(problem));
        }
        report.cases.push_back(std::move(test));
    }
    return report;
}

Table runTable(const std::vector<ScheduleRun>& runs) {
    Table table{{"schedule", "exit code", "same", "difference"}, {}};
    for (const ScheduleRun& run : runs)
        table.rows.push_back({run.schedule, run.code, run.difference.empty() ? "yes" : "no", run.difference});
    return table;
}

std::string jsonOf(const std::vector<ScheduleRun>& runs, bool unsteady) {
    auto all = Json::array();
    for (const ScheduleRun& run : runs) {
        Json one{{"schedule", run.schedule}, {"exitCode", run.code}, {"same", run.difference.empty()}};
        if (!run.difference.empty()) one["difference"] = run.difference;
        all.push_back(std::move(one));
    }
    const Json text{{"schema", 1}, {"unsteady", unsteady}, {"runs", all}};
    return text.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

int runSchedules(const Installation& installation, const Choice& choice, const ScheduleOptions& options) {
    ReportFiles reports(options.reports, "runs");
    const Runner runner(installation, choice, options.program);
    const std::uint64_t first = choice.schedule.empty() ? 1 : std::stoull(choice.schedule);
    std::vector<ScheduleRun> runs;
    RunEnd usual;
    for (std::uint64_t i = 0; i < options.schedules; ++i) {
        ScheduleRun run{std::to_string(first + i)};
        RunEnd end = runner.run(run.schedule);
        run.code = end.code;
        if (runs.empty()) {
            usual = std::move(end);
            fmt::print(stderr, "{}", usual.output);
        } else {
            run.difference = differenceOf(usual, end);
        }
        runs.push_back(std::move(run));
        if (endsAllRuns(runs.back().code)) break;
    }
    const bool differs = std::ranges::any_of(runs, [](const ScheduleRun& run) { return !run.difference.empty(); });
    bool unsteady = false;
    if (differs && !endsAllRuns(runs.back().code))
        unsteady = !differenceOf(usual, runner.run(runs.front().schedule)).empty();
    reports.tables().show(reportOf(runs, options.schedules, unsteady), stderr);
    reports.tables().write(runTable(runs), jsonOf(runs, unsteady));
    reports.write(scheduleReport(runs, options.program.front()));
    const auto failed = std::ranges::find_if(runs, [](const ScheduleRun& run) { return run.code != 0; });
    if (failed != runs.end()) return failed->code;
    return differs ? kOtherOutput : 0;
}

}  // namespace zetl::command

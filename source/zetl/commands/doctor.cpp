// `zetl doctor` on the command line.
#include "doctor/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <memory>

#include "commands/commands.h"
#include "commands/options.h"
#include "text/terminal.h"

namespace zetl::command {
namespace {

bool isGood(const Finding& finding) { return finding.verdict == Verdict::good; }

/// Programs that read the findings line by line have each in one.
std::size_t widthFor(const TableOptions& tables) {
    const bool terminal = tables.text.empty() && isatty(STDOUT_FILENO) != 0;
    return terminal ? Terminal::of(STDOUT_FILENO).width : std::numeric_limits<std::size_t>::max();
}

}  // namespace

void addDoctor(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("doctor", "Check the installation and the system, and say how to fix problems");
    auto patient = std::make_shared<Patient>();
    auto onlyTrouble = std::make_shared<bool>(false);
    auto tables = std::make_shared<TableOptions>();
    addTableOptions(*command, *tables, "the findings", "the findings", JsonOption::file);
    command->add_flag("--native", patient->needsGpu, "Report a problem if no Intel GPU can be used");
    command->add_flag("-q,--quiet", *onlyTrouble, "Print only notes and problems");
    command->allow_extras();
    command->callback([=] {
        requireNoMore(*command, call.line);
        patient->installation = call.installation;
        TableOutputs outputs(*tables);
        auto findings = examine(*patient);
        const auto problems = countOf(findings, Verdict::problem);
        const auto notes = countOf(findings, Verdict::note);
        if (*onlyTrouble) std::erase_if(findings, isGood);
        outputs.write(findingTable(findings));
        const auto text = prescription(findings, widthFor(*tables));
        outputs.show(fmt::format("{}{} problems, {} notes\n", text, problems, notes), stdout);
        call.code = problems ? 1 : 0;
    });
}

}  // namespace zetl::command

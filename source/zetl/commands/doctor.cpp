// `zetl doctor` on the command line.
#include "doctor/doctor.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/commands.h"

namespace zetl::command {

void addDoctor(CLI::App& app, const Invocation& call) {
    auto* command = app.add_subcommand("doctor", "Check the installation and the system, and say how to fix problems");
    auto patient = std::make_shared<Patient>();
    auto onlyTrouble = std::make_shared<bool>(false);
    command->add_flag("--native", patient->needsGpu, "Report a problem if no Intel GPU can be used");
    command->add_flag("-q,--quiet", *onlyTrouble, "Print only notes and problems");
    command->allow_extras();
    command->callback([=] {
        requireNoMore(*command, call.line);
        patient->installation = call.installation;
        call.code = prescribe(examine(*patient), *onlyTrouble);
    });
}

}  // namespace zetl::command

#include "run/program_answer.h"

#include <sys/wait.h>

namespace zetl::command {

AskedProgram::AskedProgram(const std::string& command) : pipe_(popen(("exec " + command).c_str(), "r")) {}

ProgramAnswer AskedProgram::answer() {
    ProgramAnswer answer;
    if (!pipe_) return answer;
    char text[1024] = "";
    answer.text.assign(text, std::fread(text, 1, sizeof text - 1, pipe_.get()));
    while (std::fgetc(pipe_.get()) != EOF) {
    }
    const int status = pclose(pipe_.release());
    answer.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return answer;
}

ProgramAnswer answerOf(const std::string& command) { return AskedProgram(command).answer(); }

}  // namespace zetl::command

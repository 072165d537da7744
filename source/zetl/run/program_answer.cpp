#include "run/program_answer.h"

#include <sys/wait.h>

#include <cstdio>

namespace zetl::command {

ProgramAnswer answerOf(const std::string& command) {
    ProgramAnswer answer;
    std::FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return answer;
    char text[1024] = "";
    answer.text.assign(text, std::fread(text, 1, sizeof text - 1, pipe));
    while (std::fgetc(pipe) != EOF) {
    }
    const int status = pclose(pipe);
    answer.good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return answer;
}

}  // namespace zetl::command

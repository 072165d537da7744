#include "isolated_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace zetl::random_kernels {
namespace {

constexpr unsigned kBuildSeconds = 300;
constexpr unsigned kKernelSeconds = 300;  // PoCL builds a kernel when it first runs

void put(int pipe, const void* data, std::size_t size) {
    for (auto at = static_cast<const char*>(data); size != 0;) {
        const ssize_t now = write(pipe, at, size);
        if (now <= 0) _exit(1);
        at += now;
        size -= static_cast<std::size_t>(now);
    }
}
void putBytes(int pipe, const void* data, std::uint64_t size) {
    put(pipe, &size, sizeof size);
    put(pipe, data, size);
}

bool get(int pipe, void* data, std::size_t size) {
    for (auto at = static_cast<char*>(data); size != 0;) {
        const ssize_t now = read(pipe, at, size);
        if (now <= 0) return false;
        at += now;
        size -= static_cast<std::size_t>(now);
    }
    return true;
}
template <class Container>
bool getBytes(int pipe, Container& bytes) {
    std::uint64_t size = 0;
    if (!get(pipe, &size, sizeof size)) return false;
    bytes.resize(size);
    return get(pipe, bytes.data(), size);
}

void putOutcome(int pipe, const Outcome& outcome) {
    put(pipe, &outcome.kind, sizeof outcome.kind);
    put(pipe, &outcome.spilledBytes, sizeof outcome.spilledBytes);
    putBytes(pipe, outcome.problem.data(), outcome.problem.size());
    const std::uint64_t count = outcome.buffers.size();
    put(pipe, &count, sizeof count);
    for (const kernels::Bytes& bytes : outcome.buffers) putBytes(pipe, bytes.data(), bytes.size());
}
std::optional<Outcome> getOutcome(int pipe) {
    Outcome outcome;
    std::uint64_t count = 0;
    if (!get(pipe, &outcome.kind, sizeof outcome.kind) ||
        !get(pipe, &outcome.spilledBytes, sizeof outcome.spilledBytes) || !getBytes(pipe, outcome.problem) ||
        !get(pipe, &count, sizeof count))
        return std::nullopt;
    outcome.buffers.resize(count);
    for (kernels::Bytes& bytes : outcome.buffers)
        if (!getBytes(pipe, bytes)) return std::nullopt;
    return outcome;
}

std::string sourceOf(std::span<const RandomKernel> kernels) {
    std::string source = prelude();
    for (const RandomKernel& kernel : kernels) source += kernel.source;
    return source;
}

/// The child: says what became of each kernel, and ends behind the first that failed, whose device may be lost.
[[noreturn]] void work(const Setup& setup, std::span<const RandomKernel> kernels, int pipe) {
    for (const auto& [name, value] : setup.environment) setenv(name.c_str(), value.c_str(), 1);
    Outcome outcome{.kind = Outcome::Kind::refused, .problem = {}, .buffers = {}};
    try {
        alarm(kBuildSeconds);
        const auto program = setup.build(sourceOf(kernels));
        for (const RandomKernel& kernel : kernels) {
            outcome = {.kind = Outcome::Kind::failed,
                       .problem = {},
                       .buffers = {},
                       .spilledBytes = program->spilledBytes(kernel.launch.kernel)};
            alarm(kKernelSeconds);
            std::vector<kernels::CaseArgument> arguments = kernel.launch.arguments;
            program->run(kernel.launch.kernel, kernel.launch, arguments);
            outcome.kind = Outcome::Kind::ran;
            for (kernels::CaseArgument& argument : arguments)
                if (argument.kind == kernels::CaseArgument::Kind::buffer)
                    outcome.buffers.push_back(std::move(argument.bytes));
            putOutcome(pipe, outcome);
        }
    } catch (const std::exception& problem) {
        outcome.problem = problem.what();
        putOutcome(pipe, outcome);
    }
    _exit(0);
}

std::string endingOf(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) return fmt::format("its process ended with code {}", WEXITSTATUS(status));
    const int signal = WTERMSIG(status);
    return signal == SIGALRM ? "it took too long" : fmt::format("its process was ended by signal {}", signal);
}

/// What one process said, and how it ended if it did not say all.
std::vector<Outcome> runInChild(const Setup& setup, std::span<const RandomKernel> kernels) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::fflush(stdout);  // or the child writes it as well
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        work(setup, kernels, ends[1]);
    }
    close(ends[1]);
    std::vector<Outcome> outcomes;
    while (auto outcome = getOutcome(ends[0])) outcomes.push_back(*std::move(outcome));
    close(ends[0]);
    const std::string ending = endingOf(child);
    const bool saidWhy = !outcomes.empty() && outcomes.back().kind != Outcome::Kind::ran;
    if (outcomes.size() < kernels.size() && !saidWhy)
        outcomes.push_back({.kind = outcomes.empty() ? Outcome::Kind::refused : Outcome::Kind::failed,
                            .problem = ending,
                            .buffers = {}});
    return outcomes;
}

std::vector<Outcome> runOnce(const Setup& setup, std::span<const RandomKernel> kernels) {
    const std::string source = sourceOf(kernels);
    if (const auto refused = setup.refusals->find(source); refused != setup.refusals->end())
        return {{.kind = Outcome::Kind::refused, .problem = refused->second, .buffers = {}}};
    std::vector<Outcome> outcomes = runInChild(setup, kernels);
    if (outcomes.front().kind == Outcome::Kind::refused) setup.refusals->emplace(source, outcomes.front().problem);
    return outcomes;
}

}  // namespace

std::vector<Outcome> run(const Setup& setup, std::span<const RandomKernel> kernels) {
    std::vector<Outcome> outcomes = runOnce(setup, kernels);
    const auto append = [&](std::span<const RandomKernel> rest) {
        if (rest.empty()) return;
        for (Outcome& outcome : run(setup, rest)) outcomes.push_back(std::move(outcome));
    };
    if (outcomes.front().kind == Outcome::Kind::refused && kernels.size() > 1) {
        outcomes.clear();
        append(kernels.first(kernels.size() / 2));
        append(kernels.subspan(kernels.size() / 2));
    } else {
        append(kernels.subspan(outcomes.size()));
    }
    return outcomes;
}

void store(const std::string& path, const Outcome& outcome) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) throw std::runtime_error(fmt::format("cannot write {}", path));
    putOutcome(file, outcome);
    close(file);
}

std::optional<Outcome> stored(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY);
    if (file < 0) return std::nullopt;
    std::optional<Outcome> outcome = getOutcome(file);
    close(file);
    return outcome;
}

}  // namespace zetl::random_kernels

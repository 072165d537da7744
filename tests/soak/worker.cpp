// One process of a soak run (scripts/soak): threads that do random legal episodes until the time is up.
//
//   soak_worker --seed 7 --seconds 10 --threads 4 [--short-of memory|files] [--quiet-every N] [--only EPISODE]
//   soak_worker --episode fill --episode-seed 12345       one episode again, as a failure prints it
//
// Prints a line each second in which an episode ended, and at last a summary. Exit code 1: a call failed, a result was
// wrong, or something leaks.
#include <signal.h>
#include <sys/resource.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "soak/episodes.h"
#include "soak/peer.h"
#include "soak/quiet_points.h"

namespace zetl::soak {
namespace {

struct Options {
    std::uint64_t seed = 1;
    std::uint64_t seconds = 10;
    std::uint32_t threads = 4;
    std::uint32_t quietEvery = 25;  // episodes of a thread between two quiet points
    std::string shortOf;
    std::string only;  // empty: all episodes
    std::string episode;
    std::uint64_t episodeSeed = 0;
};

Options optionsOf(int count, char** values) {
    std::map<std::string, std::string> given;
    for (int i = 1; i + 1 < count; i += 2) given[values[i]] = values[i + 1];
    const auto number = [&](const char* name, std::uint64_t otherwise) {
        return given.contains(name) ? std::strtoull(given[name].c_str(), nullptr, 10) : otherwise;
    };
    Options options;
    options.seed = number("--seed", options.seed);
    options.seconds = number("--seconds", options.seconds);
    options.threads = static_cast<std::uint32_t>(number("--threads", options.threads));
    options.quietEvery = static_cast<std::uint32_t>(number("--quiet-every", options.quietEvery));
    options.shortOf = given["--short-of"];
    options.only = given["--only"];
    options.episode = given["--episode"];
    options.episodeSeed = number("--episode-seed", 0);
    return options;
}

/// Those of that name; all of them if it is empty.
std::vector<Episode> episodesOf(const std::string& name) {
    std::vector<Episode> chosen;
    for (const auto family : {memoryEpisodes(), executionEpisodes(), processEpisodes(), toolEpisodes()})
        for (const auto& episode : family)
            if (name.empty() || episode.name == name) chosen.push_back(episode);
    if (chosen.empty()) throw std::invalid_argument("there is no episode " + name);
    return chosen;
}

/// A seed of its own for each round of each thread, without memory, which may be short.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t thread, std::uint64_t round) {
    return std::mt19937_64(std::mt19937_64(seed)() ^ (thread << 48 | round))();
}

/// Less than a busy process takes, so that calls are refused.
void becomeShort(const std::string& of) {
    constexpr rlim_t kFiles = 40;
    constexpr rlim_t kRoomInBytes = 64u << 20;
    if (of == "files") {
        const rlimit limit{kFiles, kFiles};
        setrlimit(RLIMIT_NOFILE, &limit);
    } else if (of == "memory") {
        std::uint64_t pages = 0;
        if (FILE* const file = std::fopen("/proc/self/statm", "r")) {
            if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
            std::fclose(file);
        }
        const rlimit limit{pages * 4096 + kRoomInBytes, RLIM_INFINITY};
        setrlimit(RLIMIT_AS, &limit);
    }
}

class Run {
  public:
    explicit Run(Options options)
        : options_(std::move(options)),
          meeting_(options_.threads, Measure{*this}),
          episodes_(episodesOf(options_.episode.empty() ? options_.only : options_.episode)) {
        // Locks of the C and C++ libraries, such as that of exceptions without memory, do not survive a fork while
        // another thread has them: such a child may hang, and the driver cannot help it.
        if (options_.shortOf == "memory" && episodes_.size() > 1)
            std::erase_if(episodes_, [](const Episode& each) { return each.name == "forkInKernel"; });
    }

    int execute() {
        for (std::uint32_t i = 0; i < options_.threads; ++i) gpus_.push_back(std::make_unique<Gpu>());
        becomeShort(options_.shortOf);
        std::vector<std::thread> threads;
        for (std::uint32_t i = 0; i < options_.threads; ++i) threads.emplace_back([this, i] { work(i); });
        std::jthread reporter([this](const std::stop_token& stop) { report(stop); });
        for (auto& thread : threads) thread.join();
        reporter.request_stop();
        reporter.join();
        return summary();
    }

    /// One episode again.
    int repeat() {
        tryEpisode(Gpu(), episodes_.front(), options_.episodeSeed);
        return failed_ ? 1 : 0;
    }

  private:
    struct Measure {
        Run& run;
        void operator()() noexcept { run.measure(); }
    };

    void work(std::uint32_t thread) {
        for (std::uint64_t round = 0;; ++round) {
            if (round % options_.quietEvery == 0) {
                meeting_.arrive_and_wait();
                if (over_) return;
            }
            const auto seed = mixed(options_.seed, thread, round);
            tryEpisode(*gpus_[thread], episodes_[seed % episodes_.size()], seed);
        }
    }

    void tryEpisode(const Gpu& gpu, const Episode& episode, std::uint64_t seed) {
        Random random(seed);
        try {
            episode.run(gpu, random);
        } catch (const Failure& failure) {
            note(episode, seed, failure.what(), isShortage(failure.code()));
        } catch (const std::bad_alloc&) {
            note(episode, seed, "the host is out of memory", true);
        } catch (const std::exception& exception) {
            note(episode, seed, exception.what(), false);
        }
        ++ledger().episodes;
    }

    void note(const Episode& episode, std::uint64_t seed, const char* text, bool isShortage) {
        if (isShortage && !options_.shortOf.empty()) {
            ++ledger().refusals;
            return;
        }
        failed_ = true;
        std::printf("soak: FAILED %.*s: %s\nsoak: repeat with --episode %.*s --episode-seed %lu\n",
                    static_cast<int>(episode.name.size()), episode.name.data(), text,
                    static_cast<int>(episode.name.size()), episode.name.data(), seed);
        std::fflush(stdout);
    }

    /// At a quiet point, where all threads wait.
    void measure() noexcept {
        try {
            points_.push_back(holdings());
        } catch (const std::exception&) {  // memory or descriptors are short: one point less
        }
        over_ = failed_ || std::chrono::steady_clock::now() >= end_;
    }

    void report(const std::stop_token& stop) const {
        std::uint64_t known = 0;
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::seconds(1));
            const auto episodes = ledger().episodes.load();
            if (episodes == std::exchange(known, episodes)) continue;  // scripts/soak ends a process that says nothing
            std::printf("soak: %lu episodes\n", episodes);
            std::fflush(stdout);
        }
    }

    int summary() {
        const auto growth = growthOf(points_);
        const auto last = points_.empty() ? Holdings{} : points_.back();
        std::printf(
            "soak: summary episodes=%lu calls=%lu launches=%lu refusals=%lu resident_kb=%lu descriptors=%lu "
            "threads=%lu kb_per_1000=%.1f descriptors_per_1000=%.3f\n",
            ledger().episodes.load(), ledger().calls.load(), ledger().launches.load(), ledger().refusals.load(),
            last.residentBytes / 1024, last.descriptors, last.threads, growth.kilobytes, growth.descriptors);
        return failed_ ? 1 : 0;
    }

    const Options options_;
    std::barrier<Measure> meeting_;
    std::vector<Episode> episodes_;
    std::vector<std::unique_ptr<Gpu>> gpus_;
    std::vector<Holdings> points_;
    const std::chrono::steady_clock::time_point end_ =
        std::chrono::steady_clock::now() + std::chrono::seconds(options_.seconds);
    std::atomic<bool> failed_{false};
    std::atomic<bool> over_{false};
};

int run(int count, char** values) {
    if (count > 1 && std::strcmp(values[1], "--peer") == 0) return runPeer();
    signal(SIGPIPE, SIG_IGN);  // a peer that cannot start reads nothing
    Run run(optionsOf(count, values));
    return std::string(count > 1 ? values[1] : "") == "--episode" ? run.repeat() : run.execute();
}

}  // namespace
}  // namespace zetl::soak

int main(int count, char** values) {
    try {
        return zetl::soak::run(count, values);
    } catch (const std::exception& exception) {
        std::fprintf(stderr, "soak: %s\n", exception.what());
        return 1;
    }
}

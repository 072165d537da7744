#include "page/page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>

#include "files/output_name.h"
#include "page/html.h"
#include "text/shell.h"

namespace zetl::command {
namespace {

/// The command line of this process.
std::string commandLine() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    std::string line;
    for (std::size_t at = 0; at < all.size();) {
        const auto end = std::min(all.find('\0', at), all.size());
        line += (line.empty() ? "" : " ") + shellWord(all.substr(at, end - at));
        at = end + 1;
    }
    return line;
}

/// Variables that choose drivers and devices. zetl sets others for the program, which are of no interest.
std::string variables() {
    constexpr std::array<std::string_view, 8> kNames = {"ZE_",     "ZES_",  "ZET_", "NEO",
                                                        "ONEAPI_", "SYCL_", "UR_",  "ZETL_EMULATED_DEVICE"};
    std::vector<std::string> set;
    for (char** each = environ; each && *each; ++each) {
        const std::string_view text = *each;
        if (std::ranges::any_of(kNames, [&](auto name) { return text.starts_with(name); })) set.emplace_back(text);
    }
    std::ranges::sort(set);
    std::string all;
    for (const auto& each : set) all += each + '\n';
    return all;
}

constexpr std::array<std::string_view, 4> kLevels = {"good", "note", "warning", "error"};

}  // namespace

std::string utcText(std::time_t time) {
    std::tm parts{};
    char text[64];
    if (!gmtime_r(&time, &parts)) return "";
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

void Page::addFinding(Level level, const std::string& text) { findings_.push_back({level, text}); }

void Page::addFigure(const std::string& label, const std::string& value) {
    figures_ += fmt::format("<div class=figure><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(label));
}

void Page::addSection(const std::string& id, const std::string& title, const std::string& html) {
    sections_.push_back({id, title, html});
}

void Page::addEnvironment(const std::vector<std::pair<std::string, std::string>>& facts) {
    std::string html = "<dl>\n";
    const auto add = [&](const std::string& name, const std::string& value) {
        if (!value.empty()) html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
    };
    for (const auto& [name, value] : facts) add(name, value);
    add("Page made", utcText(std::time(nullptr)) + " on " + hostName());
    html += "</dl>\n<h3>To repeat it</h3>\n<pre>" + escaped(commandLine()) + "</pre>\n";
    if (const auto set = variables(); !set.empty())
        html += "<h3>Variables that were set</h3>\n<pre>" + escaped(set) + "</pre>\n";
    addSection("environment", "Environment", html);
}

std::string Page::html() const {
    auto findings = findings_;
    std::ranges::stable_sort(findings, std::greater<>(), &Finding::level);
    std::string links = "<a href=\"#overview\">Overview</a>\n";
    for (const auto& each : sections_)
        links += fmt::format("<a href=\"#{}\">{}</a>\n", escaped(each.id), escaped(each.title));
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
        "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
        "'unsafe-inline'\">\n<meta name=viewport content=\"width=device-width\">\n<meta name=color-scheme "
        "content=\"light dark\">\n<title>{0}: {1}</title>\n<style>{2}</style>\n</head>\n<body>\n<header><h1>{1}</h1>"
        "<p>{0}</p><nav aria-label=Sections>{3}</nav></header>\n<main>\n<section id=overview><h2>Overview</h2>\n"
        "<ul class=findings>\n",
        escaped(what_), escaped(subject_), pageStyle(), links);
    for (const auto& each : findings) {
        const auto level = kLevels[static_cast<std::size_t>(each.level)];
        text += fmt::format("<li class={0}><b>{0}</b> {1}</li>\n", level, escaped(each.text));
    }
    text += "</ul>\n<div class=figures>\n" + figures_ + "</div></section>\n";
    for (const auto& each : sections_)
        text +=
            fmt::format("<section id={}><h2>{}</h2>\n{}</section>\n", escaped(each.id), escaped(each.title), each.html);
    text += "</main>\n<script>";
    text += pageScript();
    return text + "</script>\n</body>\n</html>\n";
}

}  // namespace zetl::command

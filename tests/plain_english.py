"""Phrases that the house does not write, and where its sources are clean of them."""

import re

# Sources whose comments and messages are free of these phrases; a directory is added when it is clean.
CLEAN_SOURCES = ("include", "layer", "samples", "source", "tests")

# Phrases at which a reader stumbles, with what to write instead.
BAD_ENGLISH = {
    r"\bwhoever\b": "name the actor",
    r"(?:^|[.:;,] )who (?!am\b|are\b|is\b)\w+s\b": "a relative clause is no subject: name the actor",
    r"\bwho (?:waits|asks|looks|lists|subtracts|wants|has room)\b": "a relative clause is no subject: name the actor",
    r"\btold of\b": "say 'reported'",
    r"\btells? of\b": "say 'reports' or 'shows'",
    r"\b(?:is|are) told\b(?! apart)": "say 'is reported' or name who sees it",
    r"\bthat there (?:is|are)\b": "name the things",
    r"\bhas not\b(?! (?:been|yet)\b| \w+(?:ed|en|ne)\b| (?:run|begun|left|gone|come)\b)": "say 'does not have' or 'lacks'",
    r"(?<!its )(?<!their )(?<!your )\bown process\b": "'its own process' or 'the traced process'",
    r"\bof the own\b": "of its own",
    r"\bfor want of\b": "because there is no ...",
    r"\b(?:can|could|is|are) (?:be )?(?:to be )?had\b(?! been)": "say 'is available'",
    r"\b(?:row|track|handle|packet|namespace|worker|object|table|line|entry|thread|session|event|file|state|page) an? "
    r"(?:row|thread|launch|call|process|device|interval|word|kernel|group|tile|session|function|component|subsystem|driver|lane|user)\b":
        "say 'per'",
    r"\b(?:as|so) [\w']+(?: \w+)? (?:have|has) it\b|\bsuch as \w+ (?:have|has)\b": "finish the sentence",
    r"(?:^|[.:;,] )of [\w']+'s, ": "put the genitive behind its noun",
    r"\bfor so long\b": "say how long",
    r"\btells? (?:those|that one) who\b": "name the actor",
    r"\bfrom where it lies\b": "relative to its own path",
    r"\bwhat is left\b": "name the remainder",
    r"\bnobody (?:is told|has met|waits for)\b": "use the passive or name the actor",
    r"\bgone after\b": "'ends after'",
}
# Places where such words are right: file -> phrases, of which the paragraph contains one.
ALLOWED_ENGLISH = {}


def problems(lines, path):
    """(index of the line, phrase, advice) in a paragraph; a phrase may go on in the next line."""
    text, seen = " ".join(lines), set()
    if any(phrase in text for phrase in ALLOWED_ENGLISH.get(str(path), ())):
        return
    for pattern, advice in BAD_ENGLISH.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            if match.end() not in seen:
                yield line_at(lines, match.start()), match[0].strip(), advice
            seen.add(match.end())


def line_at(lines, offset):
    for index, line in enumerate(lines):
        offset -= len(line) + 1
        if offset < 0:
            return index
    return len(lines) - 1

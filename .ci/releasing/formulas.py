"""Entries for package managers that download the archives. Nobody has tried them yet, and each says so."""

import re

from releasing.contents import HOMEPAGE, SUMMARY

HOMEBREW = """\
# Not tried: generated with the release, and not run by Homebrew yet. There is no program for macOS yet.
class Carnet < Formula
  desc "{summary}"
  homepage "{homepage}"
  version "{version}"
  license "Apache-2.0"
  depends_on :linux
  depends_on "curl"

{sources}
  def install
    bin.install "bin/carnet"
    man1.install "share/man/man1/carnet.1"
    bash_completion.install "share/bash-completion/completions/carnet"
    zsh_completion.install "share/zsh/site-functions/_carnet"
    fish_completion.install "share/fish/vendor_completions.d/carnet.fish"
    doc.install Dir["share/doc/carnet/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/carnet --version")
  end
end
"""
SOURCE = """\
  on_{family} do
    url "{homepage}/releases/download/{version}/{file}"
    sha256 "{digest}"
  end
"""
MISE = """\
# Not tried: generated with the release, and not run by mise yet.
[tools]
"github:{repository}" = "{version}"
"""


def formulas(version, digests):
    """`digests`: the SHA-256 of each file of the release."""
    sources = []
    for file, digest in sorted(digests.items()):
        architecture = re.fullmatch(r"carnet-.*-linux-(\w+)\.tar\.gz", file)
        if architecture:
            family = {"x86_64": "intel", "aarch64": "arm"}[architecture.group(1)]
            sources.append(SOURCE.format(
                family=family, homepage=HOMEPAGE, version=version, file=file, digest=digest))
    return {
        "carnet.rb": HOMEBREW.format(
            summary=SUMMARY, homepage=HOMEPAGE, version=version, sources="\n".join(sources)).encode(),
        "mise.toml": MISE.format(repository=HOMEPAGE.partition("github.com/")[2], version=version).encode(),
    }

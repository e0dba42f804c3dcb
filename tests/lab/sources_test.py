#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lab's apt sources, made from machines that are configured in different ways."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools/lab/sources.py"
RELEASE = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines()
               if "=" in line).get("VERSION_CODENAME", "stable").strip('"')


def sources(**files):
    """What sources.py prints where these files, NAME_SUFFIX, are all of apt's sources."""
    with tempfile.TemporaryDirectory() as folder:
        parts = Path(folder, "parts")
        parts.mkdir()
        for name, text in files.items():
            parts.joinpath(name.replace("_", ".")).write_text(text.replace("REL", RELEASE))
        config = Path(folder, "apt.conf")
        config.write_text('Dir::Etc::sourceparts "%s";\nDir::Etc::sourcelist "%s/none";\n'
                          % (parts, folder))
        return subprocess.run([SCRIPT], capture_output=True, text=True, check=False,
                              env={**os.environ, "APT_CONFIG": str(config)})


class Sources(unittest.TestCase):
    def stanzas(self, **files):
        result = sources(**files)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
                for text in result.stdout.strip().split("\n\n")]

    def test_list_keeps_the_key_and_drops_the_architecture(self):
        stanza, = self.stanzas(
            a_list="deb [arch=amd64 signed-by=/k.gpg] http://mirror/x REL main contrib # why\n")
        self.assertEqual(stanza, {"Types": "deb", "Uris": "http://mirror/x", "Suites": RELEASE,
                                  "Components": "main", "Signed-By": "/k.gpg"})

    def test_sources_keeps_only_the_suites_of_debian(self):
        stanza, = self.stanzas(a_sources="""# a remark
Types: deb deb-src
URIs: http://mirror/debian
Suites: REL REL-updates REL-pgdg
Components: main non-free-firmware
Architectures: amd64
Signed-By: /k.gpg
""")
        self.assertEqual(stanza["Suites"], "REL REL-updates".replace("REL", RELEASE))
        self.assertEqual(stanza["Types"], "deb")
        self.assertNotIn("Architectures", stanza)

    def test_strangers_and_disabled_ones_are_left_out(self):
        stanza, = self.stanzas(
            a_list="deb-src http://mirror/debian REL main\ndeb http://x/docker REL stable\n"
                   "deb http://mirror/debian REL-backports main\n",
            b_sources="Types: deb\nURIs: http://off\nSuites: REL\nComponents: main\nEnabled: no\n",
            c_save="deb http://old REL main\n")
        self.assertEqual(stanza["Suites"], RELEASE + "-backports")

    def test_a_key_written_into_the_file_stays_whole(self):
        text = ("Types: deb\nURIs: http://m\nSuites: REL\nComponents: main\n"
                "Signed-By:\n -----BEGIN PGP\n .\n mQINBF\n")
        self.assertIn("Signed-By: \n -----BEGIN PGP\n .\n mQINBF\n", sources(a_sources=text).stdout)

    def test_nothing_of_debian_is_an_error_with_words(self):
        result = sources(a_list="deb http://x/y trixie-z main\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no Debian source for " + RELEASE, result.stderr)


if __name__ == "__main__":
    unittest.main()

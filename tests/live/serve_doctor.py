#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`doctor --server`: what is wrong with an installation is said with its remedy, and nothing where all is well; at the
terminal, by the server's link and in the page's API alike."""
import json
import os
import re

import lib
import server
from lib import check


def doctor(*words):
    """The findings by id, and the exit status."""
    result = lib.run([lib.PERFOLIO, "doctor", "--server", "--json", *words])
    found = json.loads(result.stdout) if result.stdout.startswith("{") else {"findings": []}
    return {row["id"]: row for row in found["findings"]}, result.returncode, result.stderr


def user(site, *words):
    return lib.run([lib.PERFOLIO, "user", words[0], "--data", site.data, *words[1:]])


def states(found):
    return {row["state"] for row in found.values()}


def well(site):
    found, status, said = doctor(site.data)
    wanted = {"server-runs", "server-address", "server-tls", "server-sign-in", "server-accounts", "server-user",
              "server-private-tmp", "server-network", "server-runtime", "server-memory", "server-tasks", "server-space", "server-quota", "server-folder",
              "server-version", "server-libraries", "server-landlock"}
    check(status == 0 and wanted <= set(found), "a fresh server has all findings", status, said, wanted - set(found))
    bad = [row for row in found.values() if row["state"] not in ("ok",) and row["id"] not in MACHINE]
    check(not bad, "and nothing is wrong with it", bad)
    check(str(site.address[1]) in found["server-address"]["what"], "its address is known", found["server-address"])
    text = lib.run([lib.PERFOLIO, "doctor", "--server", site.data])
    check(text.returncode == 0 and text.stdout.startswith("The server is set up well"), "as a page, too", text.stdout)


MACHINE = ("server-space", "server-landlock", "server-private-tmp", "server-memory", "server-tasks")  # of the machine that the test runs on


def alike(site):
    """The same three ways."""
    here = doctor(site.data)[0]
    by_link, status, said = doctor(site.link)
    api = {row["id"]: row for row in site.get("/server")["findings"]}
    check(status == 0 and {name: row["state"] for name, row in here.items()} ==
          {name: row["state"] for name, row in by_link.items()} == {name: row["state"] for name, row in api.items()},
          "at the terminal, by the link and by the API", said, by_link.keys() ^ here.keys())
    wrong, status, said = doctor(re.sub("token=.*", "token=nonsense", site.link))
    check(status == 1 and "refuses" in said and not wrong, "not without the right token", status, said)
    for url, words in (("https://localhost:1/#token=x", "data folder"), ("http://localhost/#token=x", "HOST:PORT"),
                       ("http://localhost:1/", "token")):
        _, status, said = doctor(url)
        check(status == 2 and words in said, f"{url} is no link", status, said)


def people(site):
    """Accounts that share a Unix account, and who may ask."""
    user(site, "add", "--no-password", "vera")
    found = doctor(site.data)[0]
    check(found["server-accounts"]["state"] == "ok", "a viewer runs nothing", found["server-accounts"])
    user(site, "add", "--no-password", "--role", "runner", "rob")
    found, status, _ = doctor(site.data)
    row = found["server-accounts"]
    check(status == 0 and row["state"] == "limited" and "--unix" in row["remedy"], "who shares an account is told", row)
    check(found["server-network"]["state"] == "limited" and "loopback" in found["server-network"]["remedy"],
          "and that runs reach all", found["server-network"])
    head = {"Authorization": f"Bearer {user(site, 'token', 'vera').stdout.strip()}"}
    check(site.ask("GET", "/server", headers=head)[0] == 403, "viewers need not know")
    if os.geteuid():
        return
    path = f"{site.data}/supervisor/unix-accounts"
    with open(path, "w", encoding="ascii") as out:
        out.write("rob no-such-account\n")
    found, status, _ = doctor(site.data)
    check(status == 1 and found["server-unix-account"]["state"] == "missing", "an account that is gone is bad", found)
    check(site.get("/server")["works"] is False, "which the page hears, too")
    os.unlink(path)


def modes(site):
    os.chmod(site.data, 0o755)
    found, status, said = doctor(site.data)
    os.chmod(site.data, 0o700)
    check(status == 1 and (found.get("server-folder", {}).get("state") == "missing" or "others" in said),
          "a folder that others may look into is bad", status, said)


def ended(data):
    found, status, _ = doctor(data)
    check(status == 0 and found["server-runs"]["state"] == "unknown", "of one that has ended it is said how it was", found)
    _, status, said = doctor("/nonexistent")
    check(status == 1 and "no server" in said, "where there was none, that", said)


def careless():
    options = ["--no-private-tmp", "--max-runtime", "0", "--max-disk", "0"]
    if not os.geteuid():
        options.append("--as-root")
    with server.Server(*options) as site:
        found, status, _ = doctor(site.data)
        wanted = {"server-private-tmp": "limited", "server-runtime": "limited", "server-quota": "limited"}
        if not os.geteuid():
            wanted["server-user"] = "missing"
        got = {name: found[name]["state"] for name in wanted}
        check(got == wanted and all(found[name]["remedy"] for name in wanted), "what was made unsafe is found", got)
        check(status == (0 if os.geteuid() else 1), "and decides the exit status", status)


def main():
    with server.Server() as site:
        data = site.data
        well(site)
        alike(site)
        people(site)
        modes(site)
        site.stop()
        ended(data)
    careless()
    lib.done()


main()

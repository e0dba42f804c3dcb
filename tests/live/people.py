# SPDX-License-Identifier: Apache-2.0
"""People with accounts of a server, each with a token, as programs have it.

    rob = people.Person(site, "rob", "runner")
    status, body = rob.ask("DELETE", "/sessions/1")
    people.lines(site, "refused")     what the log has of that action
"""
import lib


def user(site, *words, **options):
    return lib.run([lib.PERFOLIO, "user", words[0], "--data", site.data, *words[1:]], **options)


class Person:
    def __init__(self, site, name, role, *options):
        added = user(site, "add", "--no-password", "--role", role, *options, name)
        lib.check(added.returncode == 0, f"{name} is added as a {role}", added.stderr)
        self.site, self.name = site, name
        self.token = user(site, "token", name).stdout.strip()
        self.head = {"Authorization": f"Bearer {self.token}"}

    def ask(self, method, path, body=None, **options):
        return self.site.ask(method, path, body, headers=self.head, **options)

    def raw(self, method, path, body=None):
        return self.site.raw(method, "/api/v1" + path, body, self.head)

    def session(self, title):
        return self.ask("POST", "/sessions", {"title": title})[1]["id"]

    def run(self, session, **form):
        """Queues it; status, and the run or what was said."""
        status, got = self.ask("POST", f"/sessions/{session}/runs", form)
        return status, got["items"][0] if status == 201 else got["error"]


class Owner(Person):
    """Whoever has the link that the server printed."""

    def __init__(self, site):  # pylint: disable=super-init-not-called
        self.site, self.name, self.token = site, "owner", site.token
        self.head = {"Authorization": f"Bearer {site.token}"}


def lines(site, action, person=None):
    found = site.get("/audit?limit=1000")["items"]
    return [line["detail"] for line in found if line["action"] == action and person in (None, line["person"])]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the server can be started: addresses, sockets of systemd, https, settings, users, `make run`."""
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.parse

import lib
import peer
from lib import check


@contextlib.contextmanager
def serving(folder, *options, **more):
    """A server with its data below the folder; what it printed first is its .line."""
    process = subprocess.Popen([lib.PERFOLIO, "serve", "--data", os.path.join(folder, "data"), *options],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    process.line = process.stdout.readline()
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.status = process.wait(120)
        process.stdout.close()
        process.stderr.close()


def ask(connection, path, token=None, host=None):
    head = {"Host": host} if host else {}
    if token:
        head["Authorization"] = f"Bearer {token}"
    connection.request("GET", path, headers=head)
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    return reply.status, body


def parts(line):
    """Scheme, host, port and token of a link."""
    found = re.match(r"(https?)://([^:/]+):(\d+)/#token=(\w{48})$", line.strip())
    return found.groups() if found else (None, None, 0, None)


def over_unix(path):
    connection = http.client.HTTPConnection("localhost")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(path)
    return connection


def test_addresses(folder):
    with serving(folder) as server:
        scheme, host, port, token = parts(server.line)
        check((scheme, host) == ("http", "127.0.0.1") and 7700 <= int(port) < 7800,
              "by default this machine alone, a port from 7700 on", server.line)
        status, body = ask(http.client.HTTPConnection(host, int(port)), "/api/v1/me", token)
        check(status == 200 and json.loads(body)["role"] == "owner", "the token signs in", status, body)
        with serving(folder) as second:
            check(second.line == "" and second.wait(120) == 1, "a second server of the folder ends")
    check(server.status == 0, "SIGTERM ends it with 0", server.status)
    path = os.path.join(folder, "socket")
    with serving(folder, "--listen", f"unix:{path}") as server:
        token = server.line.split()[-1]
        status, _ = ask(over_unix(path), "/api/v1/me", token)
        check(status == 200, "a unix socket", status, server.line)
        check(os.stat(path).st_mode & 0o777 == 0o600, "which is the owner's alone")
    check(not os.path.exists(path), "and is gone afterwards")
    with serving(folder, "--listen", "127.0.0.1:0", "--open") as server:
        port = int(re.search(r":(\d+)/$", server.line.strip()).group(1))
        status, _ = ask(http.client.HTTPConnection("127.0.0.1", port), "/api/v1/me")
        check(status == 200, "--open asks for no token", status, server.line)
        warned = server.stderr.readline()
        check("can start others as user" in warned and "without signing in" in warned, "and says what that means", warned)


def test_unit(folder):
    """The unit as it is installed, with the program where it is now."""
    built = os.path.join(os.path.dirname(os.path.abspath(lib.PERFOLIO)), "dist", "perfolio.service")
    if not shutil.which("systemd-analyze") or not os.path.exists(built):
        print("# SKIP the unit: no systemd-analyze, or a program that was not built here")
        return
    shutil.copy(os.path.join(lib.SOURCE, "dist", "perfolio.socket"), folder)
    with open(built, encoding="utf-8") as file:
        text = re.sub(r"ExecStart=\S+", f"ExecStart={os.path.abspath(lib.PERFOLIO)}", file.read())
    text = re.sub(r"Documentation=.*\n", "", text)  # the manual page is not installed
    paths = [os.path.join(folder, name) for name in ("perfolio.service", "perfolio.socket")]
    with open(paths[0], "w", encoding="utf-8") as file:
        file.write(text)
    said = lib.run(["systemd-analyze", "verify", *paths])
    check(said.returncode == 0 and "perfolio." not in said.stderr, "systemd takes the unit and its socket", said.stderr)


def test_activated(folder):
    """As systemd does it: the socket is descriptor 3, and the environment says so."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    words = [lib.PERFOLIO, "serve", "--data", os.path.join(folder, "data")]
    starter = ("import os,sys; os.environ['LISTEN_PID'] = str(os.getpid()); "
               "os.environ['LISTEN_FDS'] = '1'; os.dup2(int(sys.argv[1]), 3); "
               "os.set_inheritable(3, True); os.execv(sys.argv[2], sys.argv[2:])")
    server = subprocess.Popen([sys.executable, "-c", starter, str(listener.fileno()), *words],
                              pass_fds=[listener.fileno()], stdout=subprocess.PIPE, text=True)
    line = server.stdout.readline()
    status, _ = ask(http.client.HTTPConnection("127.0.0.1", port), "/api/v1/me", parts(line)[3])
    check(status == 200 and int(parts(line)[2]) == port, "a socket that systemd passes", line, status)
    server.terminate()
    check(server.wait(120) == 0, "and that goes on without the server")
    server.stdout.close()
    listener.close()


def test_tls(folder):
    key, cert = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
    made = lib.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                    "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert])
    if made.returncode:
        check(False, "a certificate", made.stderr)
        return
    os.chmod(key, 0o600)  # the web side could not open it
    with serving(folder, "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key) as server:
        scheme, host, port, token = parts(server.line)
        check(scheme == "https", "with a certificate the link is https", server.line)
        context = ssl.create_default_context(cafile=cert)
        status, _ = ask(http.client.HTTPSConnection(host, int(port), context=context), "/api/v1/me", token)
        check(status == 200, "and the certificate is the given one", status)


def test_settings(folder):
    path = os.path.join(folder, "settings")
    with open(path, "w", encoding="ascii") as file:
        file.write("# ours\nlisten = 127.0.0.1:0\nopen = yes  # at home\nmax-output = 1M\n")
    with serving(folder, "--config", path, "--no-open") as server:
        check(parts(server.line)[3] and int(parts(server.line)[2]) >= 1024,
              "a file of settings, and the command line before it", server.line)


def test_users(folder):
    with serving(folder, "--user", "root") as server:
        check(server.wait(120) == 1 and "--as-root" in server.stderr.read(), "never root without saying so")
    server = peer.Peer("--as-root")
    server.ran("id", "-u")
    check(server.output()[0] == b"0\n", "--as-root", server.output())
    server.close()
    private = os.path.join(folder, "private")
    os.mkdir(private, 0o700)
    with serving(private) as server:
        said = server.stderr.read() if server.wait(120) else ""
        check("private" in said, "a folder that the web side can't reach is named", said)


def test_unprivileged():
    """Without cgroups of its own and without any rights."""
    with tempfile.TemporaryDirectory(prefix="perfolio-start-") as folder:
        os.chown(folder, 2, 2)
        environment = dict(os.environ, HOME=folder, PATH="/usr/bin:/bin")
        environment.pop("XDG_DATA_HOME", None)
        server = subprocess.Popen([lib.PERFOLIO, "serve", "--listen", "127.0.0.1:0"], user=2, group=2,
                                  extra_groups=[], env=environment, stdout=subprocess.PIPE, text=True)
        line = server.stdout.readline()
        check(parts(line)[3] and os.path.isdir(os.path.join(folder, ".local/share/perfolio/files")),
              "as an ordinary user, in that one's folder", line)
        server.kill()
        server.wait()
        server.stdout.close()
        gone = peer.until(lambda: not [pid for pid in os.listdir("/proc") if pid.isdigit() and runs_from(pid, folder)])
        check(gone, "kill -9 leaves nothing of it")


def runs_from(pid, folder):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return folder.encode() in file.read()
    except OSError:
        return False


def leads_to_the_run(link, command, attempt):
    """Whether the link has the session with the run that the command names, and a token to see it with."""
    address = urllib.parse.urlsplit(link)
    run = re.search(r"/runs/(\d+)/", command or "")
    place = re.fullmatch(r"/s/(\d+)\?run=(\d+)", f"{address.path}?{address.query}")
    connection = http.client.HTTPConnection(address.hostname, address.port)
    connection.request("GET", f"/api/v1/runs/{place[2] if place else 0}",
                       headers={"Authorization": f"Bearer {address.fragment.removeprefix('token=')}"})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    good = (place and run and place[2] == run[1] and str(answer.get("session")) == place[1] and
            answer.get("state") == "done" and "wordfreq" in answer.get("command", ""))
    return good, f"make run {attempt}: the link leads to the session with its run", link, answer


def test_make_run(folder):
    """What the Makefile does after building."""
    build = os.path.join(folder, "build")
    os.makedirs(os.path.join(build, "examples"))
    os.symlink(os.path.abspath(lib.PERFOLIO), os.path.join(build, "perfolio"))
    shutil.copy(os.path.join(os.path.dirname(os.path.abspath(lib.PERFOLIO)), "examples/wordfreq"),
                os.path.join(build, "examples"))
    for attempt in ("once", "and again"):
        shown = subprocess.Popen([sys.executable, os.path.join(lib.SOURCE, "tools/run.py"), build, "--data",
                                  os.path.join(folder, "data"), "--listen", "127.0.0.1:0"],
                                 stdout=subprocess.PIPE, text=True)
        lines = []
        for line in shown.stdout:
            lines.append(line.strip())
            if "curl -H" in line:
                break
        link = next((line for line in lines if "token=" in line and line.startswith("http")), "")
        command = lines[-1] if "curl -H" in lines[-1] else None
        got = lib.run(["sh", "-c", command + " -s"]) if command else None
        check(got and b"wordfreq" in got.stdout.encode() and '"nodes"' in got.stdout,
              f"make run {attempt}: curl with the printed token gets the flame tree", got)
        check(*leads_to_the_run(link, command, attempt))
        shown.send_signal(signal.SIGINT)
        shown.wait(120)
        shown.stdout.close()


def main():
    tests = [test_addresses, test_unit, test_activated, test_tls, test_settings, test_make_run]
    if os.geteuid() == 0:
        tests.append(test_users)
    for test in tests:
        with tempfile.TemporaryDirectory(prefix="perfolio-start-") as folder:
            os.chmod(folder, 0o755)
            test(folder)
    if os.geteuid() == 0:
        test_unprivileged()
    lib.done()


main()

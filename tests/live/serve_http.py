#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Strict edges: requests that two readers understand differently, and connections that somebody holds."""
import os
import socket
import time

import lib
import server
from lib import check

HALF_OPEN = 1000


def send(site, data, source="127.0.0.1"):
    """What comes back until the server closes; the status of each answer in it."""
    with socket.create_connection(site.address, timeout=60, source_address=(source, 0)) as connection:
        connection.sendall(data)
        got = b""
        try:
            while piece := connection.recv(1 << 16):
                got += piece
        except ConnectionError:
            pass
    return [int(part[:3]) for part in got.split(b"HTTP/1.1 ")[1:]], got


def heads(site):
    """Each as raw bytes, in front of a second request that nobody may have slipped in."""
    host = f"Host: 127.0.0.1:{site.address[1]}".encode()
    token = f"Authorization: Bearer {site.token}".encode()
    second = b"\r\n".join([b"GET /api/v1/me HTTP/1.1", host, token, b"Connection: close", b"", b""])
    get, post = b"GET /api/v1/me HTTP/1.1", b"POST /api/v1/sessions HTTP/1.1"
    body = b'{"title": "x"}'
    rows = [
        ("as it should be", b"\r\n".join([get, host, token, b"", b""]), 200),
        ("with many fields", b"\r\n".join([get, host, token, b"Accept: */*", b"X-A:", b"X-B:  a b\tc", b"", b""]), 200),
        ("without fields", b"\r\n".join([get, b"", b""]), 400),
        ("a body", b"\r\n".join([post, host, token, b"Content-Length: %d" % len(body), b"", body]), 201),
        ("Content-Length beside Transfer-Encoding",
         b"\r\n".join([post, host, token, b"Content-Length: 5", b"Transfer-Encoding: chunked", b"", b"%x" % len(body),
                       body, b"0", b"", b""]), 400),
        ("Transfer-Encoding beside Content-Length",
         b"\r\n".join([post, host, token, b"Transfer-Encoding: chunked", b"Content-Length: 5", b"", b"0", b"", b""]), 400),
        ("another Transfer-Encoding", b"\r\n".join([post, host, token, b"Transfer-Encoding: gzip, chunked", b"", b"0", b"", b""]), 400),
        ("two Transfer-Encodings", b"\r\n".join([post, host, token, b"Transfer-Encoding: chunked", b"Transfer-Encoding: x", b"", b"0", b"", b""]), 400),
        ("two Content-Lengths", b"\r\n".join([post, host, token, b"Content-Length: 14", b"Content-Length: 3", b"", body]), 400),
        ("the same Content-Length twice", b"\r\n".join([post, host, token, b"Content-Length: 14", b"Content-Length: 14", b"", body]), 400),
        ("a Content-Length that is none", b"\r\n".join([post, host, token, b"Content-Length: +14", b"", body]), 400),
        ("two Hosts", b"\r\n".join([get, host, b"Host: evil.example", token, b"", b""]), 400),
        ("the same Host twice", b"\r\n".join([get, host, host, token, b"", b""]), 400),
        ("a continued line", b"\r\n".join([get, host, token, b"X-A: a", b" b", b"", b""]), 400),
        ("a continued line at the end", b"\r\n".join([get, host, b"X-A: a", b"\tb", token, b"", b""]), 400),
        ("a continued line behind all", b"\r\n".join([get, host, token, b"X-A: a", b"\tb", b"", b""]), 400),
        ("a continued first line", b"\r\n".join([get, b" X: y", host, token, b"", b""]), 400),
        ("all lines with LF alone", b"\n".join([get, host, token, b"", b""]), 400),
        ("one line with LF alone", get + b"\r\n" + host + b"\n" + token + b"\r\n\r\n", 400),
        ("the first line with LF alone", get + b"\n" + host + b"\r\n" + token + b"\r\n\r\n", 400),
        ("the last line with LF alone", get + b"\r\n" + host + b"\r\n" + token + b"\n\r\n", 400),
        ("an end with LF alone", get + b"\r\n" + host + b"\r\n" + token + b"\r\n\n", 400),
        ("a CR in a value", b"\r\n".join([get, host, token, b"X-A: a\rX-B: b", b"", b""]), 400),
        ("a NUL in a value", b"\r\n".join([get, host, token, b"X-A: a\0b", b"", b""]), 400),
        ("a blank before the colon", b"\r\n".join([get, host, token, b"X-A : a", b"", b""]), 400),
        ("a field without a name", b"\r\n".join([get, host, token, b": a", b"", b""]), 400),
        ("%00 in the address", b"\r\n".join([b"GET /api/v1/me%00 HTTP/1.1", host, token, b"", b""]), 400),
        ("%00 in a parameter", b"\r\n".join([b"GET /api/v1/sessions?search=a%00b HTTP/1.1", host, token, b"", b""]), 400),
        ("a NUL in the address", b"\r\n".join([b"GET /api/v1/me\0 HTTP/1.1", host, token, b"", b""]), 400),
        ("a control character in the address", b"\r\n".join([b"GET /api/v1/me\x01 HTTP/1.1", host, token, b"", b""]), 400),
    ]
    chunks = [
        ("a body in chunks", b"\r\n".join([post, host, token, b"Transfer-Encoding: chunked", b"", b"%x" % len(body),
                                           body, b"0", b"", b""]), {201}),
        ("chunks with LF alone", b"\r\n".join([post, host, token, b"Transfer-Encoding: chunked", b"", b""]) +
         b"%x\n%s\n0\n\n" % (len(body), body), {201, 400}),
    ]
    for name, data, wanted in chunks:  # libmicrohttpd before 0.9.76 takes the second, and is asked nothing else
        statuses, got = send(site, data + second)
        check(statuses[0] in wanted and (statuses[1:] == [] or len(wanted) == 1), f"{name}: nothing is slipped in behind it",
              statuses, got[-300:])
    for name, data, wanted in rows:
        if wanted < 300:
            statuses, got = send(site, data + second)
            check(statuses == [wanted, 200], f"{name}: {wanted}, and the next", statuses, got[-300:])
        else:
            statuses, got = send(site, data + second)
            check(statuses[:1] == [wanted] and 200 not in statuses, f"{name}: {wanted}, and nothing behind it", statuses, got[-300:])


def half_open(site):
    """A thousand connections of one address that have sent half a head; others get their answers."""
    held = []
    for _ in range(HALF_OPEN):
        connection = socket.socket()
        connection.settimeout(60)
        connection.connect(site.address)
        connection.sendall(b"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1")
        held.append(connection)
    times = []
    for source in ("127.0.0.1", "127.0.0.2", "127.0.0.1"):
        start = time.monotonic()
        request = f"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1:{site.address[1]}\r\nAuthorization: Bearer {site.token}\r\nConnection: close\r\n\r\n"
        statuses, got = send(site, request.encode(), source)
        times.append(time.monotonic() - start)
        check(statuses == [200] and times[-1] < 1, f"from {source} an answer comes within a second", times, got[-300:])
    count = len(os.listdir(f"/proc/{site.processes('web')[0]}/fd"))
    check(lib.until(lambda: len(os.listdir(f"/proc/{site.processes('web')[0]}/fd")) < 300, 20),
          "few of them are kept", count)
    # the newest is not the one that goes
    held[-1].sendall(f":{site.address[1]}\r\nAuthorization: Bearer {site.token}\r\n\r\n".encode())
    check(held[-1].recv(100).startswith(b"HTTP/1.1 200"), "who sends the rest in time is answered")
    for connection in held:
        connection.close()


def idle(site):
    """As many that have had an answer and say nothing more."""
    request = f"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1:{site.address[1]}\r\n\r\n".encode()
    held = []
    for _ in range(HALF_OPEN + 100):
        connection = socket.socket()
        connection.settimeout(60)
        connection.connect(site.address)
        connection.sendall(request)
        held.append(connection)
        if len(held) % 100 == 0:
            connection.recv(1000)
    start = time.monotonic()
    check(site.get("/me")["name"] == "owner" and time.monotonic() - start < 1, "idle connections keep nobody out")
    for connection in held:
        connection.close()


def beyond(folder):
    """Plain HTTP for other machines is refused, with what helps."""
    refused = lib.run([lib.PERFOLIO, "serve", "--listen", "0.0.0.0:0", "--data", folder], timeout=120)
    check(refused.returncode == 1 and "--tls-cert" in refused.stderr and "--insecure" in refused.stderr and
          not refused.stdout, "plain HTTP beyond this machine is refused, with the remedy", refused)
    with server.Server("--insecure", listen="0.0.0.0:0") as site:
        check("can be read on the way" in site.words(), "with --insecure it is said", site.words())


def main():
    with server.Server() as site:
        heads(site)
        half_open(site)
        idle(site)
        beyond(os.path.join(site.scratch, "other"))
    lib.done()


main()

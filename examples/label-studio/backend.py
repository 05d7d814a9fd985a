#!/usr/bin/env python3
"""Asks a policy's questions in Label Studio: an ML backend over `mapo serve`. Standard library, and mapo.py from clients/python.

One game identifies one item. Each of its questions is a task in Label Studio; when it is annotated, Label Studio tells this
backend, which hands the answer to mapo and imports the next question. README.md has the steps.

    python3 backend.py serve          be the ML backend
    python3 backend.py start ITEM…    tell it to begin a game for each item: its first question becomes a task
    python3 backend.py results        what has been recommended so far, as CSV
"""
import argparse
import base64
import csv
import hmac
import http.server
import json
import os
import sys
import threading
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "clients", "python"))
import mapo  # noqa: E402

ANSWERS = {"yes": 1, "probably": 0.5, "probably not": -0.5, "no": -1, "don't know": None}  # the choices in label_config.xml
COLUMNS = ["item", "state", "recommendation", "confidence", "margin", "tied", "misfit", "remaining", "session"]  # of results
MAX_BODY = 1 << 20


class LabelStudio:
    """The one thing that is wanted of Label Studio: take a task."""

    def __init__(self, url, key, project):
        self.url, self.key, self.project = url.rstrip("/"), key, project

    def add(self, data):
        request = urllib.request.Request(
            "%s/api/projects/%s/import" % (self.url, self.project), json.dumps([{"data": data}]).encode(),
            {"Content-Type": "application/json", "Authorization": "Token " + self.key})
        with urllib.request.urlopen(request, timeout=30) as reply:
            reply.read()


class Games:
    """Which session each item has, and up to which step its questions have become tasks. Kept in a file: what is lost between
    an answer and the next task is found again by resume()."""

    def __init__(self, file, client, studio, policy, stop=0):
        self.file, self.client, self.studio, self.policy, self.stop = file, client, studio, policy, stop
        self.lock = threading.RLock()
        self.games = {}
        if os.path.exists(file):
            with open(file, encoding="utf-8") as f:
                self.games = json.load(f)

    def save(self):
        with open(self.file + ".new", "w", encoding="utf-8") as f:
            json.dump(self.games, f, indent=1)
            f.flush()
            os.fsync(f.fileno())
        os.replace(self.file + ".new", self.file)

    def start(self, item):
        """Begin a game, unless the item has one."""
        with self.lock:
            if item not in self.games:
                self.games[item] = {"session": self.client.create(self.policy, title=item[:200], stop=self.stop).id, "step": 0}
                self.save()
            self.ask(item)

    def ask(self, item, session=None):
        """Make a task of what is asked now, if it is not one yet."""
        with self.lock:
            game = self.games[item]
            session = session or self.client.session(game["session"])
            if session.query is None or session.step <= game["step"]:
                return
            self.studio.add({"item": item, "question": session.query.text, "session": session.id,
                             "step": session.step, "query": session.query.index})
            game["step"] = session.step
            self.save()

    def answered(self, data, answer, annotator):
        """Hand an answer on. One that comes twice, or too late, changes nothing."""
        with self.lock:
            item = data["item"]
            if self.games.get(item, {}).get("session") != data["session"]:
                return "there is no such game"
            session = self.client.session(data["session"])
            if data["step"] == session.step and session.query:
                session.answer(answer, annotator=annotator)
            self.ask(item, session)
            return "%s: %s, %d answers left" % (item, session.state, session.remaining)

    def resume(self):
        for item in list(self.games):
            self.ask(item)

    def results(self):
        for item, game in self.games.items():
            session = self.client.session(game["session"])
            yield {"item": item, "state": session.state,
                   "recommendation": session.recommendation.text if session.recommendation else "",  # all tie
                   "confidence": "" if session.confidence is None else "%.4g" % session.confidence,
                   "margin": session.margin if session.recommendation and session.confidence is None else "",
                   "tied": session.tied, "misfit": "yes" if session.misfit else "", "remaining": session.remaining,
                   "session": session.id}


def answer_of(annotation):
    """Returns 1, 0.5, -0.5, -1 or None; a skipped task is None, "don't know". Raises KeyError for anything else."""
    if annotation.get("was_cancelled"):
        return None
    for part in annotation["result"]:
        if part.get("from_name") == "answer":
            return ANSWERS[part["value"]["choices"][0]]
    raise KeyError("answer")


class Backend(http.server.BaseHTTPRequestHandler):
    """What Label Studio calls: /health, /setup, /predict and /webhook; and /start, which main() calls."""

    games = None  # set by serve()
    login = None  # "user:password", or None
    timeout = 30
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.allowed():
            known = self.path in ("/", "/health")
            self.reply(200 if known else 404, {"status": "UP", "model_class": "mapo"} if known else {"error": "not found"})

    def do_POST(self):
        if not self.allowed():
            return
        try:
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 <= length <= MAX_BODY:
                self.close_connection = True
                return self.reply(413, {"error": "the body is too large"})
            body = json.loads(self.rfile.read(length) or "{}")
            handle = {"/setup": self.setup_, "/predict": self.predict, "/webhook": self.webhook, "/start": self.start}.get(self.path)
            if handle is None:
                return self.reply(404, {"error": "not found"})
            self.reply(200, handle(body))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self.reply(400, {"error": "the request is not understood: %r" % error})
        except (mapo.MapoError, urllib.error.URLError, OSError) as error:
            self.log_error("%s", error)
            self.reply(502, {"error": "mapo or Label Studio: %s" % error})

    def start(self, body):
        for item in body["items"]:
            self.games.start(str(item))
        return {"status": "ok"}

    def setup_(self, body):
        return {"model_version": self.games.policy}

    def predict(self, body):
        """The tasks without labels: an answer filled in beforehand would sway who answers."""
        return {"results": [{"result": [], "score": 0, "model_version": self.games.policy} for _ in body["tasks"]]}

    def webhook(self, body):
        if body["action"] == "START_TRAINING":  # the button in the project's settings
            self.games.resume()
            return {"status": "ok"}
        if body["action"] != "ANNOTATION_CREATED":
            return {"status": "ignored"}
        annotation = body["annotation"]
        by = annotation.get("completed_by")
        annotator = str(by.get("email") or by.get("id") or "") if isinstance(by, dict) else str(by or "")
        return {"status": "ok", "result": self.games.answered(body["task"]["data"], answer_of(annotation), annotator[:100])}

    def allowed(self):
        given = self.headers.get("Authorization", "")
        if self.login and not hmac.compare_digest(given.encode(), basic(self.login).encode()):
            self.close_connection = True
            self.reply(401, {"error": "unauthorized"}, {"WWW-Authenticate": 'Basic realm="mapo"'})
            return False
        return True

    def reply(self, status, value, headers=()):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in dict(headers).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)


def basic(login):
    return "Basic " + base64.b64encode(login.encode()).decode()


def server(games, host, port, login):
    """The ML backend, ready for serve_forever()."""
    handler = type("Handler", (Backend,), {"games": games, "login": login})
    return http.server.ThreadingHTTPServer((host, port), handler)


def setting(name, otherwise=None):
    value = os.environ.get(name, otherwise)
    if value is None:
        sys.exit("backend.py: set %s, see README.md" % name)
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", default="games.json", help="the file that games are kept in")
    parser.add_argument("--host", default="127.0.0.1", help="where to listen")
    parser.add_argument("--port", type=int, default=9090)
    parser.add_argument("command", choices=("start", "serve", "results"))
    parser.add_argument("item", nargs="*", help="what is to be identified: a name, or the address of an image")
    args = parser.parse_args()
    login = os.environ.get("BASIC_AUTH_USER", "") + ":" + os.environ.get("BASIC_AUTH_PASS", "")
    if args.command == "start":  # the running backend is the only one that writes
        headers = {"Content-Type": "application/json", "Authorization": basic(login)}
        body = json.dumps({"items": args.item}).encode()
        request = urllib.request.Request("http://%s:%d/start" % (args.host, args.port), body, headers)
        return urllib.request.urlopen(request).close()
    client = mapo.Client(setting("MAPO_URL", "http://127.0.0.1:8080"))
    if args.command == "results":
        table = csv.DictWriter(sys.stdout, COLUMNS)
        table.writeheader()
        return table.writerows(Games(args.games, client, None, None).results())
    studio = LabelStudio(setting("LABEL_STUDIO_URL"), setting("LABEL_STUDIO_API_KEY"), setting("LABEL_STUDIO_PROJECT"))
    if login == ":" and args.host not in ("127.0.0.1", "::1", "localhost"):
        sys.exit("backend.py: others than this machine can reach %s: set BASIC_AUTH_USER and BASIC_AUTH_PASS" % args.host)
    games = Games(args.games, client, studio, setting("MAPO_POLICY"), float(setting("MAPO_STOP", "0")))
    server(games, args.host, args.port, None if login == ":" else login).serve_forever()


if __name__ == "__main__":
    main()

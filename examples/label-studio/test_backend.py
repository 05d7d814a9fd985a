"""Tests of backend.py with a Label Studio made here, over the mapo serve that MAPO_TEST_URL names (see clients/python/test_mapo.py)."""
import base64
import http.server
import json
import os
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request
import xml.etree.ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import backend  # noqa: E402


class Studio(http.server.BaseHTTPRequestHandler):
    """Label Studio, as far as it takes tasks."""

    tasks = []
    down = False

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        ok = not Studio.down and self.path == "/api/projects/7/import" and self.headers["Authorization"] == "Token key"
        if ok:
            Studio.tasks += [task["data"] for task in body]
        self.send_response(201 if ok else 500)
        self.send_header("Content-Length", "0")
        self.end_headers()


def running(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d" % server.server_port


@unittest.skipUnless(os.environ.get("MAPO_TEST_URL"), "MAPO_TEST_URL names no server")
class TestBackend(unittest.TestCase):
    def setUp(self):
        Studio.tasks, Studio.down = [], False
        self.studio = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Studio)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "games.json")
        self.client = backend.mapo.Client(os.environ["MAPO_TEST_URL"], token=os.environ.get("MAPO_TEST_ASK"))
        studio = backend.LabelStudio(running(self.studio), "key", 7)
        self.games = backend.Games(self.file, self.client, studio, os.environ["MAPO_TEST_POLICY"])
        self.backend = backend.server(self.games, "127.0.0.1", 0, "studio:secret")
        self.backend.RequestHandlerClass.log_message = lambda *args: None
        self.url = running(self.backend)
        for server in (self.studio, self.backend):
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
        self.addCleanup(self.client.close)

    def call(self, path, body=None, login="studio:secret"):
        headers = {"Content-Type": "application/json", "Authorization": "Basic " + base64.b64encode(login.encode()).decode()}
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers), timeout=30) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def annotate(self, data, choice, by=3):
        annotation = {"result": [{"from_name": "answer", "type": "choices", "value": {"choices": [choice]}}], "completed_by": by}
        return self.call("/webhook", {"action": "ANNOTATION_CREATED", "project": {"id": 7}, "task": {"id": 1, "data": data},
                                      "annotation": annotation})

    def test_two_games(self):
        self.assertEqual(self.call("/start", {"items": ["photo 1", "photo 2", "photo 1"]})[0], 200)
        self.assertEqual([t["item"] for t in Studio.tasks], ["photo 1", "photo 2"])
        began = list(backend.Games(self.file, self.client, None, None).results())
        self.assertEqual([(r["state"], r["recommendation"]) for r in began], [("open", "")] * 2)
        self.assertGreater(began[0]["tied"], 1)
        done = 0
        while done < len(Studio.tasks):
            task = Studio.tasks[done]
            status, reply = self.annotate(task, list(backend.ANSWERS)[done % 5])
            self.assertEqual((status, reply["status"]), (200, "ok"))
            before = len(Studio.tasks)
            self.annotate(task, "yes")  # again, and otherwise: too late
            self.assertEqual(len(Studio.tasks), before)
            done += 1
        asked = [(t["item"], t["query"]) for t in Studio.tasks]
        self.assertEqual(len(set(asked)), len(asked))
        results = list(backend.Games(self.file, self.client, None, None).results())
        self.assertEqual([(r["item"], r["state"]) for r in results], [("photo 1", "done"), ("photo 2", "done")])
        self.assertTrue(all(r["recommendation"] and r["margin"] != "" and r["confidence"] == "" for r in results))
        self.assertTrue(all(sorted(r) == sorted(backend.COLUMNS) for r in results))
        rows = [json.loads(line) for line in self.client.session(results[0]["session"]).export("jsonl").splitlines()]
        self.assertEqual({r["annotator"] for r in rows}, {"3"})
        self.assertEqual({r["answer"] for r in rows}, {1, 0.5, -0.5, -1, None})

    def test_table(self):
        """A table without training has a confidence in place of the margin and says where answers do not fit. Its games use
        the whole budget unless a level to stop at is set."""
        self.games.policy = os.environ["MAPO_TEST_TABLE"]
        for item, self.games.stop in (("whole", 0), ("short", 0.6)):
            self.assertEqual(self.call("/start", {"items": [item]})[0], 200)
        done = 0
        while done < len(Studio.tasks):
            task = Studio.tasks[done]
            self.annotate(task, "yes" if task["item"] == "short" else ("yes", "probably", "no", "probably not")[done % 4])
            done += 1
        whole, short = backend.Games(self.file, self.client, None, None).results()
        for result in (whole, short):
            self.assertEqual((result["state"], result["margin"]), ("done", ""))
            self.assertTrue(0 < float(result["confidence"]) <= 1)
            self.assertIn(result["misfit"], ("yes", ""))
        self.assertEqual(whole["remaining"], 0)
        self.assertTrue(float(short["confidence"]) >= 0.6 or short["remaining"] == 0)

    def test_studio_away(self):
        """A question that could not become a task becomes one later."""
        self.games.start("photo")
        Studio.down = True
        self.assertEqual(self.annotate(Studio.tasks[0], "no")[0], 502)
        Studio.down = False
        self.assertEqual(self.call("/webhook", {"action": "START_TRAINING", "project": {"id": 7}})[0], 200)
        self.assertEqual([t["step"] for t in Studio.tasks], [1, 2])

    def test_calls(self):
        self.assertEqual(self.call("/health"), (200, {"status": "UP", "model_class": "mapo"}))
        self.assertEqual(self.call("/setup", {"project": "7.1", "schema": "<View/>"})[1]["model_version"], os.environ["MAPO_TEST_POLICY"])
        self.assertEqual(self.call("/predict", {"tasks": [{"id": 1}, {"id": 2}]})[1]["results"][1]["result"], [])
        self.assertEqual(self.call("/health", login="studio:wrong")[0], 401)
        self.assertEqual(self.call("/webhook", {"action": "ANNOTATION_UPDATED"})[1]["status"], "ignored")
        for path, body, status in (("/webhook", {}, 400), ("/webhook", [], 400), ("/predict", {}, 400), ("/train", {}, 404)):
            self.assertEqual(self.call(path, body)[0], status, path)
        self.assertEqual(self.annotate({"item": "x", "session": "y", "step": 1}, "yes")[1]["result"], "there is no such game")
        self.assertEqual(self.annotate({"item": "x", "session": "y", "step": 1}, "perhaps")[0], 400)

    def test_answers(self):
        self.assertIsNone(backend.answer_of({"was_cancelled": True, "result": []}))
        with open(os.path.join(os.path.dirname(backend.__file__), "label_config.xml"), encoding="utf-8") as f:
            choices = [c.get("value") for c in xml.etree.ElementTree.parse(f).iter("Choice")]
        self.assertEqual(choices, list(backend.ANSWERS))
        for choice, want in backend.ANSWERS.items():
            answer = backend.answer_of({"result": [{"from_name": "answer", "value": {"choices": [choice]}}]})
            self.assertEqual((answer, backend.mapo._answer(choice)), (want, want))


if __name__ == "__main__":
    unittest.main()

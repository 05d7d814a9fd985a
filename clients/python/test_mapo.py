"""Tests of mapo.py: against a server that misbehaves, made here, and, where MAPO_TEST_URL names one, against a real one.

    python3 -m unittest discover clients/python

MAPO_TEST_URL's server has the policy of MAPO_TEST_POLICY, a table served without training as MAPO_TEST_TABLE, one with exact
answers as MAPO_TEST_EXACT, a pool of items as MAPO_TEST_POOL, and, where they are set, the tokens of MAPO_TEST_ASK and MAPO_TEST_ADMIN.
"""
import csv
import http.server
import io
import json
import os
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mapo  # noqa: E402


class Double(http.server.BaseHTTPRequestHandler):
    """A server that does what the test's script says, one entry a request: "ok", "drop" (do it and give no reply), "refuse"
    (close at once), or a status."""

    protocol_version = "HTTP/1.1"
    script = []
    seen = []
    keys = []
    closed = {}
    guess = None

    def log_message(self, *args):
        pass

    def handle_one(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        Double.seen.append((self.command, self.path, body, self.headers.get("Authorization"), self.headers.get("Content-Type")))
        Double.keys.append(self.headers.get("Idempotency-Key"))
        what = Double.script.pop(0) if Double.script else "ok"
        if what == "refuse":
            self.close_connection = True
            self.connection.close()
            return
        if isinstance(what, tuple):
            status, headers, problem = what
            return self.reply(status, problem, headers)
        result = self.view(body)
        if what == "drop":
            self.close_connection = True
            self.connection.close()
            return
        self.reply(201 if self.path == "/base/v1/sessions" else 200, result, {})

    do_GET = do_POST = do_DELETE = handle_one

    def view(self, body):
        if self.path.endswith("/next") and "history" in body:
            return {"query": {"index": 1, "text": "b?"}, "guess": None, "probabilities": [0, 1], "recommendation": None, "tied": 2,
                    "runners_up": [], "remaining": 3, "policy": {}, "seed": body["seed"]}
        if self.path.endswith(("/answers", "/guess")):
            before = Double.closed.setdefault(body["step"], body)
            if before != body:
                raise AssertionError("step %d was answered twice" % body["step"])
        if "export" in self.path:
            return {"step": 1}
        if "/v1/policies/" in self.path:
            return {"objects": ["penguin"], "proposal": 7, "id": "animals/key", "truth": {}}
        step = 1 + len(Double.closed)
        return {"id": "s1", "step": step, "state": "open" if step < 3 else "done", "margin": 0,
                "query": {"index": step, "text": "query %d?" % step} if step < 3 else None, "probability": .5,
                "guess": Double.guess, "recommendation": {"index": 0, "text": "A"} if step > 1 else None,
                "confidence": None, "tied": 1 if step > 1 else 2,
                "runners_up": [], "remaining": 3 - step, **({"truth": {"text": body["truth"]}} if self.path.endswith("/truth") else {})}

    def reply(self, status, value, headers):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class TestDouble(unittest.TestCase):
    """What the client does where the server or the network fails."""

    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Double)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()

    def setUp(self):
        Double.script, Double.seen, Double.closed, Double.guess = [], [], {}, None
        self.client = mapo.Client("http://127.0.0.1:%d/base/" % self.server.server_port, token="secret-secret-secret", timeout=300, retries=3)
        self.pauses = []
        self.client._pause = self.pauses.append
        self.addCleanup(self.client.close)

    def test_session(self):
        s = self.client.create("animals", title="t", seed=7, stop_margin=2, mask=[3])
        self.assertEqual(Double.seen[0], ("POST", "/base/v1/sessions",
                                          {"policy": "animals", "mask": [3], "title": "t", "seed": 7, "stop_margin": 2},
                                          "Bearer secret-secret-secret", "application/json"))
        self.assertEqual((s.step, s.query, s.state), (1, mapo.Text(1, "query 1?"), "open"))
        self.assertEqual((s.recommendation, s.tied), (None, 2))
        s.answer(True, annotator="ann", mask=[4])
        self.assertEqual(Double.seen[1][1:3], ("/base/v1/sessions/s1/answers",
                                               {"answer": 1, "step": 1, "query": 1, "mask": [4], "annotator": "ann"}))
        self.assertEqual((s.recommendation, s.tied), (mapo.Text(0, "A"), 1))
        s.skip()
        self.assertEqual(Double.seen[2][2], {"answer": None, "skip": True, "step": 2, "query": 2, "mask": []})
        self.assertIsNone(s.query)
        with self.assertRaisesRegex(mapo.MapoError, "nothing is asked: the session is done"):
            s.answer(None)
        s.undo()
        self.assertEqual(Double.seen[3][1:3], ("/base/v1/sessions/s1/undo", {"step": 3, "mask": []}))

    def test_stop_and_guess(self):
        self.client.create("animals", stop=0, guess=True)
        self.assertEqual(Double.seen[0][2], {"policy": "animals", "mask": [], "guess": True, "stop": 0})
        self.client.next("animals", seed=1, stop=0.9, guess=True, ruled_out=[4])
        self.assertEqual(Double.seen[1][2], {"history": [], "mask": [], "seed": 1, "stop": 0.9, "guess": True, "ruled_out": [4]})

    def test_guess(self):
        """A guess is answered as a guess, once, also where its reply is lost."""
        Double.guess = {"index": 3, "text": "a hawk"}
        s = self.client.create("animals", guess=True)
        self.assertEqual(s.guessed, mapo.Text(3, "a hawk"))
        for wrong in (lambda: s.answer(True), s.skip):
            with self.assertRaisesRegex(mapo.MapoError, "guesses 'a hawk': answer with guess"):
                wrong()
        Double.script = ["drop"]
        Double.guess = None
        s.guess(False, mask=[2])
        self.assertEqual(Double.seen[-1][1:3], ("/base/v1/sessions/s1/guess", {"step": 1, "right": False, "mask": [2]}))
        self.assertEqual(Double.seen[-1], Double.seen[-2])
        self.assertIsNone(s.guessed)
        with self.assertRaisesRegex(mapo.MapoError, "nothing is guessed: the session is open"):
            s.guess(True)

    def test_truth(self):
        """A truth whose reply is lost is sent again as it was."""
        s = self.client.create("animals")
        self.assertIsNone(s.told)
        Double.script = ["drop"]
        s.truth("penguin")
        self.assertEqual(Double.seen[-1][1:3], ("/base/v1/sessions/s1/truth", {"truth": "penguin"}))
        self.assertEqual(Double.seen[-1], Double.seen[-2])
        self.assertEqual(s.told["text"], "penguin")
        s.truth("okapi", new=True)
        self.assertEqual(Double.seen[-1][2], {"truth": "okapi", "new": True})

    def test_submit_game(self):
        """A game played elsewhere keeps its key, one that nobody can guess where none is given, when it is sent again."""
        Double.script = ["drop", "ok"]
        history = [("Does it fly?", True), (3, "probably"), (4, None)]
        self.client.submit_game("a b", "penguin", history, recommendation="goose")
        self.assertEqual(Double.seen[0][:3], ("POST", "/base/v1/policies/a%20b/games", {
            "truth": "penguin", "recommendation": "goose",
            "history": [{"query": "Does it fly?", "answer": 1}, {"query": 3, "answer": 0.5}, {"query": 4, "answer": None}]}))
        self.client.submit_game("a b", "okapi", [(0, False)], new=True)
        self.client.submit_game("a b", "okapi", [(0, False)], key="the-key-of-a-game")
        keys = Double.keys[-4:]
        self.assertEqual(keys[0], keys[1])
        self.assertRegex(keys[0], "^[0-9a-f]{32}$")
        self.assertNotEqual(keys[1], keys[2])
        self.assertEqual(keys[3], "the-key-of-a-game")
        self.assertEqual(Double.seen[2][2], {"truth": "okapi", "new": True, "history": [{"query": 0, "answer": -1}]})
        self.client.withdraw_game("a b", "the-key-of-a-game")
        self.assertEqual(Double.seen[-1][:2], ("DELETE", "/base/v1/policies/a%20b/games/the-key-of-a-game"))

    def test_objects_and_proposals(self):
        self.assertEqual(self.client.objects("animals", "sea l", limit=3), ["penguin"])
        self.assertEqual(Double.seen[-1][1], "/base/v1/policies/animals/objects?like=sea%20l&limit=3")
        self.assertEqual(self.client.propose_question("animals", "Does it swim?", answer=True, game="s1"), 7)
        self.assertEqual(Double.seen[-1][1:3], ("/base/v1/policies/animals/questions", {"text": "Does it swim?", "answer": 1, "game": "s1"}))
        self.client.propose_question("animals", "Does it swim?")
        self.assertEqual(Double.seen[-1][2], {"text": "Does it swim?"})
        self.client.review("animals")
        self.assertEqual(Double.seen[-1][:3], ("GET", "/base/v1/policies/animals/review", None))
        bodies = []
        for decide in (lambda: self.client.accept("animals", 7), lambda: self.client.reject("animals", 7),
                       lambda: self.client.accept("animals", 7, name="Does it swim well?", yes=["penguin"], no=["cat"]),
                       lambda: self.client.restore("animals", "a:1")):
            decide()
            self.assertEqual(Double.seen[-1][:2], ("POST", "/base/v1/policies/animals/review"))
            bodies.append(Double.seen[-1][2])
        self.assertEqual(bodies, [
            {"proposal": 7, "decision": "accept"}, {"proposal": 7, "decision": "reject"},
            {"proposal": 7, "decision": "accept", "as": "Does it swim well?", "yes": ["penguin"], "no": ["cat"]},
            {"client": "a:1", "decision": "restore"}])

    def test_lost_reply(self):
        """An answer whose reply is lost is sent again as it was, and the session goes on."""
        s = self.client.create("animals")
        for what in ("drop", "refuse"):
            Double.script = [what, what]
            step = s.step
            s.answer(False)
            self.assertEqual(Double.seen[-1], Double.seen[-2])
            self.assertEqual(Double.seen[-1], Double.seen[-3])
            self.assertEqual(Double.seen[-1][2]["step"], step)
            self.assertEqual(s.step, step + 1)
        self.assertEqual(len(self.pauses), 2)  # where the second was lost, too: the first went over an idle connection

    def test_idle_connections(self):
        """Where the server has closed the idle connections, the request goes out over a new one at once, and is tried no less."""
        def idle():
            Double.timeout = .05
            self.addCleanup(setattr, Double, "timeout", None)
            self.client._idle = [self.client._connect() for _ in range(mapo.MAX_IDLE)]
            for connection in self.client._idle:
                self.assertEqual(connection.sock.recv(1), b"")  # the server closes it
            Double.timeout = None
        idle()
        self.client.session("s1")
        self.assertEqual((len(Double.seen), self.pauses, len(self.client._idle)), (1, [], 1))
        self.client.close()
        idle()
        Double.seen, Double.script = [], ["drop"] * 3
        self.client.session("s1")
        self.assertEqual((len(Double.seen), len(self.pauses), len(self.client._idle)), (4, 3, 1))

    def test_create_is_not_repeated(self):
        for what in ("drop", (502, {}, b"<html>"), (504, {}, b"<html>")):
            self.client.session("s1")  # leaves an idle connection
            Double.seen, Double.script = [], [what]
            with self.assertRaisesRegex(mapo.Unavailable, "it may have been received"):
                self.client.create("animals")
            self.assertEqual(len(Double.seen), 1)
        self.assertEqual(self.pauses, [])

    def test_delete(self):
        """A session that is gone has been deleted by the first request, where there was one."""
        gone = (404, {}, {"detail": "gone"})
        for lost in (["drop"], ["drop"], [(502, {}, b"<html>")]):  # over a new connection, and over an idle one
            Double.seen, Double.script = [], [*lost, gone]
            self.client.delete("s1")
            self.assertEqual([s[:2] for s in Double.seen], [("DELETE", "/base/v1/sessions/s1")] * 2)
        self.assertEqual(len(self.pauses), 2)
        Double.script = [gone]
        with self.assertRaises(mapo.NotFound):
            self.client.delete("s1")
        Double.script = ["drop", "drop", gone]
        with self.assertRaises(mapo.NotFound):
            self.client.session("s1")

    def test_busy(self):
        """A busy server is asked again, when it says; create, too: it says that it did nothing."""
        busy = {"title": "Too Many Requests", "detail": "wait a little"}
        Double.script = [(429, {"Retry-After": "2"}, busy), (503, {}, busy)]
        self.client.create("animals")
        self.assertEqual(len(Double.seen), 3)
        self.assertEqual(self.pauses[0], 2)
        self.pauses.clear()
        Double.script = [(507, {"Retry-After": "10"}, busy), (503, {"Retry-After": "0"}, busy)]
        s = self.client.create("animals")
        s.answer(True)
        self.assertEqual(self.pauses[0], 10)
        self.assertGreater(self.pauses[1], 0.1)  # its own pause grows, whatever the server says
        Double.script = [(503, {}, busy)] * 4
        with self.assertRaisesRegex(mapo.Unavailable, r"wait a little \(HTTP 503\), 4 times"):
            self.client.policies()

    def test_refusals(self):
        for status, kind in ((404, mapo.NotFound), (409, mapo.Conflict), (422, mapo.Refused), (401, mapo.Refused)):
            Double.script = [(status, {}, {"detail": "no", "errors": [{"message": "why", "location": "body.x"}, {"message": "else"}]})]
            with self.assertRaisesRegex(kind, r"no; body\.x: why; else \(HTTP %d\)" % status) as caught:
                self.client.session("x/y?")
            self.assertEqual(caught.exception.status, status)
            self.assertEqual(Double.seen[-1][1], "/base/v1/sessions/x%2Fy%3F")
        self.assertEqual(self.pauses, [])
        Double.script = [(500, {}, b"<html>")]
        with self.assertRaisesRegex(mapo.Refused, "the server refused the request"):
            self.client.policies()
        Double.script = [(200, {}, b"<html>")]
        with self.assertRaisesRegex(mapo.MapoError, "not JSON"):
            self.client.policies()

    def test_next(self):
        Double.script = ["drop"]
        reply = self.client.next("a b", [(0, True), ("text?", None)], mask=[2], top=3)
        first, second = Double.seen
        self.assertEqual(first, second)
        self.assertEqual(first[1], "/base/v1/policies/a%20b/next")
        self.assertEqual(first[2]["history"], [{"query": 0, "answer": 1}, {"query": "text?", "answer": None}])
        self.assertEqual((reply["query"], reply["recommendation"], reply["tied"]), (mapo.Text(1, "b?"), None, 2))

    def test_nobody_there(self):
        client = mapo.Client("http://127.0.0.1:9", retries=2)
        client._pause = self.pauses.append
        with self.assertRaisesRegex(mapo.Unavailable, "refused.*, 3 times"):
            client.create("animals")
        self.assertEqual(len(self.pauses), 2)

    def test_token_stays_here(self):
        for url in ("http://example.com", "http://10.0.0.1:8080"):
            with self.assertRaisesRegex(ValueError, "unencrypted"):
                mapo.Client(url, token="secret-secret")
            mapo.Client(url, token="secret-secret", insecure=True)
        for url in ("https://example.com", "http://localhost:1", "http://[::1]:1"):
            mapo.Client(url, token="secret-secret")
        with self.assertRaises(ValueError) as caught:
            mapo.Client("https://example.com", token="se\ncret")
        self.assertNotIn("cret", str(caught.exception))
        self.assertNotIn("secret", repr(self.client))
        for url in ("ftp://a", "localhost:80", ""):
            with self.assertRaises(ValueError):
                mapo.Client(url)

    def test_answers(self):
        class bool_:
            """numpy's bool, as far as it is needed."""

            def __init__(self, value):
                self.value = value

            def __bool__(self):
                return self.value

        answers = [mapo._answer(v) for v in (True, 1, bool_(True), False, -1, bool_(False), None)]
        self.assertEqual(answers, [1, 1, 1, -1, -1, -1, None])
        self.assertEqual([mapo._answer(v) for v in (0.5, -0.5, "Yes", " no ", "probably", "probably not", "don't know")],
                         [0.5, -0.5, 1, -1, 0.5, -0.5, None])
        for wrong in (0, 2, 0.25, "maybe", "", []):
            with self.assertRaisesRegex(ValueError, "an answer is True, False, None, 0.5, -0.5 or one of 'yes', "):
                mapo._answer(wrong)

    def test_numbers(self):
        """A number is one where the session says so, or where it is marked as one; 0 is not None, and True is no number."""
        self.assertEqual([mapo._answer(v, True) for v in (0, 1, -2.5, None, "Don't know")], [0, 1, -2.5, None, None])
        self.assertEqual([mapo._answer(mapo.Number(v)) for v in (0, 1.5)], [0, 1.5])
        for wrong in (True, False, "yes", "1.5", float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "number"):
                mapo._answer(wrong, True)

    def test_classes(self):
        """A class is one of a session's, also where it is called like a word of yes and no, or what is marked as one."""
        names = ["cat", "no", "3"]
        self.assertEqual([mapo._answer(v, classes=names) for v in ("cat", "no", "3", None, "Don't know")], ["cat", "no", "3", None, None])
        self.assertEqual(mapo._answer(mapo.Class("no")), "no")
        for wrong in (True, 3, 0, "Cat", "yes", ""):
            with self.assertRaisesRegex(ValueError, "an answer is a class \\('cat', 'no', '3'\\) or None"):
                mapo._answer(wrong, classes=names)


@unittest.skipUnless(os.environ.get("MAPO_TEST_URL"), "MAPO_TEST_URL names no server")
class TestServer(unittest.TestCase):
    """The client and the real server."""

    def setUp(self):
        self.url, self.policy = os.environ["MAPO_TEST_URL"], os.environ["MAPO_TEST_POLICY"]
        self.client = mapo.Client(self.url, token=os.environ.get("MAPO_TEST_ASK"))
        self.addCleanup(self.client.close)

    def test_policies(self):
        self.assertIn(self.policy, [p["id"] for p in self.client.policies()])
        for p in self.client.policies():
            self.assertTrue(p["trained"] or not any("r" in g for g in p["gives"]))  # no worst case without training
            self.assertTrue(all(g["lo"] <= g["loss"] <= g["hi"] and g["amount"] in g["text"] for g in p["gives"]))
            self.assertEqual(self.client.policy(p["id"])["gives"], p["gives"])
        contract = self.client.policy(self.policy)["contract"]
        self.assertGreater(len(contract["problem"]["queries"]), 1)

    def test_next(self):
        first = self.client.next(self.policy, seed=5)
        self.assertEqual(first, self.client.next(self.policy, seed=5))
        self.assertAlmostEqual(sum(first["probabilities"]), 1, places=4)
        self.assertEqual((first["recommendation"], first["runners_up"]), (None, []))
        self.assertEqual(first["tied"], len(self.client.policy(self.policy)["contract"]["problem"]["hypotheses"]))
        history = []
        while True:
            reply = self.client.next(self.policy, history, mask=[1])
            if reply["query"] is None:
                break
            self.assertNotEqual(reply["query"].index, 1)
            history.append((reply["query"].text, True))
        self.assertGreater(len(history), 1)
        self.assertIsInstance(reply["recommendation"], mapo.Text)
        with self.assertRaises(mapo.Refused):
            self.client.next(self.policy, [(10**6, True)])
        with self.assertRaises(mapo.NotFound):
            self.client.next("no such policy")

    def test_session(self):
        s = self.client.create(self.policy, title="test", seed=3)
        begin = s.query
        self.assertIsNone(s.recommendation)
        self.assertGreater(s.tied, 1)
        s.answer(True, annotator="ann")
        self.assertEqual(s.step, 2)
        self.assertEqual((s.confidence, s.runners_up[0]["confidence"], s.guessed), (None, None, None))
        self.assertIsInstance(s.recommendation, mapo.Text)
        again = self.client.session(s.id)
        self.assertEqual((again.step, again.query), (s.step, s.query))
        s.undo()
        self.assertEqual(s.query, begin)
        with self.assertRaises(mapo.Conflict):
            again.answer(False)  # it does not know of the undoing
        self.assertEqual(again.refresh().query, begin)
        other = s.ask(mask=[begin.index]).query
        self.assertNotEqual(other.index, begin.index)
        s.skip()
        while s.query:
            s.answer(None if s.step % 3 == 0 else s.step % 2 == 0)
        self.assertEqual(s.state, "done")
        rows = list(csv.DictReader(io.StringIO(s.export())))
        lines = [json.loads(line) for line in s.export("jsonl").splitlines()]
        self.assertEqual(len(rows), len(lines))
        self.assertEqual(rows[0]["annotator"], "ann")
        self.assertEqual((rows[0]["title"], rows[0]["recommendation_text"]), ("test", s.recommendation.text))
        self.assertEqual((lines[-1]["title"], lines[-1]["recommendation"]["index"]), ("test", s.recommendation.index))
        self.assertEqual([r["outcome"] for r in rows[:3]], ["answer", "undo", "skip"])
        self.assertTrue(all(0 < float(r["probability"]) <= 1 for r in rows))

    def test_repeated(self):
        """The same answer, sent again as a client does whose reply was lost, changes nothing."""
        s = self.client.create(self.policy)
        late = self.client.session(s.id)
        s.answer(True)
        late.answer(True)
        self.assertEqual((s.step, s.query), (late.step, late.query))

    def test_half_answers_of_a_policy(self):
        """A trained policy takes half answers, and has no posterior to stop by."""
        s = self.client.create(self.policy, guess=True)
        s.answer("probably")
        self.assertEqual(s.margin % 0.5, 0)
        for wrong in (lambda: self.client.create(self.policy, stop=0.9), lambda: self.client.next(self.policy, stop=0.9)):
            with self.assertRaisesRegex(mapo.Refused, "stop needs a posterior"):
                wrong()

    @unittest.skipUnless(os.environ.get("MAPO_TEST_ADMIN"), "no tokens")
    def test_rights(self):
        s = self.client.create(self.policy)
        admin = mapo.Client(self.url, token=os.environ["MAPO_TEST_ADMIN"])
        self.addCleanup(admin.close)
        with self.assertRaises(mapo.Refused) as caught:
            list(self.client.sessions())
        self.assertEqual(caught.exception.status, 403)
        self.assertIn(s.id, [n["id"] for n in admin.sessions()])
        admin.delete(s.id)
        with self.assertRaises(mapo.NotFound):
            s.refresh()
        stranger = mapo.Client(self.url, token="")
        self.addCleanup(stranger.close)
        with self.assertRaises(mapo.Refused) as caught:
            stranger.policies()
        self.assertEqual(caught.exception.status, 401)


@unittest.skipUnless(os.environ.get("MAPO_TEST_URL"), "MAPO_TEST_URL names no server")
class TestPool(unittest.TestCase):
    """The client and a pool of items that are labelled."""

    def setUp(self):
        self.client = mapo.Client(os.environ["MAPO_TEST_URL"], token=os.environ.get("MAPO_TEST_ASK"))
        self.addCleanup(self.client.close)
        self.pool = os.environ["MAPO_TEST_POOL"]

    def test_session(self):
        """Items come once each, classes are answers, undo asks an item again, and the labels have propensities."""
        traits = [p for p in self.client.policies() if p["id"] == self.pool][0]["labels"]
        s = self.client.create(self.pool, seed=2)
        self.assertEqual(s.classes, traits["classes"])
        first = s.query
        s.skip()
        given = []
        while s.query:
            self.assertNotIn(s.query, [first] + [item for item, _ in given])
            given.append((s.query, s.classes[len(given) % len(s.classes)]))
            s.answer(given[-1][1])
        self.assertEqual((s.state, s.guessed, s.confidence, s.remaining), ("done", None, None, 0))
        self.assertEqual(s.agreed, max([s.agreed] + [r["agreed"] for r in s.runners_up if r["margin"] == 0]))
        s.undo()
        self.assertEqual(s.query, given[-1][0])
        with self.assertRaisesRegex(ValueError, "an answer is a class"):
            s.answer(True)
        s.answer(given[-1][1])
        rows = list(csv.DictReader(io.StringIO(s.labels())))
        self.assertEqual([(r["item"], r["class"]) for r in rows], [(item.text, name) for item, name in given])
        self.assertTrue(all(0 < float(r["propensity"]) <= 1 for r in rows))
        history = [(item.text, mapo.Class(name)) for item, name in given]
        reply = self.client.next(self.pool, history)
        self.assertEqual((reply["query"], reply["agreed"]), (None, s.agreed))
        with self.assertRaisesRegex(mapo.Refused, "want a class"):
            self.client.next(self.pool, [(first.index, False)])


@unittest.skipUnless(os.environ.get("MAPO_TEST_URL"), "MAPO_TEST_URL names no server")
class TestTable(unittest.TestCase):
    """The client and a table that is served without training."""

    def setUp(self):
        self.client = mapo.Client(os.environ["MAPO_TEST_URL"], token=os.environ.get("MAPO_TEST_ASK"))
        self.addCleanup(self.client.close)
        self.table, self.exact = os.environ["MAPO_TEST_TABLE"], os.environ["MAPO_TEST_EXACT"]
        self.names = self.client.policy(self.table)["contract"]["problem"]["hypotheses"]

    def test_confidence(self):
        """Probabilities fall along the runners-up, and all of them sum to 1."""
        first = self.client.next(self.table)
        self.assertEqual((first["confidence"], first["guess"]), (None, None))
        reply = self.client.next(self.table, [(first["query"].text, "probably")], top=len(self.names))
        listed = [reply["confidence"]] + [r["confidence"] for r in reply["runners_up"]]
        self.assertEqual(listed, sorted(listed, reverse=True))
        self.assertEqual(len(listed), len(self.names))
        self.assertAlmostEqual(sum(listed), 1, places=6)
        whole = self.client.next(self.table, [(first["query"].text, True)])
        self.assertGreater(whole["confidence"], reply["confidence"])
        with self.assertRaisesRegex(mapo.Refused, "stop_margin is for policies without a posterior"):
            self.client.create(self.table, stop_margin=1)

    def test_stop_and_guess(self):
        """A session stops at its level and guesses; a wrong guess is ruled out, undone, and at last right."""
        s = self.client.create(self.table, seed=1, stop=0.6, guess=True)
        steps = 0
        while s.state == "open":
            s.answer((True, 0.5, -0.5, False)[steps % 4])
            steps += 1
        self.assertEqual((s.state, s.query, s.guessed), ("guess", None, s.recommendation))
        self.assertTrue(s.confidence >= 0.6 or s.remaining == 0)
        self.assertTrue(s.pro)
        self.assertGreater(s.pro[0]["weight"], 0)
        guessed, step = s.guessed, s.step
        late, later = self.client.session(s.id), self.client.session(s.id)
        s.guess(False)
        late.guess(False)  # the same request again changes nothing
        self.assertEqual((s.step, late.step), (step + 1, step + 1))
        self.assertNotEqual(s.recommendation, guessed)
        s.undo()
        self.assertEqual((s.state, s.guessed), ("guess", guessed))
        with self.assertRaises(mapo.Conflict):
            later.guess(True)
        s.guess(True)
        self.assertEqual((s.state, s.recommendation), ("done", guessed))
        rows = list(csv.DictReader(io.StringIO(s.export())))
        self.assertEqual([r["outcome"] for r in rows[-3:]], ["wrong", "undo", "right"])
        self.assertEqual((rows[-1]["guess"], rows[-1]["text"]), (str(guessed.index), guessed.text))
        self.assertEqual([r["answer"] for r in rows[:4]], ["1", "0.5", "-0.5", "-1"][:min(4, steps)])

    def test_ruled_out(self):
        """The same without a session: a wrong guess goes into ruled_out and uses an answer."""
        history, reply = [], self.client.next(self.table, seed=3, stop=0.6, guess=True)
        while reply["query"]:
            history.append((reply["query"].index, len(history) % 2 == 0))
            reply = self.client.next(self.table, history, seed=3, stop=0.6, guess=True)
        self.assertIsInstance(reply["guess"], mapo.Text)
        after = self.client.next(self.table, history, seed=3, stop=0.6, guess=True, ruled_out=[reply["guess"].index])
        self.assertNotEqual(after["recommendation"], reply["guess"])
        if reply["remaining"]:
            self.assertEqual(after["remaining"], reply["remaining"] - 1)

    def test_misfit(self):
        """Answers of no row are said not to fit."""
        s = self.client.create(self.table, seed=4, stop=0)
        while s.query:
            s.answer(s.step % 2 == 0)
        self.assertTrue(s.misfit)
        self.assertTrue(s.pro and s.contra)

    def play(self, animal, answers=4):
        """A session in which the rows of the table answer for an animal."""
        contract = self.client.policy(self.table)["contract"]
        row = contract["problem"]["shares"]["yes"][self.names.index(animal)]
        s = self.client.create(self.table, stop=0)
        while s.step <= answers:
            s.answer(row[s.query.index] > 0.5)
        return s

    def test_truth(self):
        """A truth ends a session, is told twice as once, corrected, and taken back by an undo."""
        s = self.play("penguin")
        with self.assertRaisesRegex(mapo.Refused, '"pengin" is not an object of the table; did you mean "penguin"') as caught:
            s.truth("pengin")
        self.assertEqual(caught.exception.status, 422)
        self.assertEqual((s.refresh().state, s.told), ("open", None))
        again = self.client.session(s.id)
        s.truth("Penguin")
        self.assertEqual((s.state, s.told["text"], s.told["known"]), ("done", "penguin", True))
        self.assertGreaterEqual(s.told["place"], 1)
        self.assertEqual(again.truth("penguin").told["text"], "penguin")
        with self.assertRaisesRegex(mapo.Conflict, "truth was told"):
            self.client._json("POST", "/v1/sessions/%s/answers" % s.id, {"step": s.step, "answer": 1})
        self.assertEqual(s.truth("zebra").told["text"], "zebra")
        s.undo()
        self.assertEqual((s.state, s.told), ("open", None))
        with self.assertRaisesRegex(mapo.Conflict, "no answer"):
            self.client.create(self.table).truth("zebra")

    def test_new_object(self):
        """An object that the table does not have is proposed, and so is a question; an admin decides."""
        s = self.play("penguin")
        s.truth("okapi", new=True)
        self.assertEqual((s.told["text"], s.told["known"]), ("okapi", False))
        number = self.client.propose_question(self.table, "Has it striped legs?", answer=True, game=s.id)
        self.assertEqual(self.client.propose_question(self.table, "Has it striped legs?"), number)
        if not os.environ.get("MAPO_TEST_ADMIN"):
            return
        with self.assertRaises(mapo.Refused) as caught:
            self.client.review(self.table)
        self.assertEqual(caught.exception.status, 403)
        admin = mapo.Client(os.environ["MAPO_TEST_URL"], token=os.environ["MAPO_TEST_ADMIN"])
        self.addCleanup(admin.close)
        okapi, question = [p for p in admin.review(self.table)["proposals"] if p["text"] in ("okapi", "Has it striped legs?")]
        self.assertEqual((okapi["kind"], okapi["games"], question["id"], question["truth"]), ("object", 1, number, "okapi"))
        admin.accept(self.table, number, name="Has it stripes on its legs?", yes=["zebra"], no=["penguin"])
        left = admin.reject(self.table, okapi["id"])["proposals"]
        self.assertNotIn(okapi["id"], [p["id"] for p in left])
        with self.assertRaisesRegex(mapo.NotFound, "no client"):
            admin.restore(self.table, "a:0123")

    def test_submit_game(self):
        """A game played elsewhere counts once under its key, and is withdrawn by it."""
        history = [(0, True), (1, "probably"), (2, None)]
        told = self.client.submit_game(self.table, "penguin", history, recommendation="hawk")
        key = told["id"].rsplit("/", 1)[1]
        self.assertEqual(told["truth"]["text"], "penguin")
        self.assertEqual(self.client.submit_game(self.table, "penguin", history, key=key, recommendation="hawk"), told)
        with self.assertRaisesRegex(mapo.Conflict, "another game"):
            self.client.submit_game(self.table, "zebra", history, key=key)
        self.client.withdraw_game(self.table, key)
        with self.assertRaises(mapo.NotFound):
            self.client.withdraw_game(self.table, key)

    def test_objects(self):
        self.assertEqual(self.client.objects(self.table, "PENG"), ["penguin"])
        self.assertEqual(len(self.client.objects(self.table, limit=3)), 3)

    def test_contradiction(self):
        """Exact answers that no row gives: the closest rows are listed with the queries on which they differ."""
        queries = self.client.policy(self.exact)["contract"]["problem"]["queries"]
        history = [(text, True) for text in queries]
        near = self.client.next(self.exact, history)["contradiction"]
        self.assertTrue(near)
        self.assertTrue(all(q["text"] in queries for row in near for q in row["differs"]))
        self.assertNotIn("contradiction", self.client.next(self.exact, history[:1]))


if __name__ == "__main__":
    unittest.main()

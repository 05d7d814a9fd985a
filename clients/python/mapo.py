"""A client for ``mapo serve``: one file, nothing but the standard library, Python 3.8 or later.

    import mapo

    client = mapo.Client("http://127.0.0.1:8080")
    session = client.create("animals", guess=True)   # the base name of what mapo serve serves
    while session.state in ("open", "guess"):
        if session.guessed:
            session.guess(input("Is it %s? [y/n] " % session.guessed.text).startswith("y"))
        else:
            session.answer(input(session.query.text + " [yes/no/probably/...] "))
    print("I think it is:", session.recommendation.text, session.confidence)
    session.truth(input("What was it? "))            # a server that learns gets better by it

An answer is True, 1 or "yes"; False, -1 or "no"; 0.5 or "probably"; -0.5 or "probably not"; None or "don't know". Half
answers are for games in which no query is asked twice. Where a policy's answers are numbers a session takes any number, and
a history has mapo.Number(1.5). Where a policy asks for the classes of items a session takes the name of a class, and a history
has mapo.Class("cat"). Queries count from 0.

A confidence is the probability that the recommendation is right if answers follow the table. It is None where there is no
posterior, as where hypotheses are majorities.

A request is sent again when the server does not reply, is busy, or cannot write. That is safe: an answer names its step, and
a step that was answered is not answered twice. Only beginning a session is not repeated where the first request may have been
received.

A client may be used by several threads; a session by one at a time.
"""
import http.client
import ipaddress
import json
import math
import os
import random
import secrets
import ssl
import time
import urllib.parse
from typing import NamedTuple

__all__ = ["Client", "Session", "Text", "MapoError", "Refused", "Conflict", "NotFound", "Unavailable"]

MAX_SEED = 2**53 - 1
MAX_IDLE = 8  # connections kept for the next requests


class MapoError(Exception):
    """Whatever can go wrong with a request."""


class Refused(MapoError):
    """The server refused a request. status is HTTP's, detail the reason."""

    def __init__(self, status, detail):
        super().__init__("%s (HTTP %d)" % (detail, status))
        self.status = status
        self.detail = detail


class NotFound(Refused):
    """There is no such policy or session; a session may have expired."""


class Conflict(Refused):
    """The session is at another step: somebody else has answered, or undone. refresh() shows where it is."""


class Unavailable(MapoError):
    """The server gave no reply, or was busy, as often as it was tried."""


class Text(NamedTuple):
    """A query or a hypothesis."""

    index: int
    text: str


def _text(value):
    return Text(value["index"], value["text"]) if value else None


_NAMES = {"yes": 1, "no": -1, "probably": 0.5, "probably not": -0.5, "don't know": None}


class Number(float):
    """A number as an answer, for policies whose answers are numbers (those with "answers" in Client.policies())."""


class Class(str):
    """The class of an item as an answer, for policies that label the items of a pool (those with "labels" in
    Client.policies())."""


def _class(value, classes):
    """Returns a class as the server takes it: one of classes, or None for don't know."""
    if isinstance(value, str) and value in classes:
        return str(value)
    if isinstance(value, str) and value.strip().lower() == "don't know":
        return None
    raise ValueError("an answer is a class (%s) or None, not %r" % (", ".join(map(repr, classes)), value))


def _answer(value, numbers=False, classes=None):
    """Returns an answer as the server takes it: 1, 0.5, -0.5, -1 or None; a number where numbers is true, or where it is a
    Number; one of classes, where they are given, or what is a Class."""
    if value is None:
        return None
    if classes is not None:
        return _class(value, classes)
    if isinstance(value, Class):
        return str(value)
    if isinstance(value, Number) or numbers and not isinstance(value, str) and type(value).__name__ not in ("bool", "bool_"):
        if math.isfinite(value):
            return float(value)
        raise ValueError("an answer is a finite number or None, not %r" % (value,))
    if numbers and not (isinstance(value, str) and value.strip().lower() == "don't know"):
        raise ValueError("the answers of this session are numbers: want one or None, not %r" % (value,))
    if isinstance(value, str):
        name = value.strip().lower()
        if name in _NAMES:
            return _NAMES[name]
    elif type(value).__name__ in ("bool", "bool_"):  # Python's and numpy's
        return 1 if value else -1
    elif value == 1 or value == -1:
        return int(value)
    elif value == 0.5 or value == -0.5:
        return float(value)
    raise ValueError("an answer is True, False, None, 0.5, -0.5 or one of %s, not %r" % (", ".join(map(repr, _NAMES)), value))


class Client:
    """A server to ask.

    token: sent as a bearer token; without one, what $MAPO_TOKEN holds
    timeout: seconds to wait for a connection, and for a reply
    retries: how often a request is sent again, at growing intervals
    insecure: send the token to another machine although the connection is not encrypted
    context: an ssl.SSLContext, for certificates of your own
    """

    def __init__(self, url, token=None, timeout=10, retries=5, insecure=False, context=None):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the server's address is %r, want http://HOST:PORT or https://HOST" % url)
        token = os.environ.get("MAPO_TOKEN", "") if token is None else token
        self._token = token.strip()
        if any(c <= " " or c > "~" for c in self._token):
            raise ValueError("the token has a character that no token has")
        if self._token and parts.scheme == "http" and not insecure and not _loopback(parts.hostname):
            raise ValueError("the token would go to %s unencrypted: use https, or say insecure=True" % parts.hostname)
        self._scheme, self._host, self._port = parts.scheme, parts.hostname, parts.port
        self._prefix = parts.path.rstrip("/")
        self._timeout, self._retries = timeout, retries
        self._context = context
        self._idle = []  # connections that nobody uses at the moment
        self._pause = time.sleep

    def __repr__(self):
        return "mapo.Client(%s://%s:%s%s)" % (self._scheme, self._host, self._port or "", self._prefix)

    def policies(self):
        """The policies in service: a list of dicts with id, hash, problem, queries, hypotheses, budget and more. gives says how
        well each does on average and at worst, with 95 % intervals: a list of dicts, empty where nothing was measured."""
        return self._json("GET", "/v1/policies")["policies"]

    def policy(self, policy):
        """A policy's id, hash, gives and contract: its problem with all texts, its rule, its averages and worst cases."""
        return self._json("GET", "/v1/policies/" + _quote(policy))

    def next(self, policy, history=(), mask=(), seed=None, top=None, ruled_out=(), stop=None, guess=False):
        """Returns what to ask next in a game that the caller keeps, as a dict: query (None where the game is over),
        probabilities, guess (None where nothing is guessed), recommendation (None while all hypotheses tie and answers are
        left), confidence, tied (how many share the lead), runners_up, remaining, policy and seed. Where they apply it also
        has misfit, pro, contra and contradiction, as a Session does.

        history: pairs of a query (its index or its text) and an answer, in order
        mask: indices of queries not to be asked
        seed: draws the query; the same request with the same seed gets the same reply
        top: how many runners-up to list
        ruled_out: indices of hypotheses that were guessed and are wrong; each used an answer
        stop: ask no more once the recommendation has this probability, above 0.5; 0: never; None: the policy's own
        guess: guess where nothing is left to ask; put a wrong one in ruled_out
        """
        body = {
            "history": [{"query": query, "answer": _answer(answer)} for query, answer in history],
            "mask": list(mask),
            "seed": random.SystemRandom().randint(0, MAX_SEED) if seed is None else seed,  # a second try gets the same
        }
        optional = {"top": top, "stop": stop, "ruled_out": list(ruled_out) or None, "guess": guess or None}
        body.update((key, value) for key, value in optional.items() if value is not None)
        reply = self._json("POST", "/v1/policies/%s/next" % _quote(policy), body)
        for key in ("query", "guess", "recommendation"):
            reply[key] = _text(reply[key])
        return reply

    def create(self, policy, title="", seed=None, stop_margin=None, mask=(), stop=None, guess=False):
        """Begin a session.

        title: for people to tell sessions apart
        seed: draws the queries
        stop_margin: end as soon as the recommendation leads by this much; for policies without a posterior
        mask: indices of queries not to be asked first
        stop: end as soon as the recommendation has this probability, above 0.5; 0: never; None: the policy's own
        guess: guess before the session ends; answer with Session.guess
        """
        body = {"policy": policy, "mask": list(mask)}
        if title:
            body["title"] = title
        if guess:
            body["guess"] = True
        optional = {"seed": seed, "stop_margin": stop_margin, "stop": stop}
        body.update((key, value) for key, value in optional.items() if value is not None)
        return Session(self, self._json("POST", "/v1/sessions", body, repeat=False))

    def session(self, id):
        """Go on with a session begun before, here or elsewhere."""
        return Session(self, self._json("GET", "/v1/sessions/" + _quote(id)))

    def sessions(self):
        """Every session, as dicts with id, policy, title and times. Needs an admin's token."""
        after = ""
        while True:
            page = self._json("GET", "/v1/sessions?limit=1000&after=" + _quote(after))["sessions"]
            yield from page
            if len(page) < 1000:
                return
            after = page[-1]["id"]

    def delete(self, id):
        """Forget a session. Needs an admin's token. One that is gone when the request is sent again counts as forgotten."""
        self._request("DELETE", "/v1/sessions/" + _quote(id))

    def objects(self, policy, like="", limit=10):
        """Names of the policy's objects that like may be the beginning of, the best first: up to limit, at most 100."""
        return self._json("GET", "/v1/policies/%s/objects?like=%s&limit=%d" % (_quote(policy), _quote(like), limit))["objects"]

    def submit_game(self, policy, truth, history, key=None, recommendation="", new=False):
        """Tell a game that was played elsewhere, for a server that learns from games. Returns a dict with id and truth. The
        same game under the same key counts once; another game under it is a Conflict.

        truth: what it was, the name of an object
        history: pairs of a query (its index or its text) and an answer, in order
        key: 16 to 128 letters, digits, "-", "_" and ".", made at random, by which the game can be withdrawn. None: the
            client makes one; it is the part of the id after the last slash
        recommendation: what was recommended at the end
        new: propose the truth as a new object where there is none of that name
        """
        body = {"truth": truth, "history": [{"query": query, "answer": _answer(answer)} for query, answer in history]}
        if recommendation:
            body["recommendation"] = recommendation
        if new:
            body["new"] = True
        key = secrets.token_hex(16) if key is None else key
        return self._json("POST", "/v1/policies/%s/games" % _quote(policy), body, headers={"Idempotency-Key": key})

    def withdraw_game(self, policy, key):
        """Take back a game told by submit_game; 24 hours later that needs an admin's token."""
        self._request("DELETE", "/v1/policies/%s/games/%s" % (_quote(policy), _quote(key)))

    def propose_question(self, policy, text, answer=None, game=None):
        """Propose a question that would have helped, for an operator to accept. Returns the number of the proposal.

        answer: to the question, for the truth of the game
        game: the id of a session, or of a game told by submit_game, in which the question would have helped
        """
        body = {"text": text}
        if answer is not None:
            body["answer"] = _answer(answer)
        if game is not None:
            body["game"] = game
        return self._json("POST", "/v1/policies/%s/questions" % _quote(policy), body)["proposal"]

    def review(self, policy):
        """What waits for a decision, as a dict: proposals, set_aside (clients whose games do not count), and version, games
        and built of the learned table. Needs an admin's token."""
        return self._json("GET", "/v1/policies/%s/review" % _quote(policy))

    def accept(self, policy, proposal, name=None, yes=(), no=()):
        """Accept a proposal. Needs an admin's token. Returns what is left to review.

        name: to accept it by, a corrected spelling or the name of one that the table has
        yes, no: objects for which the answer to an accepted question is yes, and no
        """
        body = {"proposal": proposal, "decision": "accept"}
        optional = {"as": name, "yes": list(yes) or None, "no": list(no) or None}
        body.update((key, value) for key, value in optional.items() if value is not None)
        return self._json("POST", "/v1/policies/%s/review" % _quote(policy), body)

    def reject(self, policy, proposal):
        """Reject a proposal. Needs an admin's token. Returns what is left to review."""
        return self._json("POST", "/v1/policies/%s/review" % _quote(policy), {"proposal": proposal, "decision": "reject"})

    def restore(self, policy, client):
        """Have the games of a client count that was set aside. Needs an admin's token. Returns what is left to review."""
        return self._json("POST", "/v1/policies/%s/review" % _quote(policy), {"client": client, "decision": "restore"})

    def close(self):
        """Close the connections that are not in use. The client may be used again."""
        while True:
            try:
                self._idle.pop().close()
            except IndexError:
                return

    def _json(self, method, path, body=None, repeat=True, headers=()):
        data = self._request(method, path, body, repeat, headers)
        try:
            return json.loads(data)
        except ValueError:
            raise MapoError("%s %s: the reply is not JSON; is this a mapo server?" % (method, path)) from None

    def _request(self, method, path, body=None, repeat=True, headers=()):
        """The body of the reply. A request is repeated where that is safe: always, but where repeat is false and
        the first one may have been received."""
        fault, data = None, None if body is None else json.dumps(body).encode()
        for attempt in range(self._retries + 1):
            if attempt:
                self._pause(_wait(attempt, fault))
            try:
                status, replied, reply, twice = self._send(method, path, data, headers, fresh=not repeat)
            except _NotSent as error:
                fault = error.__cause__
                continue
            except (OSError, http.client.HTTPException) as error:
                if not repeat:
                    raise Unavailable("%s %s: %s; it may have been received" % (method, path, _name(error))) from error
                fault = error
                continue
            if status < 300 or (status == 404 and method == "DELETE" and (attempt or twice)):  # an earlier one has deleted it
                return reply
            fault = _refusal(status, reply)
            if status not in (429, 502, 503, 504, 507):
                raise fault
            if not repeat and status in (502, 504):
                raise Unavailable("%s %s: %s; it may have been received" % (method, path, fault)) from fault
            fault.wait = replied.get("Retry-After", "")
        raise Unavailable("%s %s: %s, %d times" % (method, path, _name(fault), self._retries + 1)) from fault

    def _send(self, method, path, data, headers, fresh):
        """The reply to a request, and whether it was sent twice. An idle connection may be found closed by the server, and
        the others with it: the request is sent again over a new one. fresh: no idle one, for what must not be repeated."""
        try:
            idle = None if fresh else self._idle.pop()
        except IndexError:
            idle = None
        if idle:
            try:
                return (*self._exchange(idle, method, path, data, headers), False)
            except (OSError, http.client.HTTPException):
                self.close()
        return (*self._exchange(self._connect(), method, path, data, headers), idle is not None)

    def _exchange(self, connection, method, path, data, more):
        """One request, with more headers than all have, and its reply over a connection."""
        headers = dict(more, **{"Accept": "application/json", "User-Agent": "mapo.py"})
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, self._prefix + path, data, headers)
            reply = connection.getresponse()
            data = reply.read()
        except BaseException:
            connection.close()
            raise
        if reply.will_close or len(self._idle) >= MAX_IDLE:
            connection.close()
        else:
            self._idle.append(connection)
        return reply.status, reply.headers, data

    def _connect(self):
        if self._scheme == "https":
            context = self._context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=context)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        try:
            connection.connect()
        except ssl.SSLCertVerificationError as error:
            raise MapoError("%s is not who it says it is: %s" % (self._host, error)) from error
        except OSError as error:
            raise _NotSent() from error
        return connection


class Session:
    """A game that the server keeps.

    id: all that is needed to go on with it, from anywhere
    step: the step that is asked now
    query: the query to answer, a Text; None where nothing is asked
    probability: with which it was drawn
    guessed: the hypothesis that is guessed, a Text; None where nothing is guessed
    state: "open"; "guess", to be answered with guess(); "done"; or "stale", where the policy has been replaced by one for
        another game
    recommendation: the hypothesis that fits best so far, a Text; None while all hypotheses tie and answers are left
    confidence: its probability if answers follow the table; None where nothing is recommended or there is no posterior
    tied: how many hypotheses share the lead, the recommendation among them
    margin: the recommendation's lead
    runners_up: the next best, as dicts with index, text, confidence and margin; empty where nothing is recommended
    misfit: whether the answers do not fit the recommendation
    pro, contra: at the end, the answers that spoke most for the recommendation and most against it, as dicts with query,
        answer and weight
    contradiction: where answers that were to be exact exclude every row, the closest rows, as dicts with index, text and
        differs, the queries on which they differ; otherwise empty
    remaining: answers left
    numbers: whether answers are numbers, and not yes or no
    classes: the answers that there are, a list of names, where the session labels items: the query is then an item, and
        hypotheses are models; None elsewhere
    agreed: how many of the labels so far the recommended model predicts; None elsewhere
    told: what it was, once truth() or a right guess has told: a dict with text, known and, where there is a posterior, place
        and confidence; None before
    view: all that the server says, a dict
    """

    def __init__(self, client, view):
        self._client = client
        self._take(view)

    def __repr__(self):
        return "mapo.Session(%s, step %d, %s)" % (self.id, self.step, self.state)

    def _take(self, view):
        self.view = view
        self.id, self.step, self.state = view["id"], view["step"], view["state"]
        self.query, self.probability = _text(view["query"]), view.get("probability")
        self.guessed = _text(view["guess"])
        self.recommendation, self.confidence = _text(view["recommendation"]), view["confidence"]
        self.tied, self.margin, self.runners_up = view["tied"], view["margin"], view["runners_up"]
        self.misfit, self.contradiction = view.get("misfit", False), view.get("contradiction", [])
        self.pro, self.contra = view.get("pro", []), view.get("contra", [])
        self.classes, self.agreed = view.get("classes"), view.get("agreed")
        self.remaining, self.told, self.numbers = view["remaining"], view.get("truth"), view.get("number_answers", False)
        return self

    def _post(self, what, body):
        return self._take(self._client._json("POST", "/v1/sessions/%s/%s" % (_quote(self.id), what), body))

    def answer(self, answer, annotator="", mask=()):
        """Answer the query that is asked, with True, False, 0.5, -0.5, None or a name such as "probably not"; where numbers is
        true with a number or None; where there are classes with one of them or None. mask: queries not to be asked next."""
        return self._close({"answer": _answer(answer, self.numbers, self.classes)}, annotator, mask)

    def guess(self, right, mask=()):
        """Say whether the guess is right. A right one ends the session. A wrong one uses an answer and rules the hypothesis
        out. mask: queries not to be asked next."""
        if self.guessed is None:
            raise MapoError("nothing is guessed: the session is %s" % self.state)
        return self._post("guess", {"step": self.step, "right": bool(right), "mask": list(mask)})

    def truth(self, name, new=False):
        """Tell what it was, which ends the session; needs an answer before. A right guess has told it already. The same again
        changes nothing; another truth corrects it, within 24 hours. A name that is no object is Refused, with the nearest
        names. new: propose such a name as a new object."""
        return self._post("truth", {"truth": name, "new": True} if new else {"truth": name})

    def skip(self, annotator="", mask=()):
        """Pass the query over. It counts as don't know, and is told apart in exports."""
        return self._close({"answer": None, "skip": True}, annotator, mask)

    def _close(self, body, annotator, mask):
        if self.guessed:
            raise MapoError("the session guesses %r: answer with guess(True) or guess(False)" % self.guessed.text)
        if self.query is None:
            raise MapoError("nothing is asked: the session is %s" % self.state)
        body.update(step=self.step, query=self.query.index, mask=list(mask))
        if annotator:
            body["annotator"] = annotator
        return self._post("answers", body)

    def undo(self, mask=()):
        """Take the last answer or guess back; it is asked again."""
        return self._post("undo", {"step": self.step, "mask": list(mask)})

    def ask(self, mask=()):
        """What to ask if these queries are not to be asked: another query where the present one is among them."""
        return self._post("next", {"mask": list(mask)})

    def refresh(self):
        """The session as it is now on the server, with its history in view["history"]."""
        return self._take(self._client._json("GET", "/v1/sessions/" + _quote(self.id)))

    def export(self, format="csv"):
        """Every turn with the probability its query had, as the text of a CSV file or of lines of JSON ("jsonl"). Every row also
        has the session's title and what it recommends now."""
        path = "/v1/sessions/%s/export?format=%s" % (_quote(self.id), _quote(format))
        return self._client._request("GET", path).decode()

    def labels(self):
        """The labels that count, of a session that labels items, as the text of a CSV file: a row an item, in order, with its
        class and the probability with which it was asked. mapo recommend reads it."""
        return self._client._request("GET", "/v1/sessions/%s/labels.csv" % _quote(self.id)).decode()


class _NotSent(Exception):
    """The server cannot be reached; why is the cause."""


def _refusal(status, data):
    """The error that a problem+json reply tells."""
    try:
        problem = json.loads(data)
        detail = problem.get("detail") or problem.get("title") or ""
        errors = [": ".join(filter(None, [e.get("location"), e.get("message")])) for e in problem.get("errors") or []]
        detail = "; ".join([detail] + [e for e in errors if e and e != detail])
    except (ValueError, AttributeError):
        detail = "the server refused the request"
    return {404: NotFound, 409: Conflict}.get(status, Refused)(status, detail)


def _name(error):
    return str(error) or type(error).__name__


def _wait(attempt, fault):
    """Seconds before another attempt: twice as long each time, up to 5, and not less than the server says, up to 30."""
    own = min(.1 * 2**attempt, 5) * (.5 + random.random())
    try:
        return max(own, min(float(getattr(fault, "wait", "")), 30))
    except ValueError:
        return own


def _quote(text):
    return urllib.parse.quote(str(text), safe="")


def _loopback(host):
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

"""Answers sessions by the Python client until standard input ends: label.py FOLDER-OF-MAPO.PY URL POLICY THREADS.

Prints a line of JSON for each answer that the server has confirmed.
"""
import json
import random
import sys
import threading

sys.path.insert(0, sys.argv[1])
import mapo  # noqa: E402

client = mapo.Client(sys.argv[2], retries=60)
stop, lock, faults = threading.Event(), threading.Lock(), []


def label(name):
    draw = random.Random(name)
    try:
        while not stop.is_set():
            s = client.create(sys.argv[3])
            while s.query and not stop.is_set():
                step, answer = s.step, draw.random() < .5
                s.answer(answer, annotator=name)
                with lock:
                    print(json.dumps({"session": s.id, "step": step, "answer": 1 if answer else -1, "annotator": name}), flush=True)
    except Exception as error:
        faults.append("%s: %r" % (name, error))
        stop.set()


threads = [threading.Thread(target=label, args=("p%d" % n,)) for n in range(int(sys.argv[4]))]
for thread in threads:
    thread.start()
sys.stdin.read()
stop.set()
for thread in threads:
    thread.join()
sys.exit("\n".join(faults) or 0)

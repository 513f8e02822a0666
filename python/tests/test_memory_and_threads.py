"""Nothing leaks, the interpreter lock is released, Ctrl-C returns what is there, forks are safe."""
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import geodisk
from geodisk import Ball, Graph, Model

SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def one_round():
    graph = Graph.generate("tree", branching=3, depth=5, shape="closed")  # 364 nodes
    model = Model(graph.names, np.zeros((len(graph), 50)))
    model.most_similar("0", 3)
    Model.from_bytes(BYTES)
    with pytest.raises(KeyError):
        model.index("nobody")
    geodisk.train(SMALL, dim=2, epochs=1, negatives=1, threads=1, progress=False, on_epoch=lambda e: True)
    geodisk.minimize(lambda d: (float(d @ d), 2 * d), [[0.1, 0.2], [0.3, 0.4]], [(0, 1)], iterations=1)


SMALL = Graph([("a", "b"), ("c", "b"), ("d", "e")])
BYTES = Model(None, np.zeros((300, 50))).to_bytes()


@pytest.mark.skipif(SANITIZED, reason="the sanitizer keeps what is freed")
def test_a_thousand_rounds_leak_nothing():
    """Each round makes and drops some 300 kB of graphs, models, indices and trainers: were they kept, 1000 rounds would show 300 MB."""
    for _ in range(50):
        one_round()
    gc.collect()
    before, objects = resident(), len(gc.get_objects())
    for _ in range(1000):
        one_round()
    gc.collect()
    assert resident() - before < 4 << 20
    assert len(gc.get_objects()) - objects < 100


def test_the_lock_is_released_while_the_library_works():
    graph = Graph.generate("recursive", nodes=600, seed=1, shape="closed")
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.002)

    other = threading.Thread(target=tick)
    other.start()
    started = time.monotonic()
    geodisk.train(graph, dim=10, epochs=100, core_epochs=0, threads=1, progress=False)
    seconds = time.monotonic() - started
    done.set()
    other.join()
    during = [t for t in ticks if started < t < started + seconds]
    assert len(during) >= 3 or seconds < 0.02


def test_many_python_threads_at_once():
    rng, ball = np.random.default_rng(0), Ball(5)
    x, y = rng.uniform(-0.3, 0.3, (2, 20000, 5))
    wanted, results = ball.distance(x, y), {}

    def work(i):
        results[i] = [ball.distance(x, y), geodisk.train(SMALL, dim=2, epochs=5, negatives=1, progress=False).to_bytes()]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6 and len({r[1] for r in results.values()}) == 1
    for r in results.values():
        np.testing.assert_array_equal(r[0], wanted)


def run(code, *, interrupt_after=None, timeout=60):
    """Runs a program of its own; SIGINT once it has printed `interrupt_after`."""
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text = ""
    if interrupt_after is not None:
        while interrupt_after not in text:
            line = process.stdout.readline()
            assert line, text
            text += line
        process.send_signal(signal.SIGINT)
    text += process.communicate(timeout=timeout)[0]
    assert process.returncode == 0, text
    return text


def test_ctrl_c_saves_and_returns_what_is_there(tmp_path):
    text = run(f"""
        import geodisk
        graph = geodisk.Graph.generate("tree", branching=3, depth=5, shape="closed")
        model = geodisk.train(graph, dim=5, epochs=10**6, core_epochs=0, output={str(tmp_path / "m.safetensors")!r}, progress=False,
                              on_epoch=lambda e: print("going", flush=True) if e["epoch"] == 3 else None)
        print(model.interrupted, len(model.history["loss"]) >= 4, len(model))
        saved = geodisk.Model.load({str(tmp_path / "m.safetensors")!r})
        print((saved.vectors == model.vectors).all())
        more = geodisk.train(graph, resume={str(tmp_path / "m.safetensors")!r}, epochs=len(model.history["loss"]) + 1, progress=False)
        print(len(more.history["loss"]) - len(model.history["loss"]), more.interrupted)
    """, interrupt_after="going")
    lines = text.strip().split("\n")
    assert lines[-3:] == ["True True 364", "True", "1 False"] and "interrupted after epoch" in text


def test_ctrl_c_ends_other_work():
    text = run("""
        import geodisk
        graph = geodisk.Graph.generate("barabasi", nodes=4000, attach=3, shape="undirected")
        try:
            print("going", flush=True)
            while True:
                graph.hops(threads=1)
        except KeyboardInterrupt:
            print("interrupted")
    """, interrupt_after="going")
    assert text.strip().endswith("interrupted")


@pytest.mark.skipif(SANITIZED, reason="a child of a sanitized process is slow to start")
def test_a_fork_has_its_own_threads():
    text = run("""
        import os, numpy as np, geodisk
        x = np.random.default_rng(0).uniform(-.3, .3, (50000, 5))
        ball = geodisk.Ball(5, threads=2)
        wanted = ball.distance(x, x[::-1])           # the parent's threads are there
        child = os.fork()
        if child == 0:
            os._exit(0 if (ball.distance(x, x[::-1]) == wanted).all() else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert text.strip() == "0"


FORK = """
    import os, sys, threading, time, warnings
    import numpy as np, geodisk
    warnings.simplefilter("ignore")
    sys.stdout.reconfigure(line_buffering=True)  # what is printed is not the child's to print again
    x = np.random.default_rng(0).uniform(-.3, .3, (20000, 5))
    ball = geodisk.Ball(5, threads=2)
    wanted = ball.distance(x, x[::-1])
    graph = geodisk.Graph.generate("tree", branching=3, depth=4, shape="closed")

    def child():
        model = geodisk.train(graph, dim=2, epochs=1, negatives=2, threads=2, progress=False)
        return 0 if (ball.distance(x, x[::-1]) == wanted).all() and model.most_similar("5") else 1

    def fork():
        in_main = threading.current_thread() is threading.main_thread()
        pid = os.fork()
        if pid == 0:
            import faulthandler
            faulthandler.dump_traceback_later(40, exit=True)
            code = child()
            if in_main:
                sys.exit(code)                 # the interpreter ends and takes everything apart
            os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""


def forked(code):
    return run(textwrap.dedent(FORK) + textwrap.dedent(code), timeout=110).strip().split("\n")


@pytest.mark.skipif(SANITIZED, reason="a child of a sanitized process is slow to start")
def test_a_fork_after_another_thread_used_the_library():
    """Its contexts die with that thread's locals, in the child too, where their workers are not."""
    assert forked("""
        held = threading.Event()
        def other():
            ball.distance(x, x[::-1])
            geodisk.train(graph, dim=2, epochs=1, negatives=2, threads=3, progress=False)
            print(fork())                      # in the thread itself
            held.wait()
        thread = threading.Thread(target=other)
        thread.start()
        time.sleep(0.3)
        print(fork())                          # while it lives
        held.set()
        thread.join()
        print(fork())                          # when it is gone
    """) == ["0", "0", "0"]


@pytest.mark.skipif(SANITIZED, reason="a child of a sanitized process is slow to start")
def test_a_fork_while_other_threads_work():
    assert forked("""
        stop = threading.Event()
        def other():
            while not stop.is_set():
                ball.distance(x, x[::-1])
                geodisk.Model(None, x[:100]).to_bytes()
        threads = [threading.Thread(target=other) for _ in range(2)]
        for thread in threads:
            thread.start()
        print([fork() for _ in range(8)])
        stop.set()
        for thread in threads:
            thread.join()
    """) == [str([0] * 8)]


@pytest.mark.skipif(SANITIZED, reason="a child of a sanitized process is slow to start")
def test_a_fork_inside_a_callback():
    assert forked("""
        seen = []
        geodisk.train(graph, dim=2, epochs=3, negatives=2, threads=2, progress=False, on_epoch=lambda e: seen.append(fork()))
        print(seen)
        def alone(epoch):                      # the child goes on with the training, on one thread
            if epoch["epoch"] == 1:
                seen.append(os.fork())
        whole = geodisk.train(graph, dim=2, epochs=4, negatives=2, threads=2, progress=False).vectors
        model = geodisk.train(graph, dim=2, epochs=4, negatives=2, threads=2, progress=False, on_epoch=alone)
        if seen[-1] == 0:
            os._exit(0 if (model.vectors == whole).all() and child() == 0 else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(seen[-1], 0)[1]))
    """) == ["[0, 0, 0]", "0"]


@pytest.mark.skipif(SANITIZED, reason="a child of a sanitized process is slow to start")
def test_pools_of_processes_and_threads():
    assert forked("""
        import multiprocessing
        from concurrent.futures import ThreadPoolExecutor, ProcessPoolExecutor
        def job(i):
            return geodisk.train(graph, dim=2, epochs=1, negatives=2, seed=i, progress=False).to_bytes()
        with ThreadPoolExecutor(3) as threads:
            first = list(threads.map(job, range(3)))
            with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as processes:
                print(list(processes.map(job, range(3))) == first)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map(job, range(3)) == first)
    """) == ["True", "True"]

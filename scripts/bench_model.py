"""The part of scripts/bench-model that runs both sides in turns. Usage: bench_model.py PROBE MODEL [ROUNDS]"""

import json
import os
import pathlib
import statistics
import subprocess
import sys

ANSWER = 64
CASES = [(threads, prompt) for threads in (1, 2) for prompt in (16, 512, 2048)]


def llama(model, threads, prompt, answer):
    """What the other side does, in a process of its own."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    tokens = [100 + n * 37 % 5000 for n in range(prompt)]
    request = {"prompt": tokens, "n_predict": answer, "temperature": 0, "cache_prompt": False, "ignore_eos": True}
    found = server.handle_completions(request)
    found = json.loads(found) if isinstance(found, str) else found
    timings = found["timings"]
    status = pathlib.Path("/proc/self/status").read_text()
    peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
    print(json.dumps({"prompt": timings["prompt_per_second"], "answer": timings["predicted_per_second"], "peak_kb": peak}))


def run(command, environment=None):
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment).stdout
    return json.loads(out.splitlines()[-1])


def processor(command, rounds):
    """Seconds of processor time that a command takes, the least of several runs."""
    least = float("inf")
    for _ in range(rounds):
        before = os.times()
        run(command)
        after = os.times()
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        least = min(least, spent)
    return least


def by_processor_time(probe, model, rounds):
    """One thread, by the time that the processor worked: what a machine with other work to do can still tell."""
    sides = {
        "we": lambda prompt, answer: [probe, "speed", model, "1", str(prompt), str(answer)],
        "llama.cpp": lambda prompt, answer: [sys.executable, __file__, "llama", model, "1", str(prompt), str(answer)],
    }
    print("| tokens a second of processor time, 1 thread | prompt of 512 | generation after it |")
    print("|---|---|---|")
    found = []
    for name, command in sides.items():
        start, read, spoke = (processor(command(*case), rounds) for case in ((16, 1), (512, 1), (512, 65)))
        found.append((496 / (read - start), 64 / (spoke - read)))
        print(f"| {name} | {found[-1][0]:.0f} | {found[-1][1]:.0f} |", flush=True)
    print(f"| ratio | {found[0][0] / found[1][0]:.2f} | {found[0][1] / found[1][1]:.2f} |\n")


def main():
    probe, model = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    size = os.path.getsize(model)
    print(f"{pathlib.Path(model).name}, {size / 1e6:.0f} MB, {rounds} rounds, load of the machine before: {os.getloadavg()[0]:.1f}\n")
    by_processor_time(probe, model, rounds)
    if os.environ.get("BENCH_ONLY_PROCESSOR_TIME"):
        return
    print("| threads | prompt | tokens a second, prompt | llama.cpp | ratio | generation | llama.cpp | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    peaks = []
    for threads, prompt in CASES:
        ours, theirs = [], []
        for _ in range(rounds):
            found = run([probe, "speed", model, str(threads), str(prompt), str(ANSWER)])
            ours.append((found["prompt_tokens"] / found["prompt_ms"] * 1e3, found["answer_tokens"] / found["answer_ms"] * 1e3))
            peaks.append((prompt, found["peak_kb"] * 1024, found["cache_bytes"]))
            other = run([sys.executable, __file__, "llama", model, str(threads), str(prompt), str(ANSWER)])
            theirs.append((other["prompt"], other["answer"]))
        cells = []
        for part in (0, 1):
            our, their = statistics.median(one[part] for one in ours), statistics.median(one[part] for one in theirs)
            cells.append(f"{our:.0f} | {their:.0f} | {our / their:.2f}")
        print(f"| {threads} | {prompt} | {' | '.join(cells)} |", flush=True)
    prompt, peak, cache = max(peaks)
    print(f"\nmemory: {peak / 1e6:.0f} MB at most with a prompt of {prompt} tokens, of which {cache / 1e6:.0f} MB are its cache;")
    print(f"without the cache {(peak - cache) / size:.2f} × the file")


if sys.argv[1] == "llama":
    llama(sys.argv[2], *map(int, sys.argv[3:6]))
else:
    main()

"""The part of scripts/bench-model that runs both sides in turns. Usage: bench_model.py PROBE MODEL [ROUNDS]"""

import json
import os
import pathlib
import statistics
import subprocess
import sys

ANSWER = 64
CASES = [(threads, prompt) for threads in (1, 2) for prompt in (16, 512, 2048)]


def llama(model, threads, prompt):
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
    request = {"prompt": tokens, "n_predict": ANSWER, "temperature": 0, "cache_prompt": False, "ignore_eos": True}
    answer = server.handle_completions(request)
    answer = json.loads(answer) if isinstance(answer, str) else answer
    timings = answer["timings"]
    status = pathlib.Path("/proc/self/status").read_text()
    peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
    print(json.dumps({"prompt": timings["prompt_per_second"], "answer": timings["predicted_per_second"], "peak_kb": peak}))


def run(command, environment=None):
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment).stdout
    return json.loads(out.splitlines()[-1])


def main():
    probe, model = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    size = os.path.getsize(model)
    print(f"{pathlib.Path(model).name}, {size / 1e6:.0f} MB, {rounds} rounds, load of the machine before: {os.getloadavg()[0]:.1f}\n")
    print("| threads | prompt | tokens a second, prompt | llama.cpp | ratio | generation | llama.cpp | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    peaks = []
    for threads, prompt in CASES:
        ours, theirs = [], []
        for _ in range(rounds):
            found = run([probe, "speed", model, str(threads), str(prompt), str(ANSWER)])
            ours.append((found["prompt_tokens"] / found["prompt_ms"] * 1e3, found["answer_tokens"] / found["answer_ms"] * 1e3))
            peaks.append((prompt, found["peak_kb"] * 1024, found["cache_bytes"], found["weights_bytes"]))
            other = run([sys.executable, __file__, "llama", model, str(threads), str(prompt)])
            theirs.append((other["prompt"], other["answer"]))
        cells = []
        for part in (0, 1):
            our, their = statistics.median(one[part] for one in ours), statistics.median(one[part] for one in theirs)
            cells.append(f"{our:.0f} | {their:.0f} | {our / their:.2f}")
        print(f"| {threads} | {prompt} | {' | '.join(cells)} |", flush=True)
    prompt, peak, cache, weights = max(peaks)
    print(f"\nmemory: {peak / 1e6:.0f} MB at most with a prompt of {prompt} tokens, of which {cache / 1e6:.0f} MB are its cache;")
    print(f"weights {weights / 1e6:.0f} MB, {weights / size:.2f} × the file; without the cache {(peak - cache) / size:.2f} × the file")


if sys.argv[1] == "llama":
    llama(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    main()

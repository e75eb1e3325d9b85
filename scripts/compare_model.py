"""The part of scripts/compare-model that asks llama.cpp. Usage: compare_model.py PROBE FOLDER-OF-TINY-MODELS MODEL…"""

import json
import math
import pathlib
import subprocess
import sys
import urllib.request

import xllamacpp

PROBE, FOLDER, *MORE = sys.argv[1:]
GOLDEN = pathlib.Path("crates/rebut-model/tests/golden/logits.json")
# Tokens of the tiny models; long enough that attention goes over several tiles.
PROMPT = [1, 3 + 70, 3 + 75, 5] + [3 + (i * 37) % 250 for i in range(76)]
TEXTS = [
    "", " ", "a", "Hello, world!", "I'll don't we've THEY'RE it's", "  two  spaces   three", "tabs\tand\nlines\n\n\nend\n",
    "\r\nwindows\r\n\r\n", "1234567890 3.14 1,000,000 ½ Ⅷ ٣٤", "naïve café résumé", "中文字符 日本語 한국어", "Ελληνικά русский עברית العربية",
    "🎉👨‍👩‍👧‍👦🇩🇪", "fn main() { println!(\"{}\", x += 1); }", "<|im_start|>system<|im_end|>", "a" * 300, " " * 50 + "x", "\u00a0\u2003\u3000wide",
    "e\u0301 combining \u200d zero \u200b width", "$100 + 5% = <b>^2~|", "…“quotes” – dashes—", "\x00\x01\x7f control", "snake_case CamelCase kebab-case",
    "https://example.org/a?b=c&d=%20#e", "if x:\n    return y\n        deeper\n", "'s'S 't'T ''ll", "the and ation ing  the", "مرحبا 123 שלום",
]


def server(path):
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = 512
    params.n_parallel = 1
    params.warmup = False
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    return xllamacpp.Server(params)


def theirs(llama, tokens, count):
    # A token that is only half a character would be kept back with its likelihoods, so that a whole one is forced; the
    # likelihoods are those before that.
    request = {"logit_bias": [[70, 100]], "prompt": tokens, "n_predict": 1, "temperature": 0, "n_probs": count, "cache_prompt": False, "ignore_eos": True}
    answer = llama.handle_completions(request)
    answer = json.loads(answer) if isinstance(answer, str) else answer
    return {entry["id"]: entry["logprob"] for entry in answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]}


def ours(path, tokens):
    out = subprocess.run([PROBE, "logits", path, *map(str, tokens)], check=True, capture_output=True, text=True).stdout
    logits = json.loads(out)
    largest = max(logits)
    total = largest + math.log(sum(math.exp(logit - largest) for logit in logits))
    return [logit - total for logit in logits]


def compare(path, tokens, count):
    llama = server(path)
    their, our = theirs(llama, tokens, count), ours(path, tokens)
    their = {token: value for token, value in their.items() if value is not None and value > -30}
    worst = max(abs(our[token] - value) for token, value in their.items())
    kl = sum(math.exp(value) * (value - our[token]) for token, value in their.items())
    same = max(range(len(our)), key=our.__getitem__) == max(their, key=their.get)
    print(f"{pathlib.Path(path).stem:40} tokens {len(their):5}  worst {worst:.4f}  divergence {kl:.2e}  same best {same}")
    return their


def compare_tokens(path):
    process = subprocess.run([PROBE, "tokens", path], input="\n".join(map(json.dumps, TEXTS)), check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in process.stdout.splitlines()]
    llama = server(path)
    wrong = 0
    for text, our in zip(TEXTS, lines):
        body = json.dumps({"content": text, "add_special": False, "parse_special": False}).encode()
        request = urllib.request.Request(llama.listening_address + "/tokenize", data=body, headers={"Content-Type": "application/json"})
        their = json.load(urllib.request.urlopen(request, timeout=30))["tokens"]
        if their != our:
            wrong += 1
            print(f"  {text!r}: llama.cpp {their}, we {our}")
    print(f"{pathlib.Path(path).stem:40} texts {len(TEXTS)}  with other tokens {wrong}")


golden = {}
for path in sorted(pathlib.Path(FOLDER).glob("*.gguf")):
    their = compare(str(path), PROMPT, 400)
    golden[path.stem] = {str(token): round(value, 4) for token, value in sorted(their.items())}
for path in MORE:
    compare(path, [1, 9690, 198, 2683, 418, 257, 5356, 5646, 11173, 3365, 3511, 308, 34519, 28, 7018, 411, 407, 19712, 8182, 2], 100)
GOLDEN.write_text(json.dumps({"prompt": PROMPT, "models": golden}, separators=(",", ":")) + "\n")
for path in sorted(pathlib.Path(FOLDER).glob("*.gguf")):
    if path.stem in ("llama-Q4_1", "qwen2-F32"):
        compare_tokens(str(path))
for path in MORE:
    compare_tokens(path)

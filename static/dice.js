"use strict";
// The verification of figf/dice.py in the reader's own browser: protocol figf-dice-1.
// SHA-256 is written out because browsers hide theirs (crypto.subtle) from pages over plain http.

globalThis.FigfDice = (() => {
  const PROTOCOL = "figf-dice-1";
  const MOST_SIDES = 256, MOST_DICE = 10000;
  const HEX_256 = /^[0-9a-f]{64}$/;
  const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
  const LONE_SURROGATE = /[\ud800-\udfff]/u;
  const START = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
  ];
  const K = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ];
  const utf8 = (text) => new TextEncoder().encode(text);
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const unhex = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
  const joined = (...chunks) => new Uint8Array([].concat(...chunks.map((chunk) => [...chunk])));
  const rotated = (x, n) => (x >>> n) | (x << (32 - n));
  const netstring = (bytes) => joined(utf8(`${bytes.length}:`), bytes, utf8(","));
  const isText = (value) => typeof value === "string";

  function sha256(bytes) { // FIPS 180-4
    const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
    const view = new DataView(padded.buffer);
    padded.set(bytes);
    padded[bytes.length] = 0x80;
    view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
    const sums = Uint32Array.from(START);
    const w = new Uint32Array(64);
    for (let start = 0; start < padded.length; start += 64) {
      let [a, b, c, d, e, f, g, h] = sums;
      for (let i = 0; i < 64; i++) {
        if (i < 16) {
          w[i] = view.getUint32(start + 4 * i);
        } else {
          const x = w[i - 15], y = w[i - 2];
          const s0 = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
          const s1 = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
          w[i] = w[i - 16] + s0 + w[i - 7] + s1;
        }
        const big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
        const t1 = (h + big1 + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
        const big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
        const t2 = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
      }
      [a, b, c, d, e, f, g, h].forEach((value, i) => { sums[i] += value; });
    }
    return Uint8Array.from({ length: 32 }, (_, i) => sums[i >> 2] >>> (24 - 8 * (i % 4)));
  }

  const sha256Hex = (data) => hex(sha256(isText(data) ? utf8(data) : data));

  function hmac(key, message) { // RFC 2104, for a key of at most 64 bytes
    const pad = (mask) => Uint8Array.from({ length: 64 }, (_, i) => (key[i] ?? 0) ^ mask);
    return sha256(joined(pad(0x5c), sha256(joined(pad(0x36), message))));
  }

  const isListOf = (test) => (value) => Array.isArray(value) && value.every(test);
  const isPerson = (value) => isListOf(isText)(value) && value.length === 2;
  const FIELDS = {
    protocol: isText, purpose: isText, sides: Number.isInteger, count: Number.isInteger,
    closes_at: isText, people: isListOf(isPerson), commitment: isText, seed: isText,
    throws: isListOf(Number.isInteger),
  };
  const isReceipt = (data) => data !== null && typeof data === "object" &&
    Object.keys(data).length === Object.keys(FIELDS).length &&
    Object.entries(FIELDS).every(([key, test]) => test(data[key]));
  const isSound = (receipt) => receipt.sides >= 2 && receipt.sides <= MOST_SIDES &&
    receipt.count >= 1 && receipt.count <= MOST_DICE &&
    MOMENT.test(receipt.closes_at) && HEX_256.test(receipt.commitment) &&
    (receipt.seed === "" || HEX_256.test(receipt.seed)) &&
    ![receipt.purpose, ...receipt.people.flat()].some((text) => LONE_SURROGATE.test(text));

  function throws(receipt) { // whatever throws and commitment it claims
    if (!isReceipt(receipt) || receipt.protocol !== PROTOCOL || !isSound(receipt) ||
        receipt.seed === "") throw new RangeError(`Not a sound and revealed receipt of ${PROTOCOL}.`);
    const { purpose, closes_at, sides, count, people } = receipt;
    const parts = [PROTOCOL, purpose, closes_at, sides, count, people.length, ...people.flat()];
    const message = joined(...parts.map((part) => netstring(utf8(String(part)))));
    const key = unhex(receipt.seed);
    const limit = 256 - (256 % sides);
    const counter = new DataView(new ArrayBuffer(8));
    const dice = [];
    for (let block = 0n; dice.length < count; block++) {
      counter.setBigUint64(0, block);
      const bytes = hmac(key, joined(message, new Uint8Array(counter.buffer)));
      dice.push(...bytes.filter((byte) => byte < limit));
    }
    return dice.slice(0, count).map((byte) => (byte % sides) + 1);
  }

  function problems(receipt) { // the empty list means verified
    if (!isReceipt(receipt)) return ["malformed"];
    if (receipt.protocol !== PROTOCOL) return ["unknown_protocol"];
    if (!isSound(receipt)) return ["malformed"];
    if (receipt.seed === "") return ["not_revealed"];
    const found = [];
    if (sha256Hex(unhex(receipt.seed)) !== receipt.commitment) found.push("seed_mismatch");
    if (throws(receipt).join() !== receipt.throws.join()) found.push("throws_differ");
    return found;
  }

  function verifyPage() {
    const [written, verdict, recomputed] = ["receipt", "verdict", "recomputed"]
      .map((name) => document.getElementById(`dice-${name}`));
    let receipt = null;
    try { receipt = JSON.parse(written.textContent); } catch { /* problems() calls it malformed */ }
    const found = problems(receipt);
    const said = (problem) => verdict.getAttribute(`data-${problem.replaceAll("_", "-")}`);
    const isThrown = found.every((problem) => ["seed_mismatch", "throws_differ"].includes(problem));
    verdict.dataset.state = found.length ? "failed" : "ok";
    verdict.textContent = found.length
      ? `${verdict.dataset.failed} ${found.map(said).join("; ")}.` : verdict.dataset.verified;
    if (recomputed) recomputed.textContent = isThrown ? throws(receipt).join(" ") : "";
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.getElementById("dice-verify")?.removeAttribute("hidden"); // useless without this script
  });
  // On the document, so that a button swapped in later by htmx works too.
  document.addEventListener("click", (event) => {
    if (event.target.closest("#dice-verify")) verifyPage();
  });
  return Object.freeze({ sha256Hex, throws, problems });
})();
